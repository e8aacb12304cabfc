/* The inner loop of the fast oracle: which outputs of a block have a certain error, and which.
 */
#ifndef DETCHECK_ORACLE_FAST_DECIDE_H
#define DETCHECK_ORACLE_FAST_DECIDE_H

#include "oracle/fast/fit.h"

#include <stdint.h>

/* Errors are counted in units of 2^-29 ulp: four ulps of either sign fill 32 bits. */
enum {
    DECISION_CHUNK = 512,
    DECISION_EDGES = 18,
    DECISION_UNITS_LOG2 = 29,
    DECISION_UNSURE = INT32_MAX
};

/* How far an error reckoned from the fit may lie from the true one, in ulps: outputs whose margin
 * is larger are never sure. */
#define DECISION_MOST_MARGIN 0x1p-21

/* What a format and a rounding make of an error. */
struct decision_rules {
    int bytes;            /* of a code: 4 or 2 */
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

/* What a chunk's sure outputs amount to. */
struct decision_sums {
    uint32_t sure, wrong;
    uint32_t above[DECISION_EDGES]; /* with an error above the edge */
    uint64_t error;                 /* sum of their errors in units, each truncated */
    int32_t largest;                /* error in units, -1 when there is none */
    int32_t margin;                 /* no such error is farther from the true one, in units */
};

/* The rules of a format of binary32's or binary16's shape; false where the kernel knows none. */
bool decision_rules_for(const struct format *format, enum rounding rounding, enum overflow overflow,
                        const double *edges, int edge_count, struct decision_rules *rules);

/* The cheap values p of `count` (at most DECISION_CHUNK) inputs of the block, from its input `at` on.
 */
void fit_values(const struct fit *fit, int log2_count, size_t at, size_t count, double *p);

/* Judges `count` (at most DECISION_CHUNK) outputs of the block, from its input number `at` on
 * (`log2_count` as the block was fitted). Sets errors[i] to (got - y) / ulp(y) in units where
 * output i is sure, to DECISION_UNSURE where more must be asked. Sure means proved: for every real y
 * within the bound around the value p, got has the sign of y, lies in the binade of y or a higher
 * one, its error lies on one side of every histogram edge (0, 1/2 and 1 among them, so that right,
 * wrong and faithful are decided too), and |p| is not so near a power of two or the largest number
 * that the ulp would be in doubt. Where values are exact (arithmetic.h), results may lie on an
 * edge: ties and exact results are decided too, in the way that verdicts and buckets have it, and
 * the margin is 0, or one unit where an error was rounded to odd. */
void decide_outputs(const struct fit *fit, int log2_count, const struct decision_rules *rules,
                    const void *got, size_t at, size_t count, int32_t *errors,
                    struct decision_sums *sums);

#endif
