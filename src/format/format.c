/* The table of formats, and what follows from a row without rounding. */
#include "format/format.h"

#include "base/names.h"
#include "detmath/library/format_names.h"
#include "format/compound.h"
#include "format/p3109.h"

/* Each row states exponent bits E, fraction bits M, bias and which codes are special:
 *   IEEE  the highest exponent holds infinity (fraction 0) and NaN
 *   FN    finite: no infinity, NaN is all ones only
 *   FNUZ  finite, unsigned zero: no infinity, NaN is the code of -0
 *   ALL   every code is a finite number
 * The rest is derived here, once for each kind. */
#define ROW(NAME, E, M, BIAS, EMAX, INFINITY_TOO, MINUS_ZERO, NAN_TOO, MAX_FINITE, NAN_CODE, ...)  \
    {                                                                                              \
        .name = NAME, .width = 1 + (E) + (M), .precision = (M) + 1, .exponent_bias = (BIAS),       \
        .emin = 1 - (BIAS), .emax = (EMAX), .has_infinity = INFINITY_TOO,                          \
        .has_negative_zero = MINUS_ZERO, .has_nan = NAN_TOO, .has_zero = true,                     \
        .sign_bit = UINT64_C(1) << ((E) + (M)), .max_finite = (MAX_FINITE), .nan = (NAN_CODE),     \
        .aliases = __VA_ARGS__ /* and further members */                                           \
    }
#define ONES(BITS) ((UINT64_C(1) << (BITS)) - 1)
#define IEEE(NAME, E, M, BIAS, ...)                                                                \
    ROW(NAME, E, M, BIAS, (1 << (E)) - 2 - (BIAS), true, true, true, (ONES(E) << (M)) - 1,         \
        (ONES(E) << (M)) | UINT64_C(1) << ((M)-1), __VA_ARGS__)
#define FN(NAME, E, M, BIAS, ...)                                                                  \
    ROW(NAME, E, M, BIAS, (1 << (E)) - 1 - (BIAS), false, true, true, ONES((E) + (M)) - 1,         \
        ONES((E) + (M)), __VA_ARGS__)
#define FNUZ(NAME, E, M, BIAS, ...)                                                                \
    ROW(NAME, E, M, BIAS, (1 << (E)) - 1 - (BIAS), false, false, true, ONES((E) + (M)),            \
        UINT64_C(1) << ((E) + (M)), __VA_ARGS__)
#define ALL(NAME, E, M, BIAS, ...)                                                                 \
    ROW(NAME, E, M, BIAS, (1 << (E)) - 1 - (BIAS), false, true, false, ONES((E) + (M)),            \
        UINT64_C(1) << ((E) + (M)), __VA_ARGS__)

