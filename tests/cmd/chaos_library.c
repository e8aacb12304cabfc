/* Functions whose results are nearly right, and every other time something else: for whoever
 * judges, not only neighbours of the right result are to be judged alike by all. Which is which
 * follows from the operands. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#define PI 0x1.921fb54442d18p+1

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float altered(double right, float x, float y) {
    uint64_t mixed = (bits_of(x) + ((uint64_t)bits_of(y) << 32) + 1) * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    uint32_t kind = (uint32_t)(mixed >> 59), any = (uint32_t)(mixed >> 20),
             bits = bits_of((float)right);
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
    return from_bits(kind < 16 ? others[kind] : bits);
}

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
