/* Whether the system has room for threads: OpenMP ends the program where it has not. */
#ifndef DETCHECK_PLATFORM_THREADS_H
#define DETCHECK_PLATFORM_THREADS_H

#include "base/error.h"

#include <stdbool.h>

/* To be asked before a parallel region of so many threads, this one among them: starts them once,
 * all at a time. False with an error where the system refuses one. */
bool threads_can_start(int count, struct error *error);

#endif