const struct format formats[] = {
    [FORMAT_FP4_E2M1FN] = ALL("fp4_e2m1fn", 2, 1, 1, DETMATH_ALIASES_E2M1FN),
    [FORMAT_FP6_E2M3FN] = ALL("fp6_e2m3fn", 2, 3, 1, DETMATH_ALIASES_E2M3FN),
    [FORMAT_FP6_E3M2FN] = ALL("fp6_e3m2fn", 3, 2, 3, DETMATH_ALIASES_E3M2FN),
    [FORMAT_FP8_E3M4] = IEEE("fp8_e3m4", 3, 4, 3, DETMATH_ALIASES_E3M4),
    [FORMAT_FP8_E4M3] = IEEE("fp8_e4m3", 4, 3, 7, DETMATH_ALIASES_E4M3),
    [FORMAT_FP8_E4M3B11FNUZ] = FNUZ("fp8_e4m3b11fnuz", 4, 3, 11, DETMATH_ALIASES_E4M3B11FNUZ),
    [FORMAT_FP8_E4M3FN] = FN("fp8_e4m3fn", 4, 3, 7, DETMATH_ALIASES_E4M3FN),
    [FORMAT_FP8_E4M3FNUZ] = FNUZ("fp8_e4m3fnuz", 4, 3, 8, DETMATH_ALIASES_E4M3FNUZ),
    [FORMAT_FP8_E5M2] = IEEE("fp8_e5m2", 5, 2, 15, DETMATH_ALIASES_E5M2),
    [FORMAT_FP8_E5M2FNUZ] = FNUZ("fp8_e5m2fnuz", 5, 2, 16, DETMATH_ALIASES_E5M2FNUZ),
    [FORMAT_FP8_E8M0FNU] = {.name = "fp8_e8m0fnu",
                            .aliases = DETMATH_ALIASES_E8M0FNU,
                            .width = 8,
                            .precision = 1,
                            .exponent_bias = 127,
                            .emin = -127,
                            .emax = 127,
                            .has_nan = true,
                            .max_finite = 254,
                            .nan = 255},
    [FORMAT_FP16] = IEEE("fp16", 5, 10, 15, DETMATH_ALIASES_F16),
    [FORMAT_BF16] = IEEE("bf16", 8, 7, 127, DETMATH_ALIASES_BF16),
    [FORMAT_TF32] = IEEE("tf32", 8, 10, 127, DETMATH_ALIASES_TF32),
    [FORMAT_FP32] = IEEE("fp32", 8, 23, 127, DETMATH_ALIASES_F32),
    [FORMAT_FP64] = IEEE("fp64", 11, 52, 1023, DETMATH_ALIASES_F64),
};
const size_t format_count = sizeof formats / sizeof *formats;

/* Of so many bits, FRACTION of them behind the point. */
#define INTEGER(NAME, BITS, FRACTION, ...)                                                         \
    {                                                                                              \
        .name = NAME, .width = (BITS), .precision = (BITS),                                        \
        .exponent_bias = 2 - (BITS) + (FRACTION), .emin = (BITS)-1 - (FRACTION),                   \
        .emax = (BITS)-1 - (FRACTION), .has_negative_zero = true, .has_zero = true,                \
        .is_integer = true, .sign_bit = UINT64_C(1) << ((BITS)-1), .max_finite = ONES((BITS)-1),   \
        .nan = 0, .aliases = __VA_ARGS__                                                           \
    }

/* Unsigned: SPARE bits more of a significand that no number fills, as that of -2^(BITS-1) does above.
 * One, but for uint64, whose codes leave none: the numbers from 2^63 on are its normal ones. */
#define UNSIGNED(NAME, BITS, SPARE, ...)                                                           \
    {                                                                                              \
        .name = NAME, .width = (BITS), .precision = (BITS) + (SPARE),                              \
        .exponent_bias = 2 - (BITS) - (SPARE), .emin = (BITS) + (SPARE)-1,                         \
        .emax = (BITS) + (SPARE)-1, .has_zero = true, .is_integer = true, .is_quantised = true,    \
        .max_finite = UINT64_MAX >> (64 - (BITS)), .nan = 0, .aliases = __VA_ARGS__                \
    }

const struct format integer_formats[] = {
    [FORMAT_INT8] = INTEGER("int8", 8, 0, "i8 s8"),
    [FORMAT_INT16] = INTEGER("int16", 16, 0, "i16 s16"),
    [FORMAT_INT32] = INTEGER("int32", 32, 0, "i32 s32 int"),
    [FORMAT_INT64] = INTEGER("int64", 64, 0, "i64 s64 long"),
    [FORMAT_INT4] = INTEGER("int4", 4, 0, "i4 s4", .is_quantised = true),
    [FORMAT_INT2] = INTEGER("int2", 2, 0, "i2 s2", .is_quantised = true),
    [FORMAT_UINT8] = UNSIGNED("uint8", 8, 1, "u8"),
    [FORMAT_UINT16] = UNSIGNED("uint16", 16, 1, "u16"),
    [FORMAT_UINT4] = UNSIGNED("uint4", 4, 1, "u4"),
    [FORMAT_UINT2] = UNSIGNED("uint2", 2, 1, "u2"),
    [FORMAT_UINT32] = UNSIGNED("uint32", 32, 1, "u32"),
    [FORMAT_UINT64] = UNSIGNED("uint64", 64, 0, "u64"),
};
const size_t integer_format_count = sizeof integer_formats / sizeof *integer_formats;

