/* What ends the program before its time: the user, a crash, a library that exits. */
#ifndef DETCHECK_CMD_SIGNALS_H
#define DETCHECK_CMD_SIGNALS_H

#include <signal.h>

/* Set by the first Ctrl-C (and SIGTERM, SIGHUP); the second one ends the process. */
extern volatile sig_atomic_t interrupted;

/* Handles signals, and an exit that is not the program's own, from now on. */
void signals_set(void);

/* From now on the first signal does no more than set `interrupted`: the command looks at that and
 * ends by itself. Without this it ends the process at once, with EXIT_INTERRUPTED; no output is
 * ever half there. */
void signals_leave_to_command(void);

/* The program is about to end by itself. */
void signals_end(void);

#endif
