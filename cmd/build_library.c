/* Running commands that build. */
#include "build_library.h"

#include "base/foreign.h"
#include "impl/remote/command.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMAND_TEXT = 8192, WORD_TEXT = 1024 };

bool build_folder_make(char folder[BUILD_FOLDER], const char *option, struct error *error) {
    const char *parent = getenv("TMPDIR");
    int length =
        snprintf(folder, BUILD_FOLDER, "%s/detcheck-XXXXXX", parent && *parent ? parent : "/tmp");
    if (length > 0 && length < BUILD_FOLDER && mkdtemp(folder))
        return true;
    folder[0] = '\0';
    return error_set(error, "cannot make a folder for --%s in %.200s%s: %s", option,
                     parent && *parent ? parent : "/tmp",
                     parent && *parent ? ", which TMPDIR names" : "", strerror(errno));
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    (void)kind;
    (void)place;
    (void)remove(path);
    return 0;
}

void build_folder_remove(const char *folder) {
    if (*folder) /* commands may make folders there */
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Whether there was room for the whole line. */
static bool complete(const char *command, const char *library, const char *source,
                     char text[COMMAND_TEXT]) {
    char word[WORD_TEXT];
    size_t at = 0;
    bool named = strstr(command, "{}") != NULL;
    foreign_text(FOREIGN_SHELL, library, word, sizeof word);
    for (const char *from = command; *from && at < COMMAND_TEXT;) {
        bool here = strncmp(from, "{}", 2) == 0;
        at += (size_t)snprintf(text + at, COMMAND_TEXT - at, "%.*s", here ? WORD_TEXT - 1 : 1,
                               here ? word : from);
        from += here ? 2 : 1;
    }
    if (!named && at < COMMAND_TEXT)
        at += (size_t)snprintf(text + at, COMMAND_TEXT - at, " -shared -fPIC -o %s", word);
    if (source && at < COMMAND_TEXT)
        at += (size_t)snprintf(text + at, COMMAND_TEXT - at, " %s -lm",
                               foreign_text(FOREIGN_SHELL, source, word, sizeof word));
    if (at < COMMAND_TEXT)
        at += (size_t)snprintf(text + at, COMMAND_TEXT - at, " >&2");
    return at < COMMAND_TEXT;
}

bool build_library(const char *option, const char *command, const char *library, const char *source,
                   struct error *error) {
    char text[COMMAND_TEXT];
    struct error why;
    if (!command[strspn(command, " \t")])
        return error_set(error, "--%s needs a command, such as 'cc -O2'", option);
    if (!complete(command, library, source, text))
        return error_set(error, "--%s needs a shorter command", option);
    if (!command_is_there(command, &why))
        return error_set(error, "--%s: %.400s: %.300s", option, command, why.text);
    fflush(NULL);
    int status = system(text);
    return (status == 0 && access(library, R_OK) == 0) ||
           error_set(error, "--%s: %.400s: %s", option, command,
                     status ? "the command fails" : "the command writes no library");
}
