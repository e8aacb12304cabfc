/* What is the function's value at every input of a block, cheaply, and how far off can that be?
 *
 * A block is a run of codes whose values lie evenly spaced around a centre c, at c + h t for t in
 * [-1, 1]. A fit gives a double p for each input, and a bound: |f - p| <= bound + relative |p|. It
 * has one of eight forms (enum fit_form). This header proves the bound of the first, a polynomial.
 * The others stand in argument_reduction.h, rotation.h, cotangent.h, hankel.h, reflection.h, poles.h and
 * arithmetic.h.
 *
 * The polynomial takes the values of f, which MPFR gives, at n <= 16 nodes. It is evaluated in
 * double without fused operations. Let u = 2^-53. Its error has three parts.
 *
 * 1. Interpolation. The nodes t_k are the Chebyshev nodes c_k, rounded to multiples of 2^-20. So
 *    |t_k - c_k| <= e with e = 2^-20.99. The remainder of interpolation is
 *        |f - p| <= max |f^(n)| / n! h^n max |prod (t - t_k)|.
 *    For the nodes c_k the product is T_n(t) 2^(1-n), at most 2^(1-n). Moving m of the nodes adds a
 *    term of at most e^m 2^(1-n) max |T_n^(m)| / m!, because T_n without m of its zeros is a
 *    divided difference. There are at most n^m / m! choices of m nodes, and |T_n^(m)| <= n^(2m). So
 *    all that moving adds is below 2^(1-n) sum_m (e n^3)^m / m!^2, and e n^3 < 2^-8.9. Altogether
 *        max |prod (t - t_k)| <= 1.003 2^(1-n).
 *    Let M bound |f| on the square of half-width R around c (Arb, op/function/analytic.h). For x in
 *    the block, the disc of radius R - h around x lies in the square. Cauchy's estimate gives
 *    |f^(n)(x)| / n! <= M / (R - h)^n, and hence
 *        |f - p| <= 2.006 M (h / (2 (R - h)))^n.
 *    The code takes 2^1.02 > 2.028 for 2.006.
 * 2. Coefficients. Node values are truncated to 96 bits. The inverse Vandermonde matrix is applied
 *    in 192 bits. Its entries are below 2^14 (2^13.7 for n = 16), so n coefficients of n terms each
 *    are off by less than 2^(4 + 4 + 14 - 95) max |f(t_k)| together. The code takes 2^-60 for
 *    2^-73.
 * 3. Evaluation. In Horner's rule coefficient a_j takes part in at most 2j + 1 roundings, and one
 *    more made it a double. Since |t| <= 1 and t is exact, the error is at most
 *        sum ((1 + u)^(2j + 2) - 1) |a_j| <= 1.001 u sum (2j + 2) |a_j|.
 *    The code takes 1.02 for 1.001.
 *
 * fp64. A double cannot hold f to a fraction of an ulp, so the value comes in two parts. A is the
 * double next to f(c) 2^shift, and the polynomial, r, fits f 2^shift - A. The shift is a power of
 * two that brings results which double arithmetic would scale badly to the middle of its range.
 * |r| <= |A| / 2, or no fit is made. Then p = RN(A + r), p - A and r - (p - A) are what Dekker's sum
 * computes without error, so that p + tail = A + r with |tail| <= ulp(p) / 2. The parts above are
 * those of r, with these differences:
 * 1. A node has to be an input. So the nodes are the Chebyshev nodes rounded to multiples of 2^(1-L)
 *    in a block of 2^L inputs, and e = 2^-L. The code multiplies the bound by sum_m (e n^3)^m /
 *    m!^2 as it is, instead of 1.003. The nodes are distinct, or no fit is made.
 * 2. Node values are truncated to 120 bits before A is subtracted, which is exact. The entries of
 *    the inverse matrix sum to less than 2^18, or no fit is made. So the coefficients are off by
 *    less than 2^18 2^-119 2 |A|; the code takes 2^-95 |A|.
 *
 * Slopes. At the nodes f is the exact interpolant p*, so f' - p*' has a zero between each two of them,
 * and in t it is at most
 *     2^(n-1) max |f^(n)| h^n / (n-1)! <= n 2^(n-1) M (h / (R - h))^n
 * by Cauchy's estimate. For the R that the first part was found with that is n 2^(2n-1) / 2.006 of the
 * first part. Near 0 another R may give far less for the same n. The slope of p* at t is a_1 + 2 a_2 t +
 * ..., of which the coefficients are off by what the second part says, n times that in the slope, and by
 * u |a_j| each. slope_reach is more than all of that and than 2 |a_2| + 3 |a_3| + ... together.
 *
 * A function that is a number at integers alone, as pown is of its second operand, has a continuation to
 * the reals, and the polynomial is that of the continuation: Arb gives its values at the nodes, to more
 * than 120 bits. (At integers the function is the same, so the bound holds there, and recheck.c asks MPFR
 * for the function itself.)
 *
 * Each part is taken at least 1 % larger than it is. That is more than rounding takes from the
 * bound while it is computed. It is also more than underflow adds to the error: at most 2n
 * roundings are off by 2^-1075 each, while the code never takes the first part for less than
 * 2^-990. */
