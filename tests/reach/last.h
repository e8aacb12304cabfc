/* The last phase of every function of fp64 as a kernel, by the name cr_NAME_f64: cr comes to it for few operands of a test. It
 * has the bits of cr for all operands but NaN, which are left to cr. */
#ifndef REACH_LAST_H
#define REACH_LAST_H

#define REACH_IS_NAN(X) ((detmath_bits_f64(X) << 1) > 0xffe0000000000000u)
#define DETMATH_UNARY_F64(NAME, ...)                                                               \
    REACH_F64(cr_##NAME##_f64, REACH_IS_NAN(REACH_WIDE(i))                                         \
                                   ? detmath_cr_##NAME(REACH_WIDE(i))                              \
                                   : detmath_##NAME##_f64_last(REACH_WIDE(i)))
#define DETMATH_PAIR_F64(NAME, A, B)
#define DETMATH_BINARY_F64(NAME, ...)                                                              \
    REACH_F64(cr_##NAME##_f64, REACH_IS_NAN(REACH_WIDE(i)) || REACH_IS_NAN(REACH_WIDE(n + i))      \
                                   ? detmath_cr_##NAME(REACH_WIDE(i), REACH_WIDE(n + i))           \
                                   : detmath_##NAME##_f64_last(REACH_WIDE(i), REACH_WIDE(n + i)))
#include "detmath/functions_f64.inc"

#endif
