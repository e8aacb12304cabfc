/* Workers that wait for the next binding: what a worker has loaded may take longer than all that it is
 * asked, and a command of several phases binds for each of them.
 *
 * A worker at rest serves another binding of the same command line, variable, build of the command,
 * header and parameters, in turn. There are never more processes than bindings were open at a time:
 * those that have waited longest are ended, and at exit all are. Any thread may call this. */
#ifndef DETCHECK_IMPL_REMOTE_IDLE_H
#define DETCHECK_IMPL_REMOTE_IDLE_H

#include "impl/remote/remote.h"

/* Counts a binding whose workers have `remote->key`, and gives it a worker that waits; false where it
 * has to start one. What such a worker has written meanwhile is not read: it is noticed before the next
 * request, as what is written between two requests of one binding (remote_is_ahead). */
bool idle_take(struct remote *remote);

/* The binding that was counted ends: keeps its worker where that is at rest. The others are left to
 * remote_close, which follows. */
void idle_give(struct remote *remote);

#endif
