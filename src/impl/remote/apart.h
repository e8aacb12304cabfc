/* An implementation that runs in this process, run in a process of its own instead: one of detcheck,
 * which speaks the protocol of detcheck-exec(7) and can be asked for conditions. So it can be called
 * for the first time again and again, under another environment, or on another processor. */
#ifndef DETCHECK_IMPL_REMOTE_APART_H
#define DETCHECK_IMPL_REMOTE_APART_H

#include "impl/implementation.h"

/* Opens by name, as implementation_open does, for a process of its own; exec: has one anyway. False,
 * with the reason, where the implementation does not exist or cannot be run so. */
bool implementation_open_apart(struct implementation *implementation, const char *name,
                               const struct foreign_settings *foreign, struct error *error);

/* Has a new process compute what comes next. The binding is one of an implementation that was opened
 * so. */
void binding_renew(struct binding *binding);

/* The first word of the command line of such a process, which the program's main hands to
 * apart_worker. It is no command for users. */
#define APART_WORKER "implementation-worker"

/* words: the program, APART_WORKER, the implementation's name, MiB of memory or 0. */
int apart_worker(int count, char **words);

#endif
