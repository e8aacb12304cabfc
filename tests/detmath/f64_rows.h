/* The functions of fp64 that have one result, a row each of functions_f64.inc, for tests that take all of them. */
#ifndef DETCHECK_TESTS_DETMATH_F64_ROWS_H
#define DETCHECK_TESTS_DETMATH_F64_ROWS_H

#include "detmath/families_f64.h"
#include "detmath/library/kernels_f64.h"

#include "f64.h"
#include "integer_powers.h"

static const struct f64_row {
    const char *name;
    double budget; /* the largest error of det, in ulps */
    struct detmath_scalar_f64 det, cr, last;
    struct exact exact;
} rows[] = {
#define ROW(NAME, BUDGET, KIND)                                                                    \
    {#NAME,                                                                                        \
     BUDGET,                                                                                       \
     {.KIND = detmath_##NAME},                                                                     \
     {.KIND = detmath_cr_##NAME},                                                                  \
     {.KIND = detmath_##NAME##_f64_last},                                                          \
     {.KIND = mpfr_##NAME}},
#define DETMATH_UNARY_F64(NAME, CR, BUDGET)  ROW(NAME, BUDGET, unary)
#define DETMATH_BINARY_F64(NAME, CR, BUDGET) ROW(NAME, BUDGET, binary)
#define DETMATH_PAIR_F64(NAME, A, B)
#include "detmath/functions_f64.inc"
#undef ROW
};
enum { ROWS = sizeof rows / sizeof *rows };

/* One result of one number, or of two. */
static inline double call(struct detmath_scalar_f64 function, double x, double y) {
    return function.binary ? function.binary(x, y) : function.unary(x);
}

#endif
