/* No output takes the place of what the command reads, or of another output. */
#ifndef DETCHECK_CMD_FILES_H
#define DETCHECK_CMD_FILES_H

#include "command.h"

/* Holds every file that the command line has written against every one that it has read, by what
 * their paths lead to: options and arguments by the kinds of their rows, and what the names of
 * implementations lead to. False where one file would be written and read, or written twice. */
bool files_check(const struct command *command, const struct arguments *arguments,
                 struct error *error);

#endif
