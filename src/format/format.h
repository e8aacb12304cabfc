/* Number formats as data: how bits stand for numbers, and back.
 *
 * A code is the bit pattern of one number in an unsigned 64-bit integer, the format's `width` bits
 * wide. All formats but one are sign, exponent, fraction, with gradual underflow; they differ in
 * the row of the table in format.c. The one is fp8_e8m0fnu, a format of scales: an exponent alone,
 * without sign and without zero. Sources: IEEE 754-2019 section 3.4 (fp16, fp32, fp64), bfloat16 as
 * the top half of fp32, tf32 as its top 19 bits, "FP8 Formats for Deep Learning" (arXiv 2209.05433)
 * for fp8_e4m3fn and fp8_e5m2, "8-bit Numerical Formats for Deep Neural Networks" (arXiv
 * 2206.02915) for the FNUZ formats, "OCP Microscaling Formats (MX) Specification" 1.0 for the
 * formats of 6 and 4 bits, of scales and of elements of blocks, ml_dtypes for fp8_e4m3, fp8_e3m4
 * and fp8_e4m3b11fnuz. */
#ifndef DETCHECK_FORMAT_FORMAT_H
#define DETCHECK_FORMAT_FORMAT_H

#include "base/error.h"
#include "format/real.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Operands that may have formats of their own. */
enum { FORMAT_OPERANDS = 3 };

struct format {
    const char *name;
    const char *aliases; /* other spellings, separated by spaces */
    unsigned width;      /* bits of a code */
    int precision;       /* bits of a normal significand, the hidden one included */
    int exponent_bias;
    int emin, emax; /* exponents of the smallest normal and of the largest finite number */
    bool has_infinity;
    bool has_negative_zero;
    bool has_nan;
    bool has_zero;
    bool is_integer; /* two's complement; emin is emax, so that an ulp is always the same: 1 */
    bool
        is_quantised; /* an integer of casts and quantised arrays, of which dyadic operations know nothing */
    bool is_p3109; /* of IEEE P3109 (format/p3109.h): one zero, one NaN, its rules of projection */
    bool is_element;     /* of a block, whose scale multiplies its numbers */
    uint64_t sign_bit;   /* 0: no negative numbers */
    uint64_t max_finite; /* code of the largest finite number */
    /* The canonical quiet NaN: in formats with sign but without -0, the code that would be -0.
     * Where there is no NaN, what stands for it: the code of -0, as in ml_dtypes. */
    uint64_t nan;
    /* Compounds only (format/compound.h): the two parts of a scaled format, else NULL; and the formats of a list, else NULL. Few
     * functions here take these: format_decode, format_classify, format_is_nan, _infinite and _zero, format_mask and
     * format_bytes, and those of format/text.h, take a scaled format; a list has format_bytes and format_mask alone. */
    const struct format *scale, *element;
    const struct format *of[FORMAT_OPERANDS];
};

/* The format of an operand of a call on operands in `format`. */
static inline const struct format *format_of_operand(const struct format *format, int operand) {
    return format->of[0] ? format->of[operand] : format;
}

/* Whether all operands have one format whose codes are in the order of its numbers. */
static inline bool format_is_plain(const struct format *format) {
    return !format->of[0] && !format->element;
}

/* That of the results where no other is named: of the first operand, without its scale. */
static inline const struct format *format_without_scale(const struct format *format) {
    const struct format *first = format_of_operand(format, 0);
    return first->element ? first->element : first;
}

/* The bits of `operands` operands together. */
static inline unsigned format_input_bits(const struct format *format, int operands) {
    unsigned bits = 0;
    for (int i = 0; i < operands; i++)
        bits += format_of_operand(format, i)->width;
    return bits;
}

/* All formats, smallest first; `format_count` of them. */
enum format_number {
    FORMAT_FP4_E2M1FN,
    FORMAT_FP6_E2M3FN,
    FORMAT_FP6_E3M2FN,
    FORMAT_FP8_E3M4,
    FORMAT_FP8_E4M3,
    FORMAT_FP8_E4M3B11FNUZ,
    FORMAT_FP8_E4M3FN,
    FORMAT_FP8_E4M3FNUZ,
    FORMAT_FP8_E5M2,
    FORMAT_FP8_E5M2FNUZ,
    FORMAT_FP8_E8M0FNU,
    FORMAT_FP16,
    FORMAT_BF16,
    FORMAT_TF32,
    FORMAT_FP32,
    FORMAT_FP64
};
extern const struct format formats[];
extern const size_t format_count;

