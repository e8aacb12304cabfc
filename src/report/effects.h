/* Exception flags and errno in reports: as JSON, in words, and merged. */
#ifndef DETCHECK_REPORT_EFFECTS_H
#define DETCHECK_REPORT_EFFECTS_H

#include "sweep/sweep.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* What calls are judged by, as members of "parameters" that have the names of options. None where
 * neither flags nor errno are asked for. */
void report_add_flag_rules(cJSON *parameters, const struct sweep_request *request);

/* "flags" and "errno" of an implementation, where they are asked for. Calls have them, not results:
 * they stand with the first result. */
void report_add_effects(cJSON *object, const struct sweep_request *request,
                        const struct implementation_outcome *outcome);

/* Adds what the same implementation did in another shard. */
void merge_effects(cJSON *into, const cJSON *shard);

/* The same in words: below an implementation, or below its row of a table, where a line for each
 * fault is all there is. */
void effects_print(FILE *stream, const struct sweep_request *request,
                   const struct implementation_outcome *outcome, bool colour);
void effects_print_counts(FILE *stream, const struct sweep_request *request,
                          const struct implementation_outcome *outcome, bool colour);

#endif
