/* Looking for programs as the shell does. */
#include "impl/remote/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WORD = 1024 };

static bool is_of_shell(const char *word) {
    static const char *const words[] = {".",     "cd",     "command", "eval",   "exec",  "export",
                                        "if",    "for",    "set",     "source", "trap",  "ulimit",
                                        "umask", "unset",  "until",   "while",  "case",  "read",
                                        "exit",  "return", "shift",   "wait",   "alias", "local"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        found = found || strcmp(word, words[i]) == 0;
    return found;
}

/* Leaves in `file` where it is. */
static bool is_in_path(const char *word, char file[COMMAND_PATH]) {
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; at; at = strchr(at, ':')) {
        at += *at == ':';
        int length = (int)strcspn(at, ":");
        if (snprintf(file, COMMAND_PATH, "%.*s/%s", length, length ? at : ".", word) <
                COMMAND_PATH &&
            access(file, X_OK) == 0)
            return true;
    }
    return false;
}

bool command_is_there(const char *command, struct error *why) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-,";
    char word[MOST_WORD], file[COMMAND_PATH];
    size_t length = strspn(command, plain);
    if (!length || length >= sizeof word || (command[length] && command[length] != ' '))
        return true;
    memcpy(word, command, length);
    word[length] = '\0';
    bool is_path = strchr(word, '/') != NULL;
    if (is_path ? access(word, X_OK) == 0 : is_of_shell(word) || is_in_path(word, file))
        return true;
    return error_set(
        why, is_path ? "there is no program %.300s" : "there is no program %.300s in PATH", word);
}

static bool is_plain_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Where the first command of a line of the shell ends: at an operator outside of quotes. */
static const char *end_of_command(const char *command) {
    char quote = '\0';
    for (; *command && (quote || !strchr("|;&<>", *command)); command++)
        if (*command == quote)
            quote = '\0';
        else if (!quote && (*command == '\'' || *command == '"'))
            quote = *command;
    return command;
}

void command_files_find(struct command_files *files, const char *command) {
    static const char blanks[] = " \t\n'\"";
    const char *end = end_of_command(command);
    bool first = true;
    files->count = 0;
    for (const char *at = command;
         (at += strspn(at, blanks)) < end && files->count < COMMAND_FILES;) {
        size_t length = strcspn(at, blanks), left = (size_t)(end - at);
        length = length < left ? length : left;
        char word[MOST_WORD], *path = files->paths[files->count];
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        at += length;
        snprintf(path, COMMAND_PATH, "%s", word);
        bool by_name = first && !strchr(word, '/');
        first = false;
        if (by_name ? is_in_path(word, path) : is_plain_file(path))
            files->count++;
    }
}

/* "DIRECTORY/package/module.py", or a package's "__init__.py". */
static bool is_module(const char *directory, int length, const char *module,
                      char path[COMMAND_PATH]) {
    static const char *const ends[] = {".py", "/__init__.py"};
    bool found = false;
    for (int i = 0; i < 2 && !found; i++)
        found = snprintf(path, COMMAND_PATH, "%.*s%s%s%s", length, directory, length ? "/" : "",
                         module, ends[i]) < COMMAND_PATH &&
                is_plain_file(path);
    return found;
}

void command_module_find(struct command_files *files, const char *function) {
    char word[MOST_WORD];
    const char *path = getenv("PYTHONPATH");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(function, ":"), function);
    snprintf(files->paths[0], COMMAND_PATH, "%s", word);
    bool found = is_plain_file(word);
    for (char *dot = word; !found && (dot = strchr(dot, '.')) != NULL;)
        *dot = '/';
    found = found || is_module("", 0, word, files->paths[0]);
    for (const char *at = path ? path : ""; *at && !found; at += *at == ':') {
        int length = (int)strcspn(at, ":");
        found = is_module(at, length, word, files->paths[0]);
        at += length;
    }
    files->count = found;
}
