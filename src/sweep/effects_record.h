/* The rows of what calls did to flags and to errno (record/record.h). */
#ifndef DETCHECK_SWEEP_EFFECTS_RECORD_H
#define DETCHECK_SWEEP_EFFECTS_RECORD_H

#include "record/record.h"
#include "sweep/effects.h"

/* Of a struct effect_tally, the calls and what was wrong in one of the parts. Of a report that nobody merges only
 * the counts are read. */
extern const struct record effect_records[EFFECT_PARTS];

/* The members of an implementation, "flags" and "errno", and what an effect is called there: "flag", "errno". */
extern const char *const effect_part_names[EFFECT_PARTS];
extern const char *const effect_item_names[EFFECT_PARTS];

/* The effects of a set that belong to the part. */
uint8_t effects_of_part(uint8_t effects, enum effect_part part);

#endif