#ifndef DETCHECK_ORACLE_FAST_FIT_H
#define DETCHECK_ORACLE_FAST_FIT_H

#include "op/function/pole_rule.h"
#include "op/function/section.h"
#include "oracle/exact.h"
#include "oracle/fast/argument_reduction.h"
#include "oracle/fast/arithmetic.h"
#include "oracle/fast/hankel.h"
#include "oracle/fast/nodes.h"
#include "oracle/fast/poles.h"
#include "oracle/fast/reflection.h"
#include "oracle/fast/rotation.h"

#include <stdbool.h>

struct polynomial {
    int terms;                           /* n; 0 where a form has no polynomial */
    double coefficients[FIT_MOST_NODES]; /* a_0 .. a_(n-1) of the powers of t, then zeros */
    double centre, half_width;           /* c and h > 0, exact */
    double direction;                    /* of the codes: -1 where they run downwards in value */
    double base;                         /* A; 0 but in fp64 */
    double slope_reach;                  /* |df/dt - a_1| is less; in fp64 of f 2^shift */
};

/* How p comes about. */
enum fit_form {
    FIT_POLYNOMIAL,
    FIT_TABLE,     /* an entry of a table less the polynomial: reflection.h, poles.h */
    FIT_QUOTIENT,  /* the polynomial over the distance to a pole: poles.h */
    FIT_REDUCTION, /* a periodic function of the reduced argument: argument_reduction.h */
    FIT_ROTATION,  /* the same in fp64: rotation.h */
    FIT_COTANGENT, /* the polynomial and a cotangent: cotangent.h */
    FIT_HANKEL,    /* Bessel functions far from 0: hankel.h */
    FIT_ARITHMETIC /* the exact result, or that rounded to odd: arithmetic.h */
};

struct fit {
    enum fit_form form;
    double bound, relative;
    int shift; /* values are those of the function times 2^shift; 0 but in fp64 */
    struct polynomial polynomial; /* of the first three forms, and of FIT_COTANGENT */
    union {
        struct table_entries table;
        struct pole_distance distance;
        struct argument_reduction reduction;
        struct {
            struct rotation rotation;
            struct hankel hankel; /* of FIT_HANKEL */
        };
        struct arithmetic arithmetic;
    };
};

/* One thread's workshop for one result of one operation. */
struct fitter;
struct fitter *fitter_open(const struct operation *operation, const struct format *format,
                           int result);
void fitter_close(struct fitter *fitter);

/* From now on, the function of the second operand that this section is; for operations of two. */
void fitter_fix(struct fitter *fitter, const struct section *section);

/* From now on, the function of the last operand that a formula is with these before it; none of them is NaN. */
void fitter_fix_operands(struct fitter *fitter, const double *leading);

/* The double with the bits of a code of fp64, or the value of a narrower format's: exact. */
double fit_input(const struct format *format, uint64_t code);

/* Fits a polynomial to the codes first .. first + 2^log2_count - 1, which must lie in one binade
 * (or among the subnormals) and have one sign, by at most `most_terms` terms. False when no bound
 * was found that is good enough to decide most inputs; a smaller block may do. */
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
