/* Causes that two implementations may differ for, each a row of a table.
 *
 * A hypothesis about bits says what one side, `this`, gives for an input, from what the other side
 * gives, there or at another input, or from the exact result. A hypothesis about a set says which
 * inputs differ, and nothing of how (explain/where.h). */
#ifndef DETCHECK_EXPLAIN_HYPOTHESIS_H
#define DETCHECK_EXPLAIN_HYPOTHESIS_H

#include "explain/truth.h"

/* What a prediction is made from. */
enum hypothesis_source {
    FROM_RESULT,     /* the other side's result */
    FROM_MOVED,      /* the other side's result at an input that has been changed */
    FROM_TRUTH,      /* the exact result */
    FROM_CONVERSION, /* the input, of a conversion (explain/conversion.h) */
    FROM_REBUILD,    /* a library that --rebuild made: what a side is there */
    FROM_BOTH        /* both sides: no prediction, but a kind of difference */
};

/* What is done to a number. */
enum hypothesis_change {
    CHANGE_NONE,
    CHANGE_FLUSH,         /* a subnormal number becomes a zero of its sign */
    CHANGE_FLUSH_TO_PLUS, /* becomes +0 */
    CHANGE_DOUBLE,        /* a subnormal number becomes twice itself */
    CHANGE_TO_NARROW,     /* is rounded to the row's format and back */
    CHANGE_NAN,           /* of FROM_BOTH: both are NaN */
    CHANGE_ZERO_SIGN      /* both are zero */
};

/* Of a conversion: what a row speaks of. */
enum conversion_aspect {
    ASPECT_NONE,
    ASPECT_PROFILE,           /* all inputs, by a profile */
    ASPECT_CUT_OFF,           /* the same, toward zero */
    ASPECT_ROUNDING,          /* finite numbers that do not overflow */
    ASPECT_SUBNORMAL_RESULTS, /* the same below the smallest normal number */
    ASPECT_RANDOM, /* finite numbers, by random bits that are counted from the other end */
    ASPECT_TWICE,  /* as ASPECT_ROUNDING, by way of a format */
    ASPECT_HALF,   /* the same of integers, by a half that is added in the operand's format */
    ASPECT_PARTS,  /* the same of unsigned integers, by their top bit and the others */
    ASPECT_CARRY,  /* numbers that are rounded up to a power of two */
    ASPECT_BY_INT64,
    ASPECT_OVERFLOW,
    ASPECT_INFINITY,
    ASPECT_NAN,
    ASPECT_FLUSHED_INPUTS,
    ASPECT_FLUSHED_RESULTS
};

struct hypothesis {
    const char *name;
    const char *says;          /* of one side, named before it */
    const char *says_of_casts; /* of places, where that is less */
    enum hypothesis_source source;
    int truth;                            /* enum truth_code */
    enum hypothesis_change input, result; /* to the operands; to the result that comes of it */
    int narrow;                           /* enum format_number of CHANGE_TO_NARROW */
    enum conversion_aspect aspect;        /* of FROM_CONVERSION */
    int value;                            /* of the aspect: which format, rounding, outcome */
    bool tells_nan;                       /* the bits of NaN are part of what it predicts */
};

/* The name of those that a side is a formula, step by step (explain/identity.h); they stand with the rebuilds. */
#define HYPOTHESIS_REWRITTEN "rewritten"
/* Likewise, that a side is libm by the code for processors without FMA (explain/variants.h). */
#define HYPOTHESIS_WITHOUT_FMA "libm-without-fma"

enum { HYPOTHESIS_MOST = 64, REBUILD_MOST = 4 };

enum { HYPOTHESIS_NAN_BITS, HYPOTHESIS_ZERO_SIGNS }; /* the rows of these names */

/* The rows about bits of functions; those of rebuilds last. */
extern const struct hypothesis hypotheses[];
extern const size_t hypothesis_count; /* without rebuilds */

/* Hypotheses about places and calls (explain/where.h, explain/repeat.h), of which there are a name and
 * a sentence. */
enum place {
    PLACE_REPETITION,
    PLACE_POSITION,
    PLACE_NEAR,
    PLACE_INTERVAL,
    PLACE_BEYOND,
    PLACE_MANTISSAS,
    PLACES
};
extern const struct hypothesis place_rows[PLACES];

/* Whether the row can say anything of what is computed. */
bool hypothesis_applies(const struct hypothesis *row, const struct binding_request *computed);

/* The number after the change. */
uint64_t hypothesis_change(const struct format *format, enum hypothesis_change change, int narrow,
                           uint64_t code);

/* Whether two results are the same but for the bits of NaNs. */
static inline bool hypothesis_same(const struct format *format, uint64_t a, uint64_t b) {
    return a == b || (format_is_nan(format, a) && format_is_nan(format, b));
}

#endif
