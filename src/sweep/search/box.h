/* Where a search looks: boxes of inputs, an interval of consecutive codes of each operand. */
#ifndef DETCHECK_SWEEP_SEARCH_BOX_H
#define DETCHECK_SWEEP_SEARCH_BOX_H

#include "sweep/domain.h"

struct code_interval {
    uint64_t first, count;
};

/* Bits of a code below those of the exponent: a binade has 2^that codes. Codes of compounds (format/compound.h) have no
 * binades; the leading bits of theirs serve, as many as fp32 has of exponent and sign. */
static inline unsigned binade_log2(const struct format *format) {
    enum { LEADING_BITS = 9 };
    if (format_is_plain(format))
        return (unsigned)format->precision - 1;
    return format->width > LEADING_BITS ? format->width - LEADING_BITS : 0;
}

/* Intervals lie within one binade each. */
struct box {
    struct code_interval sides[MAX_OPERANDS];
};

/* The intervals of one operand that a search starts from. */
struct starts {
    struct code_interval *intervals;
    size_t count, capacity;
    size_t
        binades; /* of the intervals, the first ones, are whole binades, or what the set has of them */
};

/* Those of a set of codes: its binades, and around each landmark of the operation intervals that
 * double in length with the distance from it. */
bool starts_make(struct starts *starts, const struct format *format,
                 const struct operation *operation, const struct code_set *set,
                 struct error *error);
void starts_free(struct starts *starts);

/* Whether the sets of the operands have these codes. */
bool sets_have(const struct code_set *sets, int operands, const uint64_t *codes);

/* The codes that lie in one binade and in one run of the set with this code; none where it is not in
 * the set, or not finite. */
struct code_interval interval_around(const struct format *format, const struct code_set *set,
                                     uint64_t code);

#endif