/* For operations on integers and for casts, and not among `formats`. Dyadic operations end before
 * FORMAT_INT4. */
enum integer_format_number {
    FORMAT_INT8,
    FORMAT_INT16,
    FORMAT_INT32,
    FORMAT_INT64,
    FORMAT_INT4,
    FORMAT_INT2,
    FORMAT_UINT8,
    FORMAT_UINT16,
    FORMAT_UINT4,
    FORMAT_UINT2,
    FORMAT_UINT32,
    FORMAT_UINT64
};
extern const struct format integer_formats[];
extern const size_t integer_format_count;

/* Elements of the blocks of format/block.h, as numbers that are yet to be multiplied by the block's
 * scale, and not among `formats`. mxint8 counts in 2^-6. */
enum element_format_number {
    FORMAT_MXFP8_E5M2,
    FORMAT_MXFP8_E4M3,
    FORMAT_MXFP6_E3M2,
    FORMAT_MXFP6_E2M3,
    FORMAT_MXFP4_E2M1,
    FORMAT_MXINT8
};
extern const struct format element_formats[];
extern const size_t element_format_count;

/* Whether every normal number of a format is one of a wider format. */
static inline bool format_is_within(const struct format *format, const struct format *wide) {
    return format->precision <= wide->precision && format->emax <= wide->emax;
}

/* Whether codes are whole numbers, which are written in decimal. */
static inline bool format_is_whole(const struct format *format) {
    return format->is_integer && !format->is_element;
}

/* By name or alias, any case, '-' as '_'; NULL and an error with the nearest name when unknown, or
 * with the candidates of a name that several formats could mean, such as "e4m3". */
const struct format *format_find(const char *text, struct error *error);

/* Directions of rounding (IEEE 754-2019 section 4.3). */
enum rounding {
    ROUND_NEAREST_EVEN,
    ROUND_TOWARD_ZERO,
    ROUND_UP,
    ROUND_DOWN,
    ROUND_NEAREST_AWAY,
    ROUNDING_COUNT,
    /* By random bits; only for operations that take it, and not for format_encode. */
    ROUND_STOCHASTIC = ROUNDING_COUNT,
    /* floor(x + 1/2): only where results are integers. */
    ROUND_NEAREST_UP,
    /* IEEE P3109 4.0, 4.7.4: to the neighbour whose code is odd, and by random bits in three ways. */
    ROUND_TO_ODD,
    ROUND_STOCHASTIC_A,
    ROUND_STOCHASTIC_B,
    ROUND_STOCHASTIC_C,
    ROUNDING_NAMES
};
/* "nearest-even", "toward-zero", "up", "down", "nearest-away"; "stochastic", "nearest-up", "to-odd" and
 * "stochastic-a" to "stochastic-c" behind them. */
extern const char *const rounding_names[ROUNDING_NAMES];

/* By name or by a usual abbreviation ("rne", "rtz"), any case; false when unknown. */
bool rounding_find(const char *text, enum rounding *rounding);

/* Whether a tie is all that a rounding has beside the nearest number. */
static inline bool rounding_is_nearest(enum rounding rounding) {
    return rounding == ROUND_NEAREST_EVEN || rounding == ROUND_NEAREST_AWAY ||
           rounding == ROUND_NEAREST_UP;
}

/* Whether random bits decide. */
static inline bool rounding_is_stochastic(enum rounding rounding) {
    return rounding == ROUND_STOCHASTIC ||
           (rounding >= ROUND_STOCHASTIC_A && rounding <= ROUND_STOCHASTIC_C);
}

/* What a result beyond the largest finite number becomes. OVERFLOW_IEEE: infinity, or NaN where the
 * format has none, in the roundings that go there (IEEE 754-2019 section 7.4), else the largest
 * finite number, as where there is no NaN either. OVERFLOW_SATURATE: always the largest finite
 * number; an infinite value too. OVERFLOW_PROPAGATE: the largest finite number, but infinity for an
 * infinite value.
 * In the formats of P3109 these are SatNone, SatFinite and SatPropagate (its report 4.0, 4.7.5): what no
 * infinity stands for becomes the largest number, and a negative value of an unsigned format NaN (SatNone, but
 * in the roundings that go up to 0) or 0. */
