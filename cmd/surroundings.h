/* What the program needs of whoever starts it. */
#ifndef DETCHECK_CMD_SURROUNDINGS_H
#define DETCHECK_CMD_SURROUNDINGS_H

#include "base/error.h"

#include <stdbool.h>

/* Frames of commands take up to 150 KiB, and MPFR and Arb have some more on top of them. */
enum { LEAST_STACK_KIB = 1024 };

/* Puts /dev/null in the place of stdin and stderr where they are closed. False with an error where stdout
 * is closed, or where the stack is too small for any command. */
bool surroundings_check(struct error *error);

#endif
