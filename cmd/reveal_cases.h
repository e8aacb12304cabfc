/* `detcheck reveal --cases`: which matrix units, and which models of one, give the results that a file has. */
#ifndef DETCHECK_CMD_REVEAL_CASES_H
#define DETCHECK_CMD_REVEAL_CASES_H

#include "command.h"

/* Runs it; returns the exit code. */
int reveal_cases(const struct arguments *arguments);

#endif
