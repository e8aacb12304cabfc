/* Looking for programs as the shell does. */
#include "impl/remote/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORD = 1024 };

static bool is_of_shell(const char *word) {
    static const char *const words[] = {".",     "cd",    "command", "eval",   "exec", "export",
                                        "if",    "for",   "set",     "source", "trap", "ulimit",
                                        "umask", "unset", "until",   "while",  "case"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        found = found || strcmp(word, words[i]) == 0;
    return found;
}

static bool is_in_path(const char *word) {
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; at; at = strchr(at, ':')) {
        char file[2 * MOST_WORD];
        at += *at == ':';
        int length = (int)strcspn(at, ":");
        if (snprintf(file, sizeof file, "%.*s/%s", length, length ? at : ".", word) <
                (int)sizeof file &&
            access(file, X_OK) == 0)
            return true;
    }
    return false;
}

bool command_is_there(const char *command, struct error *why) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
    char word[MOST_WORD];
    size_t length = strspn(command, plain);
    if (!length || length >= sizeof word || (command[length] && command[length] != ' '))
        return true;
    memcpy(word, command, length);
    word[length] = '\0';
    bool is_path = strchr(word, '/') != NULL;
    if (is_path ? access(word, X_OK) == 0 : is_of_shell(word) || is_in_path(word))
        return true;
    return error_set(
        why, is_path ? "there is no program %.300s" : "there is no program %.300s in PATH", word);
}
