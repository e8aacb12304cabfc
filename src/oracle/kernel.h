/* The inner loop of the fast oracle: which outputs of a block are plainly right, and their errors.
 */
#ifndef DETCHECK_ORACLE_KERNEL_H
#define DETCHECK_ORACLE_KERNEL_H

#include "oracle/fit.h"

#include <stdint.h>

enum { KERNEL_CHUNK = 512, KERNEL_EDGES = 16 };

/* What makes an fp32 output plainly right, for one rounding. */
struct kernel_rules {
    double least, most; /* correct when (got - y) / ulp(y) lies strictly between */
    bool toward_zero;   /* that quotient is taken times the sign of y */
    int edge_count;     /* histogram edges at or below the largest error of a right result */
    double edges[KERNEL_EDGES];
};

/* Sums over the plainly right outputs of any number of chunks. `largest` and `margin` may be set
 * back to -1 and 0 at any time. */
struct kernel_sums {
    uint64_t plain;
    uint64_t above[KERNEL_EDGES]; /* with an error above the edge */
    uint64_t error;               /* sum of errors in units of 2^-40 ulp, each rounded to nearest */
    int64_t largest;              /* error in the same units, -1 when there is none */
    double margin;                /* largest distance of such an error from the true one, in ulps */
};

/* How far an error reckoned from the fit may lie from the true one, in ulps: outputs whose margin
 * is larger are never plain. */
#define KERNEL_MOST_MARGIN 0x1p-21

/* The cheap values p of `count` (at most KERNEL_CHUNK) inputs of the block, from its input `at` on.
 */
void kernel_values(const struct fit *fit, int log2_count, size_t at, size_t count, double *p);

/* Judges `count` (at most KERNEL_CHUNK) fp32 outputs of the block, from its input number `at` on
 * (`log2_count` as the block was fitted). Sets errors[i] to the error in units of 2^-40 ulp where
 * output i is plainly right, to -1 where more must be asked. Plainly right means proved: with the
 * value p and its bound, got is the correct rounding of every real within the bound, has the right
 * sign, lies on one side of every histogram edge, and |p| is not so near a power of two or the
 * largest number that the ulp would be in doubt. */
void kernel_judge(const struct fit *fit, int log2_count, const struct kernel_rules *rules,
                  const uint32_t *got, size_t at, size_t count, int64_t *errors,
                  struct kernel_sums *sums);

#endif
