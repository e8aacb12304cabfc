/* `detcheck trace replay`. */
#ifndef DETCHECK_CMD_TRACE_REPLAY_H
#define DETCHECK_CMD_TRACE_REPLAY_H

#include "command.h"

/* Computes recorded operations again, and returns the exit code. */
int trace_run_replay(const struct arguments *arguments);

#endif