/* "OCP Microscaling Formats (MX) Specification" 1.0, 5.2 and 5.3. */
const struct format element_formats[] = {
    [FORMAT_MXFP8_E5M2] = IEEE("mxfp8_e5m2", 5, 2, 15, "mxfp8e5m2", .is_element = true),
    [FORMAT_MXFP8_E4M3] = FN("mxfp8_e4m3", 4, 3, 7, "mxfp8e4m3 mxfp8_e4m3fn", .is_element = true),
    [FORMAT_MXFP6_E3M2] = ALL("mxfp6_e3m2", 3, 2, 3, "mxfp6e3m2 mxfp6_e3m2fn", .is_element = true),
    [FORMAT_MXFP6_E2M3] = ALL("mxfp6_e2m3", 2, 3, 1, "mxfp6e2m3 mxfp6_e2m3fn", .is_element = true),
    [FORMAT_MXFP4_E2M1] =
        ALL("mxfp4_e2m1", 2, 1, 1, "mxfp4e2m1 mxfp4_e2m1fn mxfp4", .is_element = true),
    [FORMAT_MXINT8] = INTEGER("mxint8", 8, 6, NULL, .is_element = true),
};
const size_t element_format_count = sizeof element_formats / sizeof *element_formats;

/* Names that specifications use for different formats. */
static const struct {
    const char *name, *candidates;
} ambiguous[] = {
    {"e4m3",
     "fp8_e4m3fn (OCP, NVIDIA), fp8_e4m3fnuz (AMD, Graphcore), fp8_e4m3b11fnuz, fp8_e4m3 (with "
     "infinities)"},
    {"e5m2", "fp8_e5m2 (OCP, NVIDIA), fp8_e5m2fnuz (AMD, Graphcore)"},
    {"fp8", "fp8_e4m3fn, fp8_e5m2 and others; 'detcheck list formats' names them all"},
    {"float8", "fp8_e4m3fn, fp8_e5m2 and others; 'detcheck list formats' names them all"},
    {"fp6", "fp6_e2m3fn, fp6_e3m2fn"},
    {"mxfp8", "mxfp8_e4m3, mxfp8_e5m2"},
    {"mxfp6", "mxfp6_e2m3, mxfp6_e3m2"},
    {"float6", "fp6_e2m3fn, fp6_e3m2fn"},
};

const char *const rounding_names[ROUNDING_NAMES] = {
    "nearest-even", "toward-zero", "up",           "down",         "nearest-away", "stochastic",
    "nearest-up",   "to-odd",      "stochastic-a", "stochastic-b", "stochastic-c"};

/* As RISC-V, IEEE 754's own terms and MPFR abbreviate them, and as C's FE_ names end. */
static const char *const rounding_aliases[ROUNDING_NAMES] = {
    [ROUND_NEAREST_EVEN] = "rne rn rndn tonearest nearest roundTiesToEven",
    [ROUND_TOWARD_ZERO] = "rtz rz rndz towardzero zero roundTowardZero truncate",
    [ROUND_UP] = "rup ru rtp rndu upward roundTowardPositive",
    [ROUND_DOWN] = "rdn rd rtn rndd downward roundTowardNegative",
    [ROUND_NEAREST_AWAY] = "rna ra rmm roundTiesToAway",
    [ROUND_STOCHASTIC] = "sr"};

bool rounding_find(const char *text, enum rounding *rounding) {
    for (size_t i = 0; i < ROUNDING_NAMES; i++)
        if (name_matches(text, rounding_names[i], rounding_aliases[i])) {
            *rounding = (enum rounding)i;
            return true;
        }
    return false;
}

const char *const number_class_names[] = {"zero", "subnormal", "normal", "infinite", "nan"};

