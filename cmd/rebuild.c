/* Running the commands of --rebuild in a folder of their own. */
#include "rebuild.h"

#include "explain/names.h"

#include <stdio.h>
#include <string.h>

static void path_of(const struct rebuilds *rebuilds, size_t number, char path[512]) {
    snprintf(path, 512, "%s/rebuilt%zu.so", rebuilds->folder, number);
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
           error_set(
               error,
               "--rebuild: %s is already the name of a hypothesis of detcheck; choose another",
               name);
}

static bool make_one(struct rebuilds *rebuilds, const char *command, const char *symbol,
                     const struct foreign_settings *foreign, struct error *error) {
    char path[512], name[768];
    struct implementation *made = &rebuilds->implementations[rebuilds->count];
    path_of(rebuilds, rebuilds->count, path);
    if (!take_name(&command, rebuilds->names[rebuilds->count], error))
        return false;
    if (!build_library("rebuild", command, path, NULL, error))
        return false;
    rebuilds->count++;
    snprintf(name, sizeof name, "lib:%s%s", path, symbol);
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
        if (!*rebuilds->folder && !build_folder_make(rebuilds->folder, "rebuild", error))
            return false;
        if (!make_one(rebuilds, arguments->given[i].value, symbol, foreign, error))
            return false;
    }
    return true;
}

void rebuilds_free(struct rebuilds *rebuilds) {
    build_folder_remove(rebuilds->folder);
}
