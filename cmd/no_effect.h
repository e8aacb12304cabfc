/* Options that would do nothing are refused, so that no one believes that they did. */
#ifndef DETCHECK_CMD_NO_EFFECT_H
#define DETCHECK_CMD_NO_EFFECT_H

#include "command.h"

/* False, with an error that says what is missing or in the way, where an option of the command line
 * has no effect beside the others. */
bool options_have_effect(const struct command *command, const struct arguments *arguments,
                         struct error *error);

#endif