enum overflow { OVERFLOW_IEEE, OVERFLOW_SATURATE, OVERFLOW_PROPAGATE };

/* The code of `value` rounded once. NaN becomes the canonical NaN; zero keeps its sign where the
 * format has -0. Rounding is as if the exponent had no upper bound, and overflow is what then
 * exceeds the largest finite number. Where there is no sign or no zero, negative numbers and zeros
 * become NaN (of unsigned integers 0), and what is below the smallest number becomes that. */
uint64_t format_encode(const struct format *format, const struct real *value,
                       enum rounding rounding, enum overflow overflow);

/* Random bits, `count` of them (1 to 64; 1 to 62 for the ways of P3109), as a number R. For nu, the part of
 * the magnitude that is cut off, it is rounded away from zero
 *   ROUND_STOCHASTIC    where floor(nu 2^count) > R
 *   ROUND_STOCHASTIC_A  where floor(nu 2^count) + R >= 2^count
 *   ROUND_STOCHASTIC_B  where floor(nu 2^(count+1)) + 2 R + 1 >= 2^(count+1)
 *   ROUND_STOCHASTIC_C  where nu 2^count, rounded to the nearest integer, ties to even, + R >= 2^count */
struct random_bits {
    unsigned count;
    uint64_t number;
};

/* format_encode, also by random bits, which may be NULL where rounding is not stochastic. */
uint64_t format_project(const struct format *format, const struct real *value,
                        enum rounding rounding, enum overflow overflow,
                        const struct random_bits *random);

/* The magnitude of a finite value rounded as if the exponent had no upper bound, as a code without
 * its sign. */
struct rounded {
    uint64_t magnitude; /* the largest of 64 bits where there is no such code */
    bool overflows;     /* it is beyond the greatest magnitude of that sign */
};

/* `random` may be NULL where rounding is not stochastic. */
struct rounded format_round(const struct format *format, const struct real *value,
                            enum rounding rounding, const struct random_bits *random);

/* The magnitude of a finite value rounded to an integer: its low 128 bits, and whether it has more. */
struct rounded_integer {
    struct wide magnitude;
    bool has_more;
};
struct rounded_integer format_round_integer(const struct real *value, enum rounding rounding,
                                            const struct random_bits *random);

/* Whether format_round overflows: an infinite value does, and a finite one whose rounding, with the
 * exponent unbounded, exceeds the largest finite number. */
bool format_overflows(const struct format *format, const struct real *value,
                      enum rounding rounding);

/* format_encode of an MPFR number, taken as exact; any precision. */
uint64_t format_encode_mpfr(const struct format *format, mpfr_srcptr value, enum rounding rounding,
                            enum overflow overflow);

/* The exact value of a code, which must be within the width. */
struct real format_decode(const struct format *format, uint64_t code);

enum number_class { CLASS_ZERO, CLASS_SUBNORMAL, CLASS_NORMAL, CLASS_INFINITE, CLASS_NAN };
extern const char *const number_class_names[];
enum number_class format_classify(const struct format *format, uint64_t code);

static inline uint64_t format_mask(const struct format *format) {
    return UINT64_MAX >> (64 - format->width);
}

/* The code's magnitude: all bits but the sign. */
static inline uint64_t format_magnitude(const struct format *format, uint64_t code) {
    if (format->is_integer && (code & format->sign_bit))
        return (0 - code) & format_mask(format);
    return code & (format->sign_bit - 1);
}

static inline bool format_is_negative(const struct format *format, uint64_t code) {
    return (code & format->sign_bit) != 0;
}

static inline bool format_is_nan(const struct format *format, uint64_t code) {
    if (format->element)
        return format_classify(format, code) == CLASS_NAN;
    if (!format->has_negative_zero && format->sign_bit && code == format->sign_bit)
        return true;
    return format_magnitude(format, code) > format->max_finite + format->has_infinity &&
           format->has_nan;
}

