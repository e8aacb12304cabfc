/* A library of functions whose results are nearly right, some of which no libm of today has. With
 * CHAOS defined every other result is something else: not only neighbours of the right one are to
 * be judged alike by all. Which is which follows from the operands; in some places from all but the
 * last bits of the first, so that many neighbours are wrong alike. */
#include "detmath/core.h"

#include <math.h>
#include <stdint.h>

#define PI 0x1.921fb54442d18p+1

#ifdef CHAOS
static uint64_t mix(uint64_t bits) {
    bits = (bits + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (bits ^ bits >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static float altered(double right, float x, float y) {
    uint64_t operands = detmath_bits_f32(x) + ((uint64_t)detmath_bits_f32(y) << 32);
    uint64_t alike = mix(operands >> 9), mixed = alike % 3 ? mix(operands) : alike;
    uint32_t kind = (uint32_t)(mixed >> 59), any = (uint32_t)(mixed >> 20),
             bits = detmath_bits_f32((float)right);
    const uint32_t others[] = {any,
                               0x7f800000u,
                               0x7fc00000u,
                               0,
                               0x80000000u,
                               bits ^ 0x80000000u,
                               bits & 0xff800000u,
                               (bits & 0x80000000u) | 1,
                               (bits & 0x80000000u) | 0x7f7fffffu,
                               bits ^ 1u << (any & 31),
                               bits + 1,
                               bits - 1,
                               bits + (any & 7) - 3,
                               bits + (any & 0xffff),
                               bits - (any & 0xffff),
                               (bits & 0x80000000u) | (any & 0x7fffff)};
    return detmath_from_bits_f32(kind < 16 ? others[kind] : bits);
}
#else
static float altered(double right, float x, float y) {
    (void)x;
    (void)y;
    return (float)right;
}
#endif

#define ONE(NAME, VALUE)                                                                           \
    float NAME##f(float x);                                                                        \
    float NAME##f(float x) {                                                                       \
        return altered(VALUE, x, 0);                                                               \
    }
#define TWO(NAME)                                                                                  \
    float NAME##f(float x, float y);                                                               \
    float NAME##f(float x, float y) {                                                              \
        return altered(NAME((double)x, (double)y), x, y);                                          \
    }
#define OF_INTEGER(NAME, VALUE)                                                                    \
    float NAME##f(float x, long long n);                                                           \
    float NAME##f(float x, long long n) {                                                          \
        return altered(VALUE, x, (float)n);                                                        \
    }
#define SAME(NAME) ONE(NAME, NAME((double)x))

SAME(exp)
SAME(exp2)
SAME(expm1)
SAME(log)
SAME(log2)
SAME(log1p)
SAME(sin)
SAME(cos)
SAME(tan)
SAME(sinh)
SAME(cosh)
SAME(tanh)
SAME(asin)
SAME(acos)
SAME(atan)
SAME(asinh)
SAME(acosh)
SAME(atanh)
SAME(erf)
SAME(erfc)
SAME(cbrt)
SAME(sqrt)
SAME(tgamma)
ONE(sinpi, sin(PI *fmod((double)x, 2)))
ONE(cospi, cos(PI *fmod((double)x, 2)))
ONE(tanpi, tan(PI *fmod((double)x, 2)))
TWO(pow)
TWO(atan2)
TWO(hypot)
TWO(fmod)
TWO(remainder)
TWO(fdim)
OF_INTEGER(pown, pow((double)x, (double)n))
OF_INTEGER(rootn, n % 2 ? copysign(pow(fabs((double)x), 1 / (double)n), (double)x)
                        : pow((double)x, 1 / (double)n))
OF_INTEGER(compoundn, pow(1 + (double)x, (double)n))

/* In fp64, and right to some bits left of -10: for the checks of the oracle, which ask nothing more. */
double digamma(double x) {
    return log(-x) + PI / tan(-PI * fmod(x, 1));
}
