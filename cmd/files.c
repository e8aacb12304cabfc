/* Which files a command line reads, and which it writes. */
#include "files.h"

#include "base/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WRITTEN = 16 };

/* A file that is written. */
struct written {
    const char *what, *path; /* "--json", "r.json" */
    struct file_identity identity;
};

struct writes {
    struct written items[MOST_WRITTEN];
    size_t count;
    struct error *error;
};

/* A plain file that is stdin or stdout. */
static bool identify_descriptor(int descriptor, struct file_identity *identity) {
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    *identity = (struct file_identity){status.st_dev, status.st_ino, ""};
    return true;
}

/* Whether nothing is written there. */
static bool may_read(const struct writes *writes, const char *path) {
    struct file_identity identity;
    bool is_stdin = strcmp(path, "-") == 0;
    if (is_stdin ? !identify_descriptor(STDIN_FILENO, &identity)
                 : !output_identify(path, &identity) || identity.name[0])
        return true;
    for (size_t i = 0; i < writes->count; i++)
        if (output_same(&identity, &writes->items[i].identity))
            return error_set(writes->error, "%s %.200s would overwrite %.200s, which is read",
                             writes->items[i].what, writes->items[i].path,
                             is_stdin ? "the file that is stdin" : path);
    return true;
}

/* Nor over the document of a trace, which is a folder. */
static bool may_read_trace(const struct writes *writes, const char *folder) {
    static char path[4096];
    const int length = snprintf(path, sizeof path, "%s/trace.json", folder);
    return length >= (int)sizeof path || may_read(writes, path);
}

static bool add_written(struct writes *writes, const char *what, const char *path) {
    struct written one = {what, path, {0}};
    if (strcmp(path, "-") == 0 || !output_identify(path, &one.identity))
        return true;
    for (size_t i = 0; i < writes->count; i++)
        if (output_same(&one.identity, &writes->items[i].identity) &&
            strcmp(what, writes->items[i].what) != 0)
            return error_set(writes->error, "%s and %s both write %.200s", writes->items[i].what,
                             what, path);
    if (writes->count == MOST_WRITTEN)
        return error_set(writes->error, "more than %d outputs", MOST_WRITTEN);
    writes->items[writes->count++] = one;
    return true;
}

/* The lock beside a checkpoint, which goes with it. */
static bool add_lock(struct writes *writes, const char *checkpoint) {
    static char path[4096];
    size_t room = sizeof path;
    return snprintf(path, room, "%s.lock", checkpoint) >= (int)room ||
           add_written(writes, "the lock of --checkpoint", path);
}

/* The files that the name of an implementation may lead to: of a command each of its words, of
 * "lib:a:b" both a:b and a. */
static bool may_run(const struct writes *writes, const char *name) {
    char text[4096];
    const char *path = strchr(name, ':');
    if (!path || strlen(++path) >= sizeof text)
        return true;
    strcpy(text, path);
    if (strncmp(name, "exec:", strlen("exec:")) == 0 ||
        strncmp(name, "exec-text:", strlen("exec-text:")) == 0) {
        for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
            if (strcmp(word, "-") != 0 && !may_read(writes, word)) /* its stdin is a pipe */
                return false;
        return true;
    }
    for (size_t end = strlen(text); end > 0; end--)
        if (end == strlen(path) || path[end] == ':' || path[end] == ',') {
            text[end] = '\0';
            if (!may_read(writes, text))
                return false;
        }
    return true;
}

/* Standard output where it is a plain file, which may then not be read, nor be another output: but
 * for --output, which takes the place of stdout. */
static bool add_stdout(struct writes *writes) {
    struct written out = {"output", "to stdout", {0}};
    if (!identify_descriptor(STDOUT_FILENO, &out.identity) || writes->count == MOST_WRITTEN)
        return true;
    for (size_t i = 0; i < writes->count; i++)
        if (output_same(&out.identity, &writes->items[i].identity) &&
            strcmp(writes->items[i].what, "--output") != 0)
            return error_set(writes->error, "%s and stdout both write %.200s",
                             writes->items[i].what, writes->items[i].path);
    writes->items[writes->count++] = out;
    return true;
}

/* Where a step's summary goes under GitHub Actions, from the gate. */
static bool add_summary(struct writes *writes, const struct command *command) {
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    return strcmp(command->name, "gate") != 0 || !path || !*path ||
           add_written(writes, "GITHUB_STEP_SUMMARY", path);
}

static bool collect_writes(struct writes *writes, const struct command *command,
                           const struct arguments *arguments) {
    static char names[MOST_WRITTEN][64];
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct option *option = arguments->given[i].option;
        if (option->kind != VALUE_OUTPUT)
            continue;
        char *what = names[writes->count % MOST_WRITTEN];
        snprintf(what, sizeof names[0], "--%s", option->name);
        /* Only the last one of several counts. */
        if (argument_value(arguments, option->name, "") == arguments->given[i].value &&
            !add_written(writes, what, arguments->given[i].value))
            return false;
        if (strcmp(option->name, "checkpoint") == 0 && !add_lock(writes, arguments->given[i].value))
            return false;
    }
    return (!command->writes || argument_given(arguments, "output") ||
            add_written(writes, "the page", command->writes)) &&
           add_summary(writes, command);
}

/* What is read from stdin cannot be read again. */
static bool check_stdin(const struct arguments *arguments, bool reads, struct error *error) {
    size_t readers = 0;
    for (size_t i = 0; i < arguments->given_count; i++)
        readers += arguments->given[i].option->kind == VALUE_FILE &&
                   strcmp(arguments->given[i].value, "-") == 0;
    for (size_t i = 0; reads && i < arguments->positional_count; i++)
        readers += strcmp(arguments->positional[i], "-") == 0;
    return readers < 2 ||
           error_set(error, "stdin, '-', is named %zu times, but can be read only once", readers);
}

bool files_check(const struct command *command, const struct arguments *arguments,
                 struct error *error) {
    struct writes writes = {.error = error};
    bool reads = command->arguments == VALUE_FILE ||
                 (command->arguments == VALUE_COMPARED && !argument_given(arguments, "impl"));
    if (!collect_writes(&writes, command, arguments) || !add_stdout(&writes))
        return false;
    for (size_t i = 0; i < arguments->given_count; i++) {
        enum value_kind kind = arguments->given[i].option->kind;
        const char *value = arguments->given[i].value;
        if ((kind == VALUE_FILE && !may_read(&writes, value)) ||
            (kind == VALUE_IMPLEMENTATION && !may_run(&writes, value)))
            return false;
    }
    for (size_t i = 0; reads && i < arguments->positional_count; i++)
        if (!may_read(&writes, arguments->positional[i]))
            return false;
    for (size_t i = 1; command->arguments == VALUE_TRACE && i < arguments->positional_count; i++)
        if (!may_read_trace(&writes, arguments->positional[i]))
            return false;
    return check_stdin(arguments, reads, error);
}
