/* The functions of fp64, a row each of functions_f64.inc, for tests that take all of them: scalars, compiled once (f64_rows.c). */
#ifndef DETCHECK_TESTS_DETMATH_F64_ROWS_H
#define DETCHECK_TESTS_DETMATH_F64_ROWS_H

#include "detmath/library/kernels_f64.h"

#include "f64.h"
#include "integer_powers.h"

/* Those that have one result. */
struct f64_row {
    const char *name;
    double budget; /* the largest error of det, in ulps */
    struct detmath_scalar_f64 det, cr, last;
    struct exact exact;
};

/* A function of two results: det's and cr's, and the functions of each result alone. */
struct f64_pair {
    const char *name;
    struct detmath_scalar_f64 det, cr, det_of[2], cr_of[2];
};

enum {
#define DETMATH_UNARY_F64(NAME, CR, BUDGET)  ROW_##NAME,
#define DETMATH_BINARY_F64(NAME, CR, BUDGET) ROW_##NAME,
#define DETMATH_PAIR_F64(NAME, A, B)
#include "detmath/functions_f64.inc"
    ROWS
};
enum {
#define DETMATH_UNARY_F64(NAME, CR, BUDGET)
#define DETMATH_BINARY_F64(NAME, CR, BUDGET)
#define DETMATH_PAIR_F64(NAME, A, B) PAIR_##NAME,
#include "detmath/functions_f64.inc"
    PAIRS
};
extern const struct f64_row f64_rows[ROWS];
extern const struct f64_pair f64_pairs[PAIRS];

/* One result of one number, or of two. */
static inline double call(struct detmath_scalar_f64 function, double x, double y) {
    return function.binary ? function.binary(x, y) : function.unary(x);
}

#endif
