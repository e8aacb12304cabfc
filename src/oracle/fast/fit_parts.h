/* The inside of a fitter, for fit.c and fit_bound.c. */
#ifndef DETCHECK_ORACLE_FAST_FIT_PARTS_H
#define DETCHECK_ORACLE_FAST_FIT_PARTS_H

#include "op/function/analytic.h"
#include "op/function/pole_rule.h"
#include "oracle/fast/fit.h"
#include "oracle/fast/nodes.h"

enum {
    LEAST_NODES = 2,
    ARB_PRECISION = 32,
    VALUE_PRECISION = 96,
    WIDE_VALUE_PRECISION = 120, /* in fp64 */
    CONTINUATION_PRECISION = 192,
    GOOD_BITS = 34, /* interpolation is wanted this far below the last place of the largest value */
    WIDE_GOOD_BITS = 29,
    WIDE_MOST_NODES = 12,
    WIDEST = 40, /* R is at most h * 2^40 */
    MOST_EXPONENT = 900,
    WIDE_MOST_EXPONENT = 1150,
    LEAST_UNSHIFTED = -900,
    MOST_UNSHIFTED = 900,
    SHIFT = 256
};

/* How far around a centre near 0 a function is bounded for its slope. */
#define SLOPE_REACH 0.25

/* In fp64 a block with a larger bound, in ulps of A, is halved. */
#define WIDE_MOST_BOUND 0x1p-22

struct fitter {
    struct oracle oracle; /* fp64 operands */
    const struct format *format;
    bool wide;                          /* the format is fp64 */
    analytic_function *analytic;        /* of functions of one operand */
    const struct formula *formula;      /* of formulas, in place of that */
    const struct section_rule *section; /* of functions of two */
    int leading;                        /* operands that are fixed */
    uint64_t fixed_codes[MAX_OPERANDS]; /* theirs, in fp64 */
    arb_t fixed;                        /* of a section */
    acb_struct operands[MAX_OPERANDS];  /* of a formula */
    bool by_continuation; /* values at nodes: the section has them at integers alone */
    int result;
    const struct pole_rule *poles;
    double pole; /* that is out of the function, or 0 */
    mpfr_t spacing_log, log;
    struct node_set *sets[NODE_BITS + 1][FIT_MOST_NODES + 1]; /* made when first wanted */
    mpfr_t values[FIT_MOST_NODES], sum;
    mpfr_t centre; /* the value there, which most fits ask for twice */
    acb_t ball, image;
    mag_t magnitude;
};

/* Whether a pole is out of the function. */
static inline bool has_pole(const struct fitter *fitter) {
    return fitter->pole < 0;
}

/* How many nodes bring the error of interpolation to 2^target, and its bound in *log2_error; more than
 * FIT_MOST_NODES where none are known to. The block's centre, and its half-width, are the polynomial's. */
int choose_nodes(struct fitter *fitter, const struct polynomial *polynomial, double target,
                 double *log2_error);

/* log2 of a bound on |f' - p*'| in t, times 2^shift, where interpolation is off by 2^log2_error. */
double slope_error(struct fitter *fitter, const struct fit *fit, double log2_error);

#endif
