/* A small process that ends the workers of a detcheck that was ended before it could do so (kill
 * -9): workers that hang do not read, and so do not notice that nobody writes any more.
 *
 * The keeper is told of the process groups of the workers, and waits for its pipe to be closed,
 * which the end of detcheck does, however it came. Without a keeper, where the system has no room
 * for another process, all works as well, but for that. */
#ifndef DETCHECK_IMPL_REMOTE_KEEPER_H
#define DETCHECK_IMPL_REMOTE_KEEPER_H

#include <sys/types.h>

/* The group has a worker. By one thread at a time; starts the keeper, the first time. */
void keeper_add(pid_t group);

/* The group has been ended, and its leader not yet waited for: the number is not yet another's. */
void keeper_remove(pid_t group);

#endif
