/* The rows of f64_rows.h, in a file of their own: all kernels of fp64 take seconds to compile. */
#include "f64_rows.h"

#include "detmath/families_f64.h"

const struct f64_row f64_rows[ROWS] = {
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
};

const struct f64_pair f64_pairs[PAIRS] = {
#define DETMATH_UNARY_F64(NAME, CR, BUDGET)
#define DETMATH_BINARY_F64(NAME, CR, BUDGET)
#define DETMATH_PAIR_F64(NAME, A, B)                                                               \
    {#NAME,                                                                                        \
     {.pair = detmath_##NAME},                                                                     \
     {.pair = detmath_cr_##NAME},                                                                  \
     {{.unary = detmath_##A}, {.unary = detmath_##B}},                                             \
     {{.unary = detmath_cr_##A}, {.unary = detmath_cr_##B}}},
#include "detmath/functions_f64.inc"
};