/* Those that a mistake may have meant come last. */
static const struct {
    const struct format *rows;
    size_t count;
} tables[] = {{integer_formats, sizeof integer_formats / sizeof *integer_formats},
              {element_formats, sizeof element_formats / sizeof *element_formats},
              {formats, sizeof formats / sizeof *formats}};
enum { TABLES = sizeof tables / sizeof *tables, TABLE_INTEGERS = 0 };

/* The one format of which the text is a beginning ("fp4"), or else the one whose name is nearest;
 * NULL where there is none. */
static const char *suggest_format(const char *text) {
    const char *begins = NULL, *names[sizeof formats / sizeof *formats +
                                      sizeof element_formats / sizeof *element_formats];
    size_t beginnings = 0, count = 0;
    for (size_t t = TABLE_INTEGERS + 1; t < TABLES; t++)
        for (size_t i = 0; i < tables[t].count; i++) {
            const struct format *row = &tables[t].rows[i];
            names[count++] = row->name;
            if (name_begins(text, row->name, row->aliases)) {
                begins = row->name;
                beginnings++;
            }
        }
    return beginnings == 1 ? begins : name_nearest(text, names, count);
}

static const struct format *find_plain(const char *text, struct error *error) {
    for (size_t t = 0; t < TABLES; t++)
        for (size_t i = 0; i < tables[t].count; i++)
            if (name_matches(text, tables[t].rows[i].name, tables[t].rows[i].aliases))
                return &tables[t].rows[i];
    for (size_t i = 0; i < sizeof ambiguous / sizeof *ambiguous; i++)
        if (name_matches(text, ambiguous[i].name, NULL)) {
            error_set(error, "the format '%s' could be one of several: %s", text,
                      ambiguous[i].candidates);
            return NULL;
        }
    bool is_name;
    const struct format *p3109 = p3109_find(text, &is_name, error);
    if (is_name)
        return p3109;
    const char *nearest = suggest_format(text);
    if (nearest)
        error_set(error, "unknown format '%s'; did you mean %s?", text, nearest);
    else
        error_set(error, "unknown format '%s'; 'detcheck list formats' names them all", text);
    return NULL;
}

const struct format *format_find(const char *text, struct error *error) {
    bool is_name;
    const struct format *compound = compound_find(text, find_plain, &is_name, error);
    return is_name ? compound : find_plain(text, error);
}

/* 0 times infinity is NaN, and zero has no sign (P3109 4.0, 4.10.4). Two significands have 32 bits together. */
static struct real decode_scaled(const struct format *format, uint64_t code) {
    const struct real scale = format_decode(format->scale, code >> format->element->width),
                      element = format_decode(format->element, code & format_mask(format->element));
    if (scale.kind == REAL_NAN || element.kind == REAL_NAN)
        return real_nan();
    if (scale.kind == REAL_ZERO || element.kind == REAL_ZERO)
        return scale.kind == REAL_INFINITE || element.kind == REAL_INFINITE ? real_nan()
                                                                            : real_zero(false);
    const bool negative = scale.negative != element.negative;
    if (scale.kind == REAL_INFINITE || element.kind == REAL_INFINITE)
        return real_infinity(negative);
    struct real value = {.kind = REAL_FINITE, .negative = negative};
    value.significand.high = (scale.significand.high >> 32) * (element.significand.high >> 32);
    const bool carries = value.significand.high >> 63;
    value.significand.high <<= !carries;
    value.exponent = scale.exponent + element.exponent + carries;
    return value;
}

static enum number_class class_of_scaled(const struct format *format, uint64_t code) {
    static const enum number_class classes[] = {[REAL_ZERO] = CLASS_ZERO,
                                                [REAL_FINITE] = CLASS_NORMAL,
                                                [REAL_INFINITE] = CLASS_INFINITE,
                                                [REAL_NAN] = CLASS_NAN};
    return classes[decode_scaled(format, code).kind];
}

