/* Commands of the shell, before they are run. */
#ifndef DETCHECK_IMPL_REMOTE_COMMAND_H
#define DETCHECK_IMPL_REMOTE_COMMAND_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the program that a command begins with is there, as far as that can be told: false, with the
 * reason, of one plain word that names none. Words that the shell knows by itself are no programs. */
bool command_is_there(const char *command, struct error *why);

/* The files that the first command of a line names: the program, looked for as the shell does, and each other word
 * that is a plain file. Quotes around a word are left out; what the shell would put in is not known. What follows
 * an operator, as in `worker | tee log`, may be a file that the line writes. */
enum { COMMAND_FILES = 16, COMMAND_PATH = 2048 };
struct command_files {
    size_t count;
    char paths[COMMAND_FILES][COMMAND_PATH];
};
void command_files_find(struct command_files *files, const char *command);

/* The file of a function of Python, "FILE.py:f" or "package.module:f": found beside where detcheck runs, or in
 * PYTHONPATH. Of what is installed none is found, since its file says nothing of the library that it calls. */
void command_module_find(struct command_files *files, const char *function);

#endif
