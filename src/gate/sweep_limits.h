/* The limits of a policy held against what a sweep has just found, as a gate holds them against its report:
 * sweep --policy. */
#ifndef DETCHECK_GATE_SWEEP_LIMITS_H
#define DETCHECK_GATE_SWEEP_LIMITS_H

#include "gate/gate.h"

#include <stdio.h>

struct sweep_limits {
    struct read_report report; /* what the gate's cases are of */
    struct gate gate;
};

/* Judges entries `first` and later of the array `results` of a report under way, adds "limits" to their
 * implementations (report/limits.h), and keeps the checks, which are to be freed in any case. `part`: of a
 * shard, so that averages and fingerprints are not judged. The policy has its indices. False with an error
 * where a limit cannot be held against anything. */
bool sweep_limits_judge(struct sweep_limits *limits, struct policy *policy, cJSON *results,
                        int first, bool part, struct error *error);
void sweep_limits_free(struct sweep_limits *limits);

/* The checks in words, but for max_violations, which the promise tells: all, or those that failed. */
void sweep_limits_print(FILE *stream, const struct sweep_limits *limits, bool all, bool colour);

#endif