enum number_class format_classify(const struct format *format, uint64_t code) {
    if (format->element)
        return class_of_scaled(format, code);
    if (format_is_nan(format, code))
        return CLASS_NAN;
    if (format_is_infinite(format, code))
        return CLASS_INFINITE;
    uint64_t magnitude = format_magnitude(format, code);
    if (!format->has_zero || magnitude >> (format->precision - 1))
        return CLASS_NORMAL;
    return magnitude ? CLASS_SUBNORMAL : CLASS_ZERO;
}

struct real format_decode(const struct format *format, uint64_t code) {
    if (format->element)
        return decode_scaled(format, code);
    bool negative = format_is_negative(format, code);
    if (format_is_nan(format, code))
        return real_nan();
    if (format_is_infinite(format, code))
        return real_infinity(negative);
    uint64_t magnitude = format_magnitude(format, code);
    if (format_is_zero(format, code))
        return real_zero(negative);
    unsigned fraction_bits = (unsigned)format->precision - 1;
    uint64_t biased = magnitude >> fraction_bits;
    uint64_t fraction = magnitude & (((uint64_t)1 << fraction_bits) - 1);
    struct real value = {.kind = REAL_FINITE, .negative = negative};
    if (biased || !format->has_zero) {
        value.exponent = (int32_t)biased - format->exponent_bias;
        value.significand.high = (fraction | (uint64_t)1 << fraction_bits) << (63 - fraction_bits);
    } else {
        unsigned shift = leading_zeros(fraction);
        value.exponent = format->emin - (int32_t)fraction_bits + 63 - (int32_t)shift;
        value.significand.high = fraction << shift;
    }
    return value;
}

/* Where there is no zero, the codes begin at ordinal 1. */
int64_t format_ordinal(const struct format *format, uint64_t code) {
    if (format->is_integer && format->sign_bit)
        return (int64_t)(code << (64 - format->width)) >> (64 - format->width);
    int64_t magnitude = (int64_t)format_magnitude(format, code) + !format->has_zero;
    return format_is_negative(format, code) ? -magnitude : magnitude;
}

uint64_t format_from_ordinal(const struct format *format, int64_t ordinal) {
    uint64_t magnitude = ordinal < 0 ? -(uint64_t)ordinal : (uint64_t)ordinal;
    if (!format->sign_bit && ordinal < 0)
        magnitude = 0;
    else if (!format->has_zero)
        magnitude = ordinal > 0 ? magnitude - 1 : 0;
    uint64_t most = format_most(format, ordinal < 0) + format->has_infinity;
    return format_with_sign(format, magnitude > most ? most : magnitude, ordinal < 0);
}

uint64_t format_next_up(const struct format *format, uint64_t code) {
    if (format_is_nan(format, code))
        return code;
    /* Ordinals run through zero once, so the neighbour above -(smallest subnormal) is +0; the sign
     * of the number that came from below is kept instead, as nextUp of IEEE 754 has it. */
    if (format->sign_bit && !format->is_integer && code == format_with_sign(format, 1, true))
        return format_with_sign(format, 0, true);
    if (code == format_greatest(format))
        return code;
    if (format->is_integer)
        return (code + 1) & format_mask(format);
    return format_from_ordinal(format, format_ordinal(format, code) + 1);
}

uint64_t format_next_down(const struct format *format, uint64_t code) {
    if (format_is_nan(format, code))
        return code;
    if (format->is_integer) /* the least is that of the sign bit, or 0 */
        return code == format->sign_bit ? code : (code - 1) & format_mask(format);
    return format_from_ordinal(format, format_ordinal(format, code) - 1);
}

int format_ulp_exponent(const struct format *format, const struct real *value) {
    int exponent = format->emin;
    if (value->kind == REAL_INFINITE)
        exponent = format->emax;
    else if (value->kind == REAL_FINITE && value->exponent > format->emin)
        exponent = value->exponent < format->emax ? value->exponent : format->emax;
    return exponent - format->precision + 1;
}
