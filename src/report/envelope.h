/* "envelope" of an implementation's entry: the signed error in steps of the inputs (sweep/envelope.h). */
#ifndef DETCHECK_REPORT_ENVELOPE_H
#define DETCHECK_REPORT_ENVELOPE_H

#include "report/inputs_record.h"
#include "sweep/sweep.h"

#include <cjson/cJSON.h>

/* Adds that of a shard, or of inputs beside. `inputs` are those of both together, in `format`. Where one of
 * the two has none, none is left. */
bool merge_envelope(cJSON *into, const cJSON *shard, const struct inputs_facts *inputs,
                    const char *format, struct error *error);

#endif
