/* Running the commands of --rebuild in a folder of their own. */
#include "rebuild.h"

#include "base/foreign.h"
#include "explain/names.h"
#include "impl/remote/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REBUILD_TEXT = 8192 };

static void path_of(const struct rebuilds *rebuilds, size_t number, char path[512]) {
    snprintf(path, 512, "%s/rebuilt%zu.so", rebuilds->folder, number);
}

static bool make_folder(struct rebuilds *rebuilds, struct error *error) {
    const char *parent = getenv("TMPDIR");
    int length = snprintf(rebuilds->folder, sizeof rebuilds->folder, "%s/detcheck-XXXXXX",
                          parent && *parent ? parent : "/tmp");
    if (length > 0 && (size_t)length < sizeof rebuilds->folder && mkdtemp(rebuilds->folder))
        return true;
    rebuilds->folder[0] = '\0';
    return error_set(error, "cannot make a folder for --rebuild in %.200s%s: %s",
                     parent && *parent ? parent : "/tmp",
                     parent && *parent ? ", which TMPDIR names" : "", strerror(errno));
}

/* The command with the library's path in place of each {}, or behind it all. */
static bool complete(const char *command, const char *path, char text[REBUILD_TEXT],
                     struct error *error) {
    char word[1024];
    size_t at = 0;
    bool named = strstr(command, "{}") != NULL;
    foreign_text(FOREIGN_SHELL, path, word, sizeof word);
    for (const char *from = command; *from && at < REBUILD_TEXT;) {
        bool here = strncmp(from, "{}", 2) == 0;
        at += (size_t)snprintf(text + at, REBUILD_TEXT - at, "%.*s", here ? 1023 : 1,
                               here ? word : from);
        from += here ? 2 : 1;
    }
    if (!named && at < REBUILD_TEXT)
        at += (size_t)snprintf(text + at, REBUILD_TEXT - at, " -shared -fPIC -o %s", word);
    if (at < REBUILD_TEXT)
        at += (size_t)snprintf(text + at, REBUILD_TEXT - at, " >&2");
    return at < REBUILD_TEXT || error_set(error, "--rebuild wants a shorter command");
}

/* ":SYMBOL,array" of the first implementation that is lib:PATH:SYMBOL,array. */
static const char *symbol_of(const struct implementation *implementations, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strncmp(implementations[i].name, "lib:", 4) != 0)
            continue;
        const char *symbol = strrchr(implementations[i].name + 4, ':');
        const char *comma = strrchr(implementations[i].name, ',');
        return symbol && !strchr(symbol, '/') ? symbol : comma && !strchr(comma, '/') ? comma : "";
    }
    return "";
}

/* Takes a name from before the command, as in "contraction: cc -ffp-contract=off f.c". */
static bool take_name(const char **command, char name[32], struct error *error) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    size_t length = strspn(*command, letters);
    snprintf(name, 32, "rebuilt");
    if (!length || strncmp(*command + length, ": ", 2) != 0)
        return true;
    if (length >= 32)
        return error_set(error, "--rebuild: a name has 31 letters at most: %.100s", *command);
    snprintf(name, 32, "%.*s", (int)length, *command);
    *command += length + 2;
    return !hypothesis_is_name(name) ||
           error_set(error, "--rebuild: %s is the name of another hypothesis", name);
}

static bool make_one(struct rebuilds *rebuilds, const char *command, const char *symbol,
                     const struct foreign_settings *foreign, struct error *error) {
    char text[REBUILD_TEXT], path[512], name[768];
    struct implementation *made = &rebuilds->implementations[rebuilds->count];
    path_of(rebuilds, rebuilds->count, path);
    if (!take_name(&command, rebuilds->names[rebuilds->count], error))
        return false;
    if (!complete(command, path, text, error))
        return false;
    struct error why;
    if (!command_is_there(command, &why))
        return error_set(error, "--rebuild: %.400s: %.300s", command, why.text);
    fflush(NULL);
    int status = system(text);
    if (status != 0 || access(path, R_OK) != 0)
        return error_set(error, "--rebuild: %.400s: %s", command,
                         status ? "the command fails" : "the command writes no library");
    snprintf(name, sizeof name, "lib:%s%s", path, symbol);
    rebuilds->count++; /* so that the file is removed */
    if (!implementation_open(made, name, foreign, error))
        return false;
    snprintf(made->detail, sizeof made->detail, "is what this builds: %s", command);
    return true;
}

bool rebuilds_make(struct rebuilds *rebuilds, const struct arguments *arguments,
                   const struct implementation *implementations, size_t implementation_count,
                   const struct foreign_settings *foreign, struct error *error) {
    const char *symbol = symbol_of(implementations, implementation_count);
    for (size_t i = 0; i < arguments->given_count; i++) {
        if (strcmp(arguments->given[i].option->name, "rebuild") != 0)
            continue;
        if (rebuilds->count == REBUILD_MOST)
            return error_set(error, "--rebuild can be given %d times", REBUILD_MOST);
        if (!*rebuilds->folder && !make_folder(rebuilds, error))
            return false;
        if (!make_one(rebuilds, arguments->given[i].value, symbol, foreign, error))
            return false;
    }
    return true;
}

void rebuilds_free(struct rebuilds *rebuilds) {
    char path[512];
    if (!*rebuilds->folder)
        return;
    for (size_t i = 0; i < REBUILD_MOST; i++) {
        path_of(rebuilds, i, path);
        unlink(path);
    }
    rmdir(rebuilds->folder);
}
