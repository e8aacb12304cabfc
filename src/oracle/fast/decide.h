/* Which outputs of a FIT block have an error that is certain, and what is it?
 *
 * An output is compared with the cheap value of its input (fit.h), many at a time. Its error is
 * sure where every real number within the bound around that value gives the same verdict and the
 * same bucket of the histogram. Other outputs are left to the caller, who asks a more exact
 * oracle. */
#ifndef DETCHECK_ORACLE_FAST_DECIDE_H
#define DETCHECK_ORACLE_FAST_DECIDE_H

#include "oracle/fast/fit.h"

#include <stdint.h>

/* Errors are counted in units of 2^-29 ulp: four ulps of either sign fill 32 bits. */
enum {
    DECISION_STRIP = 512,
    DECISION_EDGES = 18,
    DECISION_UNITS_LOG2 = 29,
    DECISION_UNSURE = INT32_MAX
};

/* An error that is found from the fit lies within some margin of the true one. Outputs whose margin
 * is larger than this, in ulps, are never sure. */
#define DECISION_MOST_MARGIN 0x1p-21

/* What a format and a rounding make of an error. */
struct decision_rules {
    int bytes;            /* of a code: 8, 4 or 2 */
    int precision;        /* of the format */
    int least_exponent;   /* its emin, biased as in a double */
    double surely_finite; /* reals below this in magnitude never overflow */
    int32_t least, most;  /* right when (got - y) / ulp(y), in units, lies strictly between */
    bool toward_zero;     /* that quotient is taken times the sign of y */
    enum rounding rounding;
    double beyond_finite; /* positive and negative reals from here on overflow, by rule, to */
    double overflowed[2]; /* these; NaN where that is no number */
    bool never_exact; /* no result of a FIT block is a binary fraction: no error is 0. Only where
                         nothing else depends on the sign of a tiny error: to nearest */
    int edge_count;   /* histogram edges below 3.5 ulps; the first is 0 */
    int near_edges;   /* those at or below the largest error of a right output */
    int32_t edges[DECISION_EDGES]; /* in units; multiples of 2^-10 ulp */
};

/* What a strip's sure outputs amount to. */
struct decision_sums {
    uint32_t sure, wrong;
    uint32_t above[DECISION_EDGES]; /* with an error above the edge */
    uint64_t error;                 /* sum of their errors in units, each truncated */
    int32_t least, most;            /* of their errors with signs, in units, where there are any */
    int32_t largest;                /* size of an error in units, -1 when there is none */
    int32_t margin;                 /* no such error is farther from the true one, in units */
};

/* The rules of a format of the shape of binary64, binary32 or binary16; false for other formats. */
bool decision_rules_for(const struct format *format, enum rounding rounding, enum overflow overflow,
                        const double *edges, int edge_count, struct decision_rules *rules);

/* The cheap values p of `count` (at most DECISION_STRIP) inputs of the block, from its input `at`
 * on; in fp64 p and tail together, NULL in other formats. */
void fit_values(const struct fit *fit, int log2_count, size_t at, size_t count, double *p,
                double *tail);

/* A lower bound of the distance, in ulps, from the exact results of `count` (at most DECISION_STRIP) inputs of the block,
 * from its input `at` on, to a boundary of the format that lies `middle` ulps (0 or 0.5) from a number. 0 where nothing
 * quick says it: in fp64, in other forms than a polynomial, next to powers of two. */
double fit_least_distance(const struct fit *fit, int log2_count, const struct decision_rules *rules,
                          double middle, size_t at, size_t count);

/* Judges `count` (at most DECISION_STRIP) outputs of the block, from its input number `at` on;
 * `log2_count` is that of the block. Sets errors[i] to (got - y) / ulp(y) in units where output i
 * is sure, and to DECISION_UNSURE elsewhere. Sure means proved. For every real y within the bound
 * around the value p:
 * - got has the sign of y, and lies in the binade of y or a higher one;
 * - the error lies on one side of every edge of the histogram; 0, 1/2 and 1 are edges, so that
 *   right, wrong and faithful are decided too;
 * - |p| is not so near a power of two, or the largest number, that the ulp would be in doubt.
 * Where values are exact (arithmetic.h), results may lie on an edge. Then ties and exact results
 * are decided too, as verdicts and buckets are defined, and the margin is 0, or one unit where an
 * error was rounded to odd. */
void decide_outputs(const struct fit *fit, int log2_count, const struct decision_rules *rules,
                    const void *got, size_t at, size_t count, int32_t *errors,
                    struct decision_sums *sums);

#endif
