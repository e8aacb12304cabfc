/* Causes that two conversions may differ for, each a row that predicts a side's bits from the input alone. But for the
 * profiles, a row speaks of one kind of input, such as NaN, or of one thing that is done there, so that two causes do not
 * speak against one another. */
#ifndef DETCHECK_EXPLAIN_CONVERSION_H
#define DETCHECK_EXPLAIN_CONVERSION_H

#include "explain/hypothesis.h"
#include "format/cast.h"

/* Row number `index` of those about conversions; they end with those about both sides. */
struct hypothesis conversion_hypothesis(size_t index);
extern const size_t conversion_hypothesis_count;

/* Whether the row can say anything of the conversion that is asked for. */
bool conversion_applies(const struct hypothesis *row, const struct cast *cast);

/* What is known of an input before a row is asked. */
struct converted {
    const struct cast *cast;
    uint64_t code, random;
    struct real value;
    uint64_t asked; /* what it is converted to by what is asked for */
};

/* What the row has the side give, which gives `own`; false where it says nothing of the input. */
bool conversion_predict(const struct hypothesis *row, const struct converted *input, uint64_t own,
                        uint64_t *predicted);

/* Whether the prediction is right: of NaN to the bit where the row tells which. */
static inline bool conversion_is_same(const struct hypothesis *row, const struct format *format,
                                      uint64_t a, uint64_t b) {
    return row->tells_nan ? a == b : hypothesis_same(format, a, b);
}

#endif
