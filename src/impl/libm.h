/* `libm`: the mathematical library that this process is linked to.
 *
 * Symbols are looked up at run time, so that a function which this libm lacks is not an error of
 * the build, and so that a preloaded library is what is measured. fp32 calls "expf", fp64 "exp"; a
 * narrower format is widened to fp32 (exactly), computed, and rounded once more: two roundings, as
 * frameworks do it. Operations that C has as operators (add, recip) measure the compiler and the
 * processor. The rounding mode is set around the calls and restored; nearest-away is not provided.
 */
#ifndef DETCHECK_IMPL_LIBM_H
#define DETCHECK_IMPL_LIBM_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_libm;

/* The operation's function, if it has one operand, or two, and one result; NULL where this libm has none.
 * For timing calls alone. */
typedef float libm_unary(float);
typedef float libm_binary(float, float);
typedef double libm_unary_fp64(double);
typedef double libm_binary_fp64(double, double);
libm_unary *libm_unary_of(const struct operation *operation);
libm_binary *libm_binary_of(const struct operation *operation);
libm_unary_fp64 *libm_unary_fp64_of(const struct operation *operation);
libm_binary_fp64 *libm_binary_fp64_of(const struct operation *operation);

/* A function of this libm in a format wider than fp32, double, or than fp64, long double: near the
 * exact result, but nobody says how near. Without an address where the operation has none of one or two
 * operands, or its numbers none that is wider. */
struct libm_wider {
    void *address;
    bool is_long;
    int operands;
};
struct libm_wider libm_wider_of(const struct operation *operation, const struct format *format);
long double libm_wider_call(const struct libm_wider *wider, const double *operands);

#endif
