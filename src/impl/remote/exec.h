/* `exec:COMMAND`: a process that speaks the protocol of detcheck-exec(7) on its stdin and stdout.
 * The shell runs the command, once for each thread and implementation, and anew where it ended
 * before it should; one process may serve several bindings in turn (impl/remote/idle.h). */
#ifndef DETCHECK_IMPL_REMOTE_EXEC_H
#define DETCHECK_IMPL_REMOTE_EXEC_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_exec;

/* `exec-text:COMMAND`: a command that a process between turns requests into lines for (impl/remote/exec_text.h). */
extern const struct implementation_kind implementation_exec_text;

/* `py:MODULE:FUNCTION`: such a process too, the worker of the Python package detcheck (src/python). */
extern const struct implementation_kind implementation_python;

/* Has a new process compute what comes next. */
void exec_renew(struct binding *binding);

#endif
