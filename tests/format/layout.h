/* The formats once more, written down from their definitions and not from the table under test.
 *
 * Sources: the ONNX page on float 8 (biases, special codes and the two formulas of a value), IEEE
 * 754 for the others. Values are plain doubles, which hold every number of every format exactly. */
#ifndef DETCHECK_TESTS_FORMAT_LAYOUT_H
#define DETCHECK_TESTS_FORMAT_LAYOUT_H

#include "format/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum layout_kind {
    LAYOUT_IEEE, /* highest exponent: infinity with fraction 0, else NaN */
    LAYOUT_FN,   /* no infinity; NaN is S.1111.111 */
    LAYOUT_FNUZ, /* no infinity; NaN is 1.0000.000 and there is no -0 */
    LAYOUT_ALL   /* every code is a number; the code of -0 stands for NaN */
};

struct layout {
    const char *name;
    unsigned exponent_bits, fraction_bits;
    int bias;
    enum layout_kind kind;
};

/* Without tf32 and fp8_e8m0fnu, which have tests of their own. */
enum { LAYOUTS_SMALL = 12, LAYOUT_FP32 = 12, LAYOUT_FP64 = 13, LAYOUTS = 14 };

static const struct layout layouts[LAYOUTS] = {
    {"fp8_e4m3fn", 4, 3, 7, LAYOUT_FN},         {"fp8_e4m3fnuz", 4, 3, 8, LAYOUT_FNUZ},
    {"fp8_e5m2", 5, 2, 15, LAYOUT_IEEE},        {"fp8_e5m2fnuz", 5, 2, 16, LAYOUT_FNUZ},
    {"fp16", 5, 10, 15, LAYOUT_IEEE},           {"bf16", 8, 7, 127, LAYOUT_IEEE},
    {"fp8_e4m3", 4, 3, 7, LAYOUT_IEEE},         {"fp8_e3m4", 3, 4, 3, LAYOUT_IEEE},
    {"fp8_e4m3b11fnuz", 4, 3, 11, LAYOUT_FNUZ}, {"fp6_e2m3fn", 2, 3, 1, LAYOUT_ALL},
    {"fp6_e3m2fn", 3, 2, 3, LAYOUT_ALL},        {"fp4_e2m1fn", 2, 1, 1, LAYOUT_ALL},
    {"fp32", 8, 23, 127, LAYOUT_IEEE},          {"fp64", 11, 52, 1023, LAYOUT_IEEE},
};

static inline unsigned layout_width(const struct layout *layout) {
    return 1 + layout->exponent_bits + layout->fraction_bits;
}

/* By its name, which is looked up once. */
static inline const struct format *layout_format(const struct layout *layout) {
    static const struct format *found[LAYOUTS];
    const struct format **format = &found[layout - layouts];
    struct error error;
    if (!*format)
        *format = format_find(layout->name, &error);
    if (!*format)
        abort();
    return *format;
}

/* The formula of the definition: NaN, infinity, or
 * (-1)^S 2^(E - bias) (1 + F / 2^bits), and (-1)^S 2^(1 - bias) F / 2^bits where E is 0. */
static inline double layout_value(const struct layout *layout, uint64_t code) {
    uint64_t two_to_f = UINT64_C(1) << layout->fraction_bits;
    uint64_t two_to_e = UINT64_C(1) << layout->exponent_bits;
    uint64_t f = code % two_to_f;
    uint64_t e = code / two_to_f % two_to_e;
    uint64_t s = code / two_to_f / two_to_e;
    double sign = s ? -1 : 1;
    if (layout->kind == LAYOUT_IEEE && e == two_to_e - 1)
        return f ? (double)NAN : sign * (double)INFINITY;
    if (layout->kind == LAYOUT_FN && e == two_to_e - 1 && f == two_to_f - 1)
        return (double)NAN;
    if (layout->kind == LAYOUT_FNUZ && s == 1 && e == 0 && f == 0)
        return (double)NAN;
    double fraction = (double)f / (double)two_to_f;
    if (e == 0)
        return sign * ldexp(fraction, 1 - layout->bias);
    return sign * ldexp(1 + fraction, (int)e - layout->bias);
}

static inline double layout_smallest_normal(const struct layout *layout) {
    return ldexp(1, 1 - layout->bias);
}

static inline double layout_smallest(const struct layout *layout) {
    return ldexp(1, 1 - layout->bias - (int)layout->fraction_bits);
}

/* The canonical quiet NaN, or what stands for it: the highest fraction bit alone (IEEE), or the
 * only NaN (positive where there are two). */
static inline uint64_t layout_nan(const struct layout *layout) {
    uint64_t magnitudes = UINT64_C(1) << (layout->exponent_bits + layout->fraction_bits);
    if (layout->kind == LAYOUT_FNUZ || layout->kind == LAYOUT_ALL)
        return magnitudes;
    if (layout->kind == LAYOUT_FN)
        return magnitudes - 1;
    return magnitudes - (UINT64_C(1) << (layout->fraction_bits - 1));
}

/* The same number and, for zero, the same sign; NaN equals NaN. */
static inline bool same_double(double a, double b) {
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return a == b && !signbit(a) == !signbit(b);
}

/* A double as the library's exact number, put together here from frexp. */
static inline struct real exact_real(double value) {
    struct real real = {.kind = REAL_FINITE, .negative = signbit(value) != 0};
    if (isnan(value))
        return (struct real){.kind = REAL_NAN};
    if (value == 0 || isinf(value)) {
        real.kind = value == 0 ? REAL_ZERO : REAL_INFINITE;
        return real;
    }
    int exponent;
    double fraction = frexp(fabs(value), &exponent);
    real.exponent = exponent - 1;
    real.significand.high = (uint64_t)ldexp(fraction, 53) << 11;
    return real;
}

static inline float float_of_code(uint64_t code) {
    uint32_t bits = (uint32_t)code;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t code_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double double_of_code(uint64_t code) {
    double value;
    memcpy(&value, &code, sizeof value);
    return value;
}

static inline uint64_t code_of_double(double value) {
    uint64_t code;
    memcpy(&code, &value, sizeof code);
    return code;
}

#endif
