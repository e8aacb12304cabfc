/* What ends the program before its time: the user, a crash, a library that exits. */
#ifndef DETCHECK_CMD_SIGNALS_H
#define DETCHECK_CMD_SIGNALS_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>

/* Set by the first Ctrl-C (and SIGTERM, SIGHUP); the second one ends the process. */
extern volatile sig_atomic_t interrupted;

/* Handles signals, and an exit that is not the program's own, from now on. Where DETCHECK_PARENT is the
 * number of the parent process, the end of that is a SIGTERM (on Linux; elsewhere it is looked at now);
 * false with an error where it is no such number. */
bool signals_set(struct error *error);

/* Whether from now on the first signal does no more than set `interrupted`: the command looks at
 * that, shows what is done, and ends by itself and its workers. Else, as at the start, the signal
 * ends the process at once, with EXIT_INTERRUPTED; no output is ever half there. That is for as
 * long as a file is read: a pipe that nobody writes to has no end, and a signal that comes just
 * before the call that waits for it would not end that call. Returns what held before. */
bool signals_leave_to_command(bool leave);

/* Around the printing of what is done with: nothing is lost where the signal ends the process meanwhile, and a
 * reader that takes no more cannot keep it. Where one came before, that is left to the command. Returns what
 * `signals_end_printing` wants. */
bool signals_begin_printing(void);
void signals_end_printing(bool before);

/* From now on SIGUSR1 sets what is pointed to, and no longer ends the process. */
volatile sig_atomic_t *signals_ask_for_checkpoints(void);

/* The program is about to end by itself. */
void signals_end(void);

#endif
