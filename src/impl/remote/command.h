/* Commands of the shell, before they are run. */
#ifndef DETCHECK_IMPL_REMOTE_COMMAND_H
#define DETCHECK_IMPL_REMOTE_COMMAND_H

#include "base/error.h"

#include <stdbool.h>

/* Whether the program that a command begins with is there, as far as that can be told: false, with the
 * reason, of one plain word that names none. Words that the shell knows by itself are no programs. */
bool command_is_there(const char *command, struct error *why);

#endif
