/* Ways in which an exact result is rounded, once or wrongly, each a row that hypotheses ask about. */
#ifndef DETCHECK_EXPLAIN_ROUNDINGS_H
#define DETCHECK_EXPLAIN_ROUNDINGS_H

#include "op/parameters.h"

/* The roundings of enum rounding come first: those of P3109 beyond ROUNDING_COUNT where `parameters` are asked for. */
enum truth_code {
    TRUTH_AWAY_FROM_ZERO = ROUNDING_NAMES,
    TRUTH_TOWARD_ZERO_BY_FP64, /* to nearest-even in fp64, and then that way */
    TRUTH_NEAREST_ODD,         /* ties to the odd neighbour */
    TRUTH_NEAREST_ZERO,        /* ties toward zero */
    TRUTH_BY_FP16,             /* to that, and then as the request says */
    TRUTH_BY_BF16,
    TRUTH_BY_FP32,
    TRUTH_BY_FP64,
    TRUTH_BY_FP32_AND_FP16, /* to one, to the other, and then as the request says */
    TRUTH_BY_FP32_AND_BF16,
    TRUTH_BY_X87,                  /* to 64 bits */
    TRUTH_BY_OWN_BITS,             /* to the format's own number of bits, whatever the exponent */
    TRUTH_BY_FP64_WHERE_SUBNORMAL, /* else as it should be */
    TRUTH_CUT_BEHIND_1_BIT, /* cut off behind so many bits more than the format has, then to nearest */
    TRUTH_CUT_BEHIND_2_BITS,
    TRUTH_CUT_BEHIND_3_BITS,
    TRUTH_CUT_BEHIND_HALF_WHERE_SUBNORMAL, /* cut off behind half a unit of the last place, else as it should be */
    TRUTH_SATURATED, /* as asked, but saturated by the modes of P3109, in the order of enum overflow */
    TRUTH_SATURATED_MODES = TRUTH_SATURATED + OVERFLOW_PROPAGATE,
    TRUTH_STEPS_BY_X87, /* of fma: product and sum to 64 bits each; of others as it should be */
    TRUTH_UNDIVIDED, /* of a result with --result-scale: not divided; of others as it should be */
    TRUTH_OVERFLOW_TO_LARGEST, /* of a finite result beyond the largest number; of others as it should be */
    TRUTH_OVERFLOW_TO_INFINITY,
    TRUTH_OVERFLOW_TIE_TO_LARGEST, /* of the midpoint beyond the largest number, to nearest-even; of others as it should be */
    TRUTH_CODES
};

/* What is asked for. */
struct asked_rounding {
    const struct format *format;
    enum rounding rounding;
    enum overflow overflow;
    /* NULL, or of operands or results in formats of P3109: their saturation mode and random bits, of the input with
     * that number. */
    const struct parameters *parameters;
    uint64_t index;
};

/* The codes of an exact result by all of them. */
void round_in_all_ways(const struct asked_rounding *asked, const struct real *y,
                       uint64_t codes[TRUTH_CODES]);

/* Whether a finite value lies in the middle of two numbers of the format, of which `low` is the magnitude toward zero. */
bool is_halfway(const struct format *format, const struct real *value, uint64_t low);

/* The same of a normal number in fp32, by where it lies above the number next to it toward zero: anywhere between two
 * rests, in 2^-29 units of the last place. False where that is too near a place where a rounding on the way changes. */
bool round_by_rests(enum rounding rounding, uint32_t toward_zero, uint64_t least, uint64_t most,
                    uint64_t codes[TRUTH_CODES]);

/* And by the formats that are narrower than fp32, of a result between that number and its neighbour, as it is there. */
void round_by_narrower(const struct asked_rounding *asked, uint32_t toward_zero,
                       uint64_t codes[TRUTH_CODES]);

/* x y + z, product and sum rounded to x87's 64 bits each; false where an operand is not finite. */
bool fma_by_x87(const struct asked_rounding *asked, const struct real operands[3], uint64_t *code);

#endif
