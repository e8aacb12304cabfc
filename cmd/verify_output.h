/* Between verify.c, which runs implementations against vectors, and verify_output.c, which says
 * what came of it. */
#ifndef DETCHECK_CMD_VERIFY_OUTPUT_H
#define DETCHECK_CMD_VERIFY_OUTPUT_H

#include "vector/verify.h"

#include <cjson/cJSON.h>

/* What came of a group of the file at `path`, to stdout: a line, and the first mismatches. With `groups` above 1 the line says
 * it of so many groups that pass, of which the outcome is the sum (verify_folds.h). */
void verify_print_outcome(const char *path, const struct vector_group *group,
                          const struct implementation *implementation,
                          const struct verify_outcome *outcome, size_t groups);

/* Groups of det's bits that were run, each once, and the implementation that is to be proved: the first that is not det,
 * or NULL where det alone was run. */
struct verify_port {
    const struct binding_request **groups;
    size_t count;
    const char *implementation;
};

/* Below tests of det's bits that all passed, to stdout: what vectors do not show, and which commands do. */
void verify_print_limits(const struct verify_port *port);

/* An outcome as a member of "results" (detcheck-verify(1)). */
void verify_add_outcome(cJSON *results, const char *path, const struct vector_group *group,
                        const struct implementation *implementation,
                        const struct verify_outcome *outcome);

#endif
