/* What ends the program before its time: the user, a crash, a library that exits. */
#ifndef DETCHECK_CMD_SIGNALS_H
#define DETCHECK_CMD_SIGNALS_H

#include <signal.h>

/* Set by the first Ctrl-C (and SIGTERM); the second one ends the process. */
extern volatile sig_atomic_t interrupted;

/* Handles signals, and an exit that is not the program's own, from now on. */
void signals_set(void);

/* The program is about to end by itself. */
void signals_end(void);

#endif
