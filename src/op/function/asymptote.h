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
#ifndef DETCHECK_OP_FUNCTION_ASYMPTOTE_H
#define DETCHECK_OP_FUNCTION_ASYMPTOTE_H

enum asymptote_side {
    ASYMPTOTE_END,     /* no row */
    ASYMPTOTE_ABOVE,   /* f(x) > line */
    ASYMPTOTE_BELOW,   /* f(x) < line */
    ASYMPTOTE_OUTWARD, /* |f(x)| > |line|, same sign */
    ASYMPTOTE_INWARD,  /* |f(x)| < |line|, same sign */
    ASYMPTOTE_EXACT,
    ASYMPTOTE_ALTERNATING /* far below any rounding; NaN at integers, else positive where floor(x) is
                        even */
};

struct asymptote {
    double low, high;
    double slope, constant;
    enum asymptote_side side;
    int most_precision; /* true only of formats with that many significant bits at most; 0: of all */
};

#endif
