/* Blocks of a function that no polynomial alone fits, and what each is reduced to: large arguments
 * of periodic functions (argument_reduction.h, in fp64 rotation.h), ln|gamma| far left (reflection.h)
 * and digamma (cotangent.h), Bessel functions far from 0 (hankel.h), the poles of gamma and ln|gamma| (poles.h). */
#ifndef DETCHECK_ORACLE_FAST_REDUCE_H
#define DETCHECK_ORACLE_FAST_REDUCE_H

#include "oracle/fast/fit.h"
#include "oracle/fast/reflection.h"
#include "oracle/fast/rotation.h"

enum { REFLECTION_TABLES = 24 - LEAST_REFLECTED_EXPONENT };

/* One thread's, for one result of one operation; zero but for the first three at first. */
struct reducer {
    const struct result_rule *rule;
    const struct format *format;
    struct fitter *fitter;
    double *reflections[REFLECTION_TABLES]; /* by bits behind the point; made when first wanted */
    double *pole_logs;                      /* likewise */
    struct rotation_table *rotations;       /* of the latest binade; likewise */
};

void reducer_close(struct reducer *reducer);

/* Whether the function is reduced where the block lies, but only in smaller blocks. */
bool reduce_halves(const struct reducer *reducer, uint64_t first, int log2_count);

/* Whether the block first .. first + 2^log2_count - 1, of finite numbers, is reduced; then all of
 * `fit` is set. False, and `fit` is zero, where a plain polynomial is to be tried. */
bool reduce_block(struct reducer *reducer, uint64_t first, int log2_count, struct fit *fit);

#endif
