/* Between verify.c, which runs implementations against vectors, and verify_output.c, which says
 * what came of it. */
#ifndef DETCHECK_CMD_VERIFY_OUTPUT_H
#define DETCHECK_CMD_VERIFY_OUTPUT_H

#include "vector/verify.h"

#include <cjson/cJSON.h>

/* What came of a group of the file at `path`, to stdout: a line, and the first mismatches. */
void verify_print_outcome(const char *path, const struct vector_group *group,
                          const struct implementation *implementation,
                          const struct verify_outcome *outcome);

/* Two lines below tests of det's bits that passed: what vectors cannot show, and which command shows it. The request
 * is that of a group which was run. */
void verify_print_limits(const struct binding_request *computed);

/* An outcome as a member of "results" (detcheck-verify(1)). */
void verify_add_outcome(cJSON *results, const char *path, const struct vector_group *group,
                        const struct implementation *implementation,
                        const struct verify_outcome *outcome);

#endif
