/* Slices that take long: a thread beside those of a sweep looks at them now and then, since the one
 * that is in a long call can say nothing. */
#ifndef DETCHECK_SWEEP_SLOW_H
#define DETCHECK_SWEEP_SLOW_H

#include "sweep/sweep.h"

struct slow_watch;

/* NULL where nobody wants to be told, and where there is no memory or no thread: a sweep does not
 * depend on it. */
struct slow_watch *slow_watch_begin(const struct sweep_request *request, int threads);

/* Thread number `thread` begins a slice with that input, or has ended one. NULL does nothing. */
void slow_watch_enter(struct slow_watch *watch, int thread, uint64_t first);
void slow_watch_leave(struct slow_watch *watch, int thread);

void slow_watch_end(struct slow_watch *watch);

#endif
