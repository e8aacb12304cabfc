/* What the terminal at the other end takes. */
#ifndef DETCHECK_CMD_TERMINAL_H
#define DETCHECK_CMD_TERMINAL_H

#include <stdbool.h>

/* Whether the descriptor is a terminal that obeys escape sequences (TERM is not "dumb"). */
bool terminal_obeys(int descriptor);

/* The same, and the user wants colours (NO_COLOR). */
bool terminal_has_colours(int descriptor);

/* Characters in a line; 80 where the terminal does not say. */
int terminal_columns(int descriptor);

#endif
