/* Names of conditions, and which of them are asked for. */
#include "impl/conditions.h"

const char *const condition_names[CONDITIONS] = {
    "length", "offset", "stride",    "in-place", "threads",   "rounding", "flushing",
    "flags",  "traps",  "by-number", "around",   "precision", "left"};

unsigned conditions_asked(const struct conditions *conditions) {
    return (unsigned)(conditions->length > 0) << CONDITION_LENGTH |
           (unsigned)(conditions->offset || conditions->result_offset) << CONDITION_OFFSET |
           (unsigned)(conditions->stride > 1) << CONDITION_STRIDE |
           (unsigned)conditions->in_place << CONDITION_IN_PLACE |
           (unsigned)(conditions->threads > 1) << CONDITION_THREADS |
           (unsigned)(conditions->rounding != ROUND_NEAREST_EVEN) << CONDITION_ROUNDING |
           (unsigned)(conditions->flush_results || conditions->flush_operands)
               << CONDITION_FLUSHING |
           (unsigned)conditions->flags_set << CONDITION_FLAGS |
           (unsigned)conditions->traps << CONDITION_TRAPS |
           (unsigned)conditions->by_number << CONDITION_BY_NUMBER |
           (unsigned)conditions->has_around << CONDITION_AROUND |
           (unsigned)(conditions->x87_bits != 0) << CONDITION_PRECISION;
}

uint64_t conditions_one(const struct format *format) {
    const struct real one = real_from_double(1);
    return format_encode(format, &one, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}
