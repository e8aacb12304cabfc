/* Where a function runs along a line so closely that no rounding can tell them apart, and on which
 * side of it: sin x just below x, tanh x just below 1, e^x just above 0.
 *
 * A polynomial with an error bound cannot decide there whether a result is exact, or which way a
 * directed rounding goes; a strict inequality can. Each row states, for low < x < high,
 *   1. that f(x) lies strictly on the given side of the line constant + slope x, and
 *   2. that the distance |f(x) - line| is monotone in x.
 * So two evaluations by MPFR, at the ends of a block, bound the distance in all of it. A row with
 * constant = infinity states that f is finite and monotone, to be used where both ends lie beyond
 * the largest number; one that is EXACT that f is the constant itself (NaN too). */
#ifndef DETCHECK_OP_FUNCTION_FLAT_H
#define DETCHECK_OP_FUNCTION_FLAT_H

enum flat_side {
    FLAT_END,     /* no row */
    FLAT_ABOVE,   /* f(x) > line */
    FLAT_BELOW,   /* f(x) < line */
    FLAT_OUTWARD, /* |f(x)| > |line|, same sign */
    FLAT_INWARD,  /* |f(x)| < |line|, same sign */
    FLAT_EXACT,
    FLAT_ALTERNATING /* far below any rounding; NaN at integers, else positive where floor(x) is
                        even */
};

struct flat {
    double low, high;
    double slope, constant;
    enum flat_side side;
};

/* The rows of each function, in flat.c with their reasons. */
extern const struct flat flats_exp[], flats_expm1[], flats_base_m1[], flats_log1p[], flats_sin[],
    flats_cos[], flats_sinpi[], flats_atanpi[], flats_cospi[], flats_tan[], flats_asin[],
    flats_acospi[], flats_atan[], flats_sinh[], flats_cosh[], flats_tanh[], flats_asinh[],
    flats_atanh[], flats_erf[], flats_erfc[], flats_tgamma[], flats_lgamma[], flats_recip[],
    flats_sigmoid[], flats_softplus[], flats_logsigmoid[], flats_gate[], flats_mish[],
    flats_left_nan[], flats_left_of_minus_one_nan[], flats_acosh[], flats_beyond_one_nan[];

#endif
