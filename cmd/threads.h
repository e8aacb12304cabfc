/* The threads that a command works with. */
#ifndef DETCHECK_CMD_THREADS_H
#define DETCHECK_CMD_THREADS_H

#include "command.h"

/* --threads, 1 to 256, or as many as there are processors; started. */
bool threads_given(const struct arguments *arguments, int *threads, struct error *error);

/* Starts as many threads, which wait. Does not return where the system refuses one: that is told,
 * and the program ends with exit 2. */
void threads_start(int threads);

/* The descriptor of stderr, which threads_start puts elsewhere while it runs; for a handler of
 * signals. */
int threads_stderr(void);

/* From a handler of exits: where it was threads_start that OpenMP's library ended, tells so and
 * ends the process with exit 2. */
void threads_tell_refused(void);

#endif
