/* Exception flags and errno in reports: as JSON, in words, and merged. */
#ifndef DETCHECK_REPORT_EFFECTS_H
#define DETCHECK_REPORT_EFFECTS_H

#include "base/json.h"
#include "sweep/effects_record.h"
#include "sweep/sweep.h"

#include <cjson/cJSON.h>
#include <stdio.h>

struct shape_list;

/* What calls are judged by, as members of "parameters" that have the names of options. None where
 * neither flags nor errno are asked for. */
void report_add_flag_rules(cJSON *parameters, const struct sweep_request *request);

/* "flags" and "errno" of an implementation, where they are asked for. Calls have them, not results:
 * they stand with the first result, whose format that is. */
void report_add_effects(cJSON *object, const struct sweep_request *request,
                        const struct implementation_outcome *outcome, const struct format *format);

/* Adds what the same implementation did in another shard. `shapes` as in document_wire_open. */
bool merge_effects(cJSON *into, const cJSON *shard, const struct shape_list *shapes,
                   struct error *error);

/* What the report of an implementation has of them. */
struct effect_counts {
    bool asked[EFFECT_PARTS], reported[EFFECT_PARTS];
    uint64_t counts[EFFECT_FAULTS][EFFECTS];
};
/* Of an implementation's object; effects of a later version, which have no name here, are left out. */
void effects_read(struct json_reader *reader, const cJSON *implementation,
                  struct effect_counts *counts);

/* What went wrong in that way, in how many calls, by any effect of the part. */
uint64_t effects_faults(const struct effect_counts *counts, enum effect_part part,
                        enum effect_fault fault);

/* The same in words: below an implementation, or below its row of a table, where a line for each
 * fault is all there is. */
void effects_print(FILE *stream, const struct sweep_request *request,
                   const struct implementation_outcome *outcome, bool colour);
void effects_print_counts(FILE *stream, const struct sweep_request *request,
                          const struct implementation_outcome *outcome, bool colour);

#endif