/* A signalling NaN: one without the quiet bit, in the formats of IEEE 754. Every operation makes a
 * quiet NaN of it, those too that disregard a quiet one, such as pow(1, NaN) (IEEE 754, 6.2). */
static inline bool format_is_signalling(const struct format *format, uint64_t code) {
    /* Some of the others have no bit to tell by, and those of P3109 have one NaN. */
    if (!format->has_infinity || format->is_p3109)
        return false;
    uint64_t quiet = (uint64_t)1 << (format->precision - 2);
    return !(code & quiet) && format_is_nan(format, code);
}

static inline bool format_is_infinite(const struct format *format, uint64_t code) {
    if (format->element)
        return format_classify(format, code) == CLASS_INFINITE;
    return format->has_infinity && format_magnitude(format, code) == format->max_finite + 1;
}

static inline bool format_is_zero(const struct format *format, uint64_t code) {
    if (format->element)
        return format_classify(format, code) == CLASS_ZERO;
    return format->has_zero && format_magnitude(format, code) == 0 && !format_is_nan(format, code);
}

/* The code of +infinity, or of the largest finite number where there is no infinity. */
static inline uint64_t format_greatest(const struct format *format) {
    return format->max_finite + format->has_infinity;
}

/* The code of `magnitude` with a sign; -0 is 0 where the format has no negative zero, and there is
 * no sign where it has none. */
static inline uint64_t format_with_sign(const struct format *format, uint64_t magnitude,
                                        bool negative) {
    if (!negative || (magnitude == 0 && !format->has_negative_zero))
        return magnitude;
    return format->is_integer ? (0 - magnitude) & format_mask(format)
                              : magnitude | format->sign_bit;
}

/* The greatest magnitude of a finite number of that sign: integers have one more below zero, or
 * none. */
static inline uint64_t format_most(const struct format *format, bool negative) {
    if (format->is_integer && negative)
        return format->sign_bit;
    return format->max_finite;
}

/* A monotone integer for every number: 0 for both zeros, 1 for the smallest positive number, and so
 * on to infinity; negative numbers mirrored. The difference of two is their distance in codes.
 * Undefined for NaN. Those of uint64 from 2^63 on are 2^64 too small, as an int64_t holds them. */
int64_t format_ordinal(const struct format *format, uint64_t code);

/* The number with that ordinal, +0 for 0. Out of range: the infinity (or largest number) there, and
 * the smallest number where there is no zero. */
uint64_t format_from_ordinal(const struct format *format, int64_t ordinal);

/* The neighbours in value; the ends stay. The neighbours of both zeros are the smallest subnormals.
 * NaN stays NaN. */
uint64_t format_next_up(const struct format *format, uint64_t code);
uint64_t format_next_down(const struct format *format, uint64_t code);

/* The exponent of ulp(y) (ARCHITECTURE.md, "The error in ulps"):
 * ulp(y) = 2^(clamp(e, emin, emax) - p + 1) for 2^e <= |y| < 2^(e+1); zero takes emin, infinity emax.
 * Undefined for NaN. */
int format_ulp_exponent(const struct format *format, const struct real *value);

/* Bytes that a code takes in memory and in fingerprints: 1, 2, 4 or 8. */
static inline size_t format_bytes(const struct format *format) {
    return format->width <= 8 ? 1 : format->width <= 16 ? 2 : format->width <= 32 ? 4 : 8;
}

/* Element `index` of an array of codes of format_bytes each. */
static inline uint64_t code_load(const void *array, size_t bytes, size_t index) {
    switch (bytes) {
    case 1:
        return ((const uint8_t *)array)[index];
    case 2:
        return ((const uint16_t *)array)[index];
    case 4:
        return ((const uint32_t *)array)[index];
    default:
        return ((const uint64_t *)array)[index];
    }
}

static inline void code_store(void *array, size_t bytes, size_t index, uint64_t code) {
    switch (bytes) {
    case 1:
        ((uint8_t *)array)[index] = (uint8_t)code;
        return;
    case 2:
        ((uint16_t *)array)[index] = (uint16_t)code;
        return;
    case 4:
        ((uint32_t *)array)[index] = (uint32_t)code;
        return;
    default:
        ((uint64_t *)array)[index] = code;
    }
}

#endif
