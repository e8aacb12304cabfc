/* Conversions that are wrong in rare places, each after a fault that was published: the table of
 * tests/cmd/wrong_roundings.py says where. The code is our own. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* A format as IEEE 754 has them: its precision, the exponents of its smallest normal and its largest number, what lies
 * beyond that, and how its codes are cut to size. */
struct kind {
    int precision, emin;
    double largest;
    unsigned sign, beyond, nan;
};
static const struct kind fp32 = {24, -126, FLT_MAX, 0, 0, 0},
                         fp16 = {11, -14, 65504, 0x8000, 0x7c00, 0x7e00},
                         bf16 = {8, -126, 0x1.fep127, 0x8000, 0x7f80, 0x7fc0},
                         e5m2 = {3, -14, 57344, 0x80, 0x7c, 0x7e},
                         e4m3fn = {4, -6, 448, 0x80, 0x7f, 0x7f};

enum mode { TO_EVEN, TO_AWAY, CUT };

/* A number rounded as if there was no largest one. */
static double rounded(double x, const struct kind *kind, enum mode mode) {
    if (!(x < 0 || x > 0) || isinf(x))
        return x;
    int exponent = ilogb(x) < kind->emin ? kind->emin : ilogb(x);
    double units = ldexp(x, kind->precision - 1 - exponent);
    units = mode == TO_EVEN ? rint(units) : mode == CUT ? trunc(units) : round(units);
    return copysign(ldexp(units, exponent - kind->precision + 1), x);
}

static unsigned code_of(double x, const struct kind *kind) {
    unsigned sign = signbit(x) ? kind->sign : 0;
    if (x != x)
        return kind->nan;
    x = fabs(x);
    if (x > kind->largest)
        return kind->beyond == kind->nan ? kind->nan : kind->beyond | sign;
    int exponent = x > 0 && ilogb(x) > kind->emin ? ilogb(x) : kind->emin;
    unsigned units = (unsigned)ldexp(x, kind->precision - 1 - exponent);
    return sign | (((unsigned)(exponent - kind->emin) << (kind->precision - 1)) + units);
}

/* By way of another format. */
static unsigned twice(double x, const struct kind *first, const struct kind *kind) {
    x = rounded(x, first, TO_EVEN);
    x = fabs(x) > first->largest ? copysign(INFINITY, x) : x;
    return code_of(rounded(x, kind, TO_EVEN), kind);
}

uint16_t fp16_by_fp32(double x) {
    return (uint16_t)twice(x, &fp32, &fp16);
}

uint16_t bf16_by_fp32(double x) {
    return (uint16_t)twice(x, &fp32, &bf16);
}

uint8_t e5m2_by_fp32(double x) {
    return (uint8_t)twice(x, &fp32, &e5m2);
}

uint8_t e5m2_by_fp16(float x) {
    return (uint8_t)twice(x, &fp16, &e5m2);
}

uint8_t e4m3_by_fp16(float x) {
    return (uint8_t)twice(x, &fp16, &e4m3fn);
}

uint8_t e4m3_by_bf16(float x) {
    return (uint8_t)twice(x, &bf16, &e4m3fn);
}

uint8_t e4m3_ties_away(float x) {
    return (uint8_t)code_of(rounded(x, &e4m3fn, TO_AWAY), &e4m3fn);
}

uint8_t e4m3_cut(float x) {
    return (uint8_t)code_of(rounded(x, &e4m3fn, CUT), &e4m3fn);
}

uint16_t fp16_subnormal_cut(double x) {
    return (uint16_t)code_of(rounded(x, &fp16, fabs(x) < 0x1p-14 ? CUT : TO_EVEN), &fp16);
}

/* A significand that is rounded up to a power of two becomes that of its own binade. */
uint16_t fp16_carry_lost(double x) {
    double nearest = rounded(x, &fp16, TO_EVEN);
    if (fabs(x) >= 0x1p-14 && fabs(nearest) <= fp16.largest && ilogb(nearest) > ilogb(x))
        nearest /= 2;
    return (uint16_t)code_of(nearest, &fp16);
}

uint8_t e5m2_ties_away(float x) {
    return (uint8_t)code_of(rounded(x, &e5m2, TO_AWAY), &e5m2);
}

/* Integers, converted wrongly at their ends, or by way of a number of fewer bits. */
float uint64_by_fp64(uint64_t x) {
    return (float)(double)x;
}

/* The low 63 bits, and what the top one stands for. */
double uint64_in_parts(uint64_t x) {
    double low = (double)(x & ~((uint64_t)1 << 63));
    return x >> 63 ? low + 0x1p63 : low;
}

/* The low bits of a number that is rounded to an integer already. */
static uint32_t low_bits(double integer) {
    return isfinite(integer) ? (uint32_t)(int64_t)fmod(integer, 0x1p32) : 0;
}

/* 2^31 is no greater than the largest integer as a float. */
uint32_t int32_end_rounded(float x) {
    const float largest = (float)INT32_MAX;
    return x > largest ? INT32_MAX : x < -0x1p31F ? UINT32_C(1) << 31 : low_bits(trunc(x));
}

uint64_t uint64_end_rounded(double x) {
    const double largest = (double)UINT64_MAX;
    if (x > largest)
        return UINT64_MAX;
    if (!(x > 0))
        return 0;
    return x >= 0x1p63 ? (uint64_t)(x - 0x1p63) + ((uint64_t)1 << 63) : (uint64_t)x;
}

/* Whether it fits is asked before it is rounded. */
uint8_t int8_fits_before(float x) {
    if (x >= 128)
        return 0x7f;
    return x < -128 ? 0x80 : (uint8_t)low_bits(rint(x));
}

uint32_t int32_by_half(float x) {
    const float nearest = floorf(x + 0.5F);
    return nearest >= 0x1p31F   ? INT32_MAX
           : nearest < -0x1p31F ? UINT32_C(1) << 31
                                : low_bits(nearest);
}

/* Modulo 2^32, but by way of an integer of 64 bits that saturates. */
uint32_t wrapped_by_int64(double x) {
    return x >= 0x1p63 ? UINT32_MAX : x < -0x1p63 ? 0 : low_bits(trunc(x));
}
