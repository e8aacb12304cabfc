/* A cheap value with a proved bound: a polynomial for a block of consecutive inputs.
 *
 * A block is a run of codes whose values lie evenly spaced around a centre c, at c + h t for t in
 * [-1, 1]. The function is interpolated at n nodes, where MPFR gives its value, and the polynomial
 * is evaluated in double, without fused operations, for every input. The error of that value has
 * three parts, each bounded here:
 *
 * 1. Interpolation. With nodes t_k within 2^-21 of the Chebyshev nodes, the classical remainder is
 *        |f - p| <= max|f^(n)| / n! * h^n * max|prod (t - t_k)|,   max|prod| <= 1.001 * 2^(1-n)
 *    for n <= 16. (A perturbation e of the nodes adds at most n e max_k prod_{j != k}
 *    (|t - t_j| + e), and that product is at most 2^(1-n) T_n'(1) = 2^(1-n) n^2: with e = 2^-21
 *    and n <= 16 the whole stays below 1.002 times; 1.01 is used.) Let M bound |f| on the square of
 *    half-width R around c (Arb, op/function/analytic.h). For x in the block the disc of radius
 *    R - h around x lies in the square, so Cauchy's estimate gives |f^(n)(x)| / n! <= M / (R - h)^n,
 *    and altogether |f - p| <= 2.02 M (h / (2 (R - h)))^n.
 * 2. Coefficients. Node values are truncated to 96 bits and the inverse Vandermonde matrix (entries
 *    below 2^20 for n <= 16) is applied in 192 bits: below 2^-60 max|f(t_k)|.
 * 3. Evaluation. Horner's rule with u = 2^-53 and |t| <= 1: coefficient a_j takes part in at most
 *    2j + 1 roundings, one more made it a double, so the error is at most
 *        1.01 u sum (2j + 2) |a_j|  + n 2^-1074 (underflow).
 *
 * The bound is a number for the whole block, in the units of f. */
#ifndef DETCHECK_ORACLE_FAST_FIT_H
#define DETCHECK_ORACLE_FAST_FIT_H

#include "oracle/exact.h"
#include "oracle/fast/argument_reduction.h"
#include "oracle/fast/arithmetic.h"

#include <stdbool.h>

enum { FIT_MOST_NODES = 16 };

struct fit {
    int terms;                           /* of the polynomial: n */
    double coefficients[FIT_MOST_NODES]; /* a_0 .. a_(n-1) of the powers of t */
    double bound, relative;              /* |f - computed p| <= bound + relative |p| for every input
                                            of the block; relative is 0 for a polynomial */
    struct argument_reduction reduction; /* where it has a function, it gives p and no polynomial */
    uint32_t significand;                /* then: the integer m of the first input */
    const double *table; /* or p is the entry of this at m modulo the mask + 1 less the polynomial:
                            reflection.h, poles.h */
    uint32_t table_mask;
    bool quotient; /* or p is the polynomial over j spacing, with j = from_pole at the first input:
                      poles.h */
    int32_t from_pole;
    double spacing;
    struct arithmetic arithmetic; /* or p is the exact result, or that rounded to odd: arithmetic.h
                                     (bound and relative are 0 then) */
    double centre, half_width;    /* c and h > 0, exact */
    double direction;             /* of the codes: -1 where they run downwards in value */
};

/* One thread's workshop for one result of one operation. */
struct fitter;
struct fitter *fitter_open(const struct operation *operation, const struct format *format,
                           int result);
void fitter_close(struct fitter *fitter);

/* From now on, the function of the second operand that this section is; for operations of two. */
void fitter_fix(struct fitter *fitter, const struct section *section);

/* Fits the codes first .. first + 2^log2_count - 1, which must lie in one binade (or among the
 * subnormals) and have one sign, by at most `most_terms` terms. False when no bound was found that
 * is good enough to decide most inputs; a smaller block may do. */
bool fitter_fit(struct fitter *fitter, uint64_t first, int log2_count, int most_terms,
                struct fit *fit);

/* The same for the function of 1 - x: centre, half-width and direction are those of 1 - x. */
bool fitter_fit_reflected(struct fitter *fitter, uint64_t first, int log2_count, int most_terms,
                          struct fit *fit);

/* The same for what the row's pole_rule leaves of the function without the pole nearest to the
 * block: d f(x), or ln s - ln|d| - f(x), as poles.h has it. */
bool fitter_fit_without_pole(struct fitter *fitter, uint64_t first, int log2_count, int most_terms,
                             struct fit *fit);

#endif
