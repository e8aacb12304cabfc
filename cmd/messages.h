/* What the program says on stderr. */
#ifndef DETCHECK_CMD_MESSAGES_H
#define DETCHECK_CMD_MESSAGES_H

#include "base/error.h"

/* Why nothing was tested, where no input is a call of C, or none has a result by the profile. */
#define NO_CALL(OPERATION)                                                                         \
    ((OPERATION)->converts ? "the profile leaves the results of all inputs undefined"              \
                           : "no input has an integer where C's function takes one")

/* Exit codes (ARCHITECTURE.md, "Results, notes, exit codes"). */
enum { EXIT_OK = 0, EXIT_JUDGED_BAD = 1, EXIT_TROUBLE = 2, EXIT_INTERRUPTED = 130 };

/* Prints "detcheck: LINE", and returns EXIT_TROUBLE. Once the user has interrupted the program,
 * that is what any trouble comes from: the line says so, and EXIT_INTERRUPTED is returned. */
int trouble(const struct error *error);

/* A line that is not an error; nothing when it is empty. */
void remark(const char *kind, const struct error *line);

#endif
