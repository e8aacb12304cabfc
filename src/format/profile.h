/* Profiles: what a conversion makes of numbers that its target does not hold, as data.
 *
 * They differ in overflow, infinity, NaN and, for the format of scales, zero, negative numbers and
 * the rounding where the user asks for none, which is to nearest-even elsewhere but for integers; for
 * blocks, in how the scale is found. A row has rules for casts, for blocks or for both, and cites what it
 * reproduces. */
#ifndef DETCHECK_FORMAT_PROFILE_H
#define DETCHECK_FORMAT_PROFILE_H

#include "format/format.h"

enum outcome {
    OUTCOME_INFINITY, /* of the source's sign, as all of these but the positive ones */
    OUTCOME_LARGEST,
    OUTCOME_POSITIVE_LARGEST,
    OUTCOME_NAN,        /* the canonical one; what stands for it where there is none */
    OUTCOME_SIGNED_NAN, /* the same with the sign bit flipped for a negative source */
    OUTCOME_SMALLEST,   /* of a format of scales */
    /* Of integers. */
    OUTCOME_ZERO,
    OUTCOME_LEAST,
    OUTCOME_INDEFINITE, /* of integers with a sign the least, of others all ones */
    OUTCOME_PTX,        /* 0; of 64 bits, or from fp64, the top bit alone */
    OUTCOME_OPEN        /* the source has no result */
};

/* Which integers a conversion holds before it takes the low bits of its target. */
enum held_integers {
    HELD_OWN,      /* those of the target */
    HELD_REGISTER, /* of 32 bits at least, with a sign or without as the target has */
    HELD_X86,      /* signed: of 32 bits, and of 64 for uint32 and int64 */
    HELD_ALL
};

/* Targets that have rules in common. */
enum target_kind {
    TARGET_WIDE,   /* with infinity, 16 bits or more */
    TARGET_NARROW, /* with infinity, fewer bits */
    TARGET_FN,     /* NaN, but no infinity */
    TARGET_FNUZ,   /* and no -0 */
    TARGET_FINITE, /* neither infinity nor NaN */
    TARGET_SCALE,  /* neither sign nor zero */
    TARGET_INTEGER,
    TARGET_KINDS
};

struct target_rules {
    /* For: a finite number that is rounded beyond the largest, away from zero; infinity; NaN; and
     * of a scale zero, a number below its smallest, a finite number below 0. */
    enum outcome overflow, infinity, nan, zero, underflow, negative;
    enum rounding rounding;  /* where the user asks for none */
    enum held_integers held; /* `overflow` is of what is not */
};

/* The scale of a block (format/block.h) whose largest magnitude is m: a power of two. The largest
 * element is the largest number of the elements' format, and `top` the largest power of two in it.
 */
enum block_scale {
    BLOCK_SCALE_NONE,    /* the profile says nothing of blocks */
    BLOCK_SCALE_FLOOR,   /* the power of two at or below m, over top */
    BLOCK_SCALE_CEIL,    /* the power of two at or above m, over top */
    BLOCK_SCALE_EVEN,    /* floor of an m rounded first (ties up) to the precision of an element */
    BLOCK_SCALE_UP,      /* the power of two at or above m over the largest element */
    BLOCK_SCALE_PRODUCT, /* the same of a rounded quotient: m times the reciprocal, both in fp32 */
    BLOCK_SCALE_LOGARITHM, /* 2 to the logarithm of m over the largest element, both in fp32, rounded up */
};

struct block_rules {
    enum block_scale scale;
    const char *targets;     /* that the source speaks of, separated by spaces; NULL: all */
    bool nan_is_an_element;  /* NaN does not count for m; else it makes the scale NaN */
    bool infinity_saturates; /* infinity makes the scale the largest; else NaN */
    bool symmetric;          /* elements of mxint8 end at -127 */
    bool zero_is_normal;     /* a block of zeros has the scale of one whose m is 2^-126 */
    bool least_is_one;       /* numbers of a block of the smallest scale are divided by 1 */
    bool infinity_is_power;  /* infinity, and an m that rounds to it, count as 2^128 */
    bool least_is_normal;    /* numbers of a block of the smallest scale are divided by 2^-126 */
};

struct profile {
    const char *name;
    const char *summary;
    const char *source;  /* what it reproduces */
    const char *targets; /* that the source speaks of, separated by spaces; NULL: all */
    bool strict_nan;     /* the source tells which NaN */
    struct target_rules rules[TARGET_KINDS];
    struct block_rules blocks;
};

enum { PROFILE_IEEE }; /* the first */
extern const struct profile profiles[];
extern const size_t profile_count;

/* Their names in order, then NULL. */
extern const char *const profile_names[];

enum target_kind target_kind_of(const struct format *format);

/* Whether the profile has rules for the target, which may be a format of elements of blocks; else
 * an error that names those that it has. */
bool profile_covers(const struct profile *profile, const struct format *target,
                    struct error *error);

/* The rounding of a conversion to the target where the user asks for none. */
enum rounding profile_rounding(const struct profile *profile, const struct format *target);

/* The code that an outcome is in the target, for a source of that sign; of OUTCOME_PTX and OUTCOME_OPEN
 * format/cast.h has more to say. */
uint64_t outcome_code(enum outcome outcome, const struct format *target, bool negative);

#endif
