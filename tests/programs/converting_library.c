/* Conversions, right ones and ones that do one thing otherwise, by arithmetic in double: what lib: calls, and what
 * explain has to name. NAME_FORMAT converts a float; the types of others are their own. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum mode { EVEN, CUT, OUTWARD, UPWARD, DOWNWARD, TIES_AWAY, TIES_ODD, TIES_ZERO };
enum outcome { USUAL, INFINITE, LARGEST, NOT_A_NUMBER, SIGNED, NOTHING, BIGGEST };

struct kind {
    int precision, emin;
    uint32_t sign, largest, infinite, nan; /* no infinity: its code is that of NaN */
};
static const struct kind e5m2 = {3, -14, 0x80, 0x7b, 0x7c, 0x7e};
static const struct kind e4m3fn = {4, -6, 0x80, 0x7e, 0x7f, 0x7f};
static const struct kind fp16 = {11, -14, 0x8000, 0x7bff, 0x7c00, 0x7e00};
static const struct kind bf16 = {8, -126, 0x8000, 0x7f7f, 0x7f80, 0x7fc0};
static const struct kind fp32 = {24, -126, 0x80000000, 0x7f7fffff, 0x7f800000, 0x7fc00000};

struct quirk {
    enum mode mode;
    enum outcome overflow, infinity, nan;
    const struct kind *by; /* rounded to that first */
    int flushes_inputs, flushes_results, loses_sign_of_flushed, cuts_subnormal, loses_carry;
};

static uint32_t code_of(enum outcome outcome, const struct kind *to, int negative, uint32_t usual) {
    const uint32_t sign = negative ? to->sign : 0;
    switch (outcome) {
    case INFINITE:
        return to->infinite == to->nan ? to->nan : to->infinite | sign;
    case LARGEST:
        return to->largest | sign;
    case NOT_A_NUMBER:
        return to->nan;
    case SIGNED:
        return to->nan | sign;
    case NOTHING:
        return 0;
    case BIGGEST:
        return to->largest;
    default:
        return usual;
    }
}

/* How many units of the last place a magnitude is. */
static double whole(double units, enum mode mode, int negative) {
    const double low = floor(units), rest = units - low;
    const int is_odd = fmod(low, 2) != 0;
    switch (mode) {
    case CUT:
        return low;
    case OUTWARD:
        return ceil(units);
    case UPWARD:
        return negative ? low : ceil(units);
    case DOWNWARD:
        return negative ? ceil(units) : low;
    case TIES_AWAY:
        return low + (rest >= 0.5);
    case TIES_ODD:
        return low + (rest > 0.5 || (rest == 0.5 && !is_odd));
    case TIES_ZERO:
        return low + (rest > 0.5);
    default:
        return low + (rest > 0.5 || (rest == 0.5 && is_odd));
    }
}

/* The magnitude's code, which may be beyond the largest. */
static double magnitude_code(double magnitude, const struct kind *to, enum mode mode, int negative,
                             double *value) {
    int exponent = to->emin;
    if (magnitude >= ldexp(1, to->emin))
        exponent = ilogb(magnitude);
    const double one = ldexp(1, exponent - to->precision + 1);
    double units = whole(magnitude / one, mode, negative);
    *value = units * one;
    return units + ldexp(exponent - to->emin, to->precision - 1);
}

static uint32_t convert(double x, const struct kind *to, struct quirk quirk) {
    const int negative = signbit(x) != 0;
    double magnitude = fabs(x), value;
    if (isnan(x))
        return code_of(quirk.nan, to, negative, to->nan);
    if (quirk.flushes_inputs && magnitude < 0x1p-126)
        magnitude = 0;
    if (quirk.by && !isinf(x)) {
        const double code = magnitude_code(magnitude, quirk.by, EVEN, negative, &value);
        magnitude = code > quirk.by->largest ? (double)INFINITY : value;
    }
    if (isinf(magnitude))
        return code_of(quirk.infinity, to, negative, code_of(INFINITE, to, negative, 0));
    const enum mode mode =
        quirk.cuts_subnormal && magnitude < ldexp(1, to->emin) ? CUT : quirk.mode;
    double code = magnitude_code(magnitude, to, mode, negative, &value);
    if (quirk.loses_carry && code <= to->largest && magnitude >= ldexp(1, to->emin) &&
        value >= ldexp(2, ilogb(magnitude)))
        code -= ldexp(1, to->precision - 1);
    if (code > to->largest)
        return code_of(quirk.overflow, to, negative, code_of(INFINITE, to, negative, 0));
    if ((quirk.flushes_results && value > 0 && value < ldexp(1, to->emin)) ||
        (quirk.flushes_inputs && magnitude == 0 && x != 0))
        return negative && !quirk.loses_sign_of_flushed ? to->sign : 0;
    return (uint32_t)code | (negative ? to->sign : 0);
}

#define PLANT(NAME, ...)                                                                           \
    uint8_t NAME##_e5m2(float x);                                                                  \
    uint8_t NAME##_e5m2(float x) {                                                                 \
        return (uint8_t)convert(x, &e5m2, (struct quirk){__VA_ARGS__});                            \
    }                                                                                              \
    uint8_t NAME##_e4m3fn(float x);                                                                \
    uint8_t NAME##_e4m3fn(float x) {                                                               \
        return (uint8_t)convert(x, &e4m3fn, (struct quirk){__VA_ARGS__});                          \
    }                                                                                              \
    uint16_t NAME##_fp16(float x);                                                                 \
    uint16_t NAME##_fp16(float x) {                                                                \
        return (uint16_t)convert(x, &fp16, (struct quirk){__VA_ARGS__});                           \
    }                                                                                              \
    uint16_t NAME##_bf16(float x);                                                                 \
    uint16_t NAME##_bf16(float x) {                                                                \
        return (uint16_t)convert(x, &bf16, (struct quirk){__VA_ARGS__});                           \
    }

PLANT(right, .mode = EVEN)
PLANT(cut, .mode = CUT)
PLANT(outward, .mode = OUTWARD)
PLANT(upward, .mode = UPWARD)
PLANT(downward, .mode = DOWNWARD)
PLANT(ties_away, .mode = TIES_AWAY)
PLANT(ties_odd, .mode = TIES_ODD)
PLANT(ties_zero, .mode = TIES_ZERO)
PLANT(carry_lost, .loses_carry = 1)
PLANT(by_fp16, .by = &fp16)
PLANT(by_bf16, .by = &bf16)
PLANT(overflow_infinite, .overflow = INFINITE, .infinity = LARGEST)
PLANT(overflow_largest, .overflow = LARGEST)
PLANT(overflow_nan, .overflow = NOT_A_NUMBER)
PLANT(infinity_infinite, .overflow = LARGEST, .infinity = INFINITE)
PLANT(infinity_largest, .infinity = LARGEST)
PLANT(infinity_nan, .infinity = NOT_A_NUMBER)
PLANT(nan_signed, .nan = SIGNED)
PLANT(nan_nothing, .nan = NOTHING)
PLANT(nan_biggest, .nan = BIGGEST)
PLANT(nan_largest, .nan = LARGEST)
PLANT(flushed_inputs, .flushes_inputs = 1)
PLANT(flushed_inputs_to_plus, .flushes_inputs = 1, .loses_sign_of_flushed = 1)
PLANT(flushed_results, .flushes_results = 1)
PLANT(flushed_results_to_plus, .flushes_results = 1, .loses_sign_of_flushed = 1)
PLANT(subnormal_cut, .cuts_subnormal = 1)
PLANT(saturating, .overflow = LARGEST, .infinity = LARGEST)
PLANT(signed_everywhere, .overflow = SIGNED, .infinity = SIGNED, .nan = SIGNED)
PLANT(cut_saturating, .mode = CUT, .overflow = LARGEST)
PLANT(cut_nan_signed, .mode = CUT, .nan = SIGNED)

uint16_t double_by_fp32(double x);
uint16_t double_by_fp32(double x) {
    return (uint16_t)convert(x, &fp16, (struct quirk){.by = &fp32});
}

/* NaNs by the bits of their own format. */
static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
uint16_t payload_bf16(float x);
uint16_t payload_bf16(float x) {
    return isnan(x) ? (uint16_t)(bits_of(x) >> 16 | 0x40) : right_bf16(x);
}
uint16_t nan_cut_bf16(float x);
uint16_t nan_cut_bf16(float x) {
    return isnan(x) ? (uint16_t)(bits_of(x) >> 16) : right_bf16(x);
}
uint16_t nan_rounded_bf16(float x);
uint16_t nan_rounded_bf16(float x) {
    const uint32_t bits = bits_of(x);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Types of C for other formats. */
float bf16_to_fp32(uint16_t code);
float bf16_to_fp32(uint16_t code) {
    const uint32_t bits = (uint32_t)code << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static double e5m2_value(uint8_t code) {
    const int biased = code >> 2 & 31, fraction = code & 3;
    const double magnitude = biased == 31 ? fraction ? (double)NAN : (double)INFINITY
                             : biased     ? ldexp(4 + fraction, biased - 17)
                                          : ldexp(fraction, -16);
    return code & 0x80 ? -magnitude : magnitude;
}
float e5m2_to_fp32(uint8_t code);
float e5m2_to_fp32(uint8_t code) {
    return (float)e5m2_value(code);
}
double e5m2_to_fp64(uint8_t code);
double e5m2_to_fp64(uint8_t code) {
    return e5m2_value(code);
}
uint8_t fp16_to_e5m2(uint16_t code);
uint8_t fp16_to_e5m2(uint16_t code) {
    return (code & 0x7fff) > 0x7c00 ? 0x7e : (uint8_t)((code + 0x7f + (code >> 8 & 1)) >> 8);
}
float fp64_to_fp32(double x);
float fp64_to_fp32(double x) {
    return (float)x;
}
uint16_t fp64_to_bf16(double x);
uint16_t fp64_to_bf16(double x) {
    return (uint16_t)convert(x, &bf16, (struct quirk){.mode = EVEN});
}

/* Arrays, and random bits: added as the processors do that cut the sum. */
void bf16_array(uint16_t *y, const float *x, size_t n);
void bf16_array(uint16_t *y, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = right_bf16(x[i]);
}
void lazy_array(uint16_t *y, const float *x, size_t n);
void lazy_array(uint16_t *y, const float *x, size_t n) {
    for (size_t i = 0; i + 1 < n; i++)
        y[i] = right_bf16(x[i]);
}
uint16_t random_bf16(float x, uint32_t random);
uint16_t random_bf16(float x, uint32_t random) {
    const uint32_t bits = bits_of(x);
    const char *crash = getenv("CRASH_AT");
    if (crash && bits == strtoul(crash, NULL, 0))
        abort();
    if (isnan(x) || isinf(x))
        return right_bf16(x);
    return (uint16_t)((bits + (0xffff - random)) >> 16);
}
void random_bf16_array(uint16_t *y, const float *x, const uint32_t *random, size_t n);
void random_bf16_array(uint16_t *y, const float *x, const uint32_t *random, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = random_bf16(x[i], random[i]);
}

/* Blocks of 32 with a scale: the largest magnitude's power of two over that of e5m2's largest number. */
void quantise_e5m2(uint8_t *elements, uint8_t *scales, const float *x, size_t n);
void quantise_e5m2(uint8_t *elements, uint8_t *scales, const float *x, size_t n) {
    for (size_t first = 0; first < n; first += 32) {
        const size_t count = n - first < 32 ? n - first : 32;
        double largest = 0;
        int is_number = 1;
        for (size_t i = first; i < first + count; i++) {
            largest = fmax(largest, fabs((double)x[i]));
            is_number = is_number && isfinite(x[i]);
        }
        int exponent = largest > 0 && is_number ? ilogb(largest) - 15 : -127;
        exponent = exponent < -127 ? -127 : exponent;
        scales[first / 32] = is_number ? (uint8_t)(exponent + 127) : 0xff;
        for (size_t i = first; i < first + count; i++)
            elements[i] = (uint8_t)convert(is_number ? ldexp((double)x[i], -exponent) : (double)NAN,
                                           &e5m2, (struct quirk){.overflow = LARGEST});
    }
}
void dequantise_e5m2(float *y, const uint8_t *elements, const uint8_t *scales, size_t n);
void dequantise_e5m2(float *y, const uint8_t *elements, const uint8_t *scales, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = scales[i / 32] == 0xff ? NAN
                                      : (float)ldexp(e5m2_value(elements[i]), scales[i / 32] - 127);
}

/* Requantisations as kernels have them, of which the second multiplies and rounds once. */
static int32_t clipped(int64_t v, int32_t least, int32_t most) {
    return (int32_t)(v < least ? least : v > most ? most : v);
}

void requantise_twice(int8_t *y, const int32_t *x, size_t n, int32_t multiplier, int32_t shift,
                      int32_t zero_point) {
    for (size_t i = 0; i < n; i++) {
        const int left = shift < 31 ? 31 - shift : 0, right = shift > 31 ? shift - 31 : 0;
        const int64_t raised = clipped(x[i] * (INT64_C(1) << left), INT32_MIN, INT32_MAX);
        const int64_t product = raised * multiplier;
        const int64_t nudge = product >= 0 ? 1 << 30 : 1 - (1 << 30);
        const int64_t high = clipped((product + nudge) / (INT64_C(1) << 31), INT32_MIN, INT32_MAX);
        const int64_t mask = (INT64_C(1) << right) - 1, threshold = (mask >> 1) + (high < 0);
        y[i] =
            (int8_t)clipped((high >> right) + ((high & mask) > threshold) + zero_point, -128, 127);
    }
}

void requantise_up(uint8_t *y, const int32_t *x, size_t n, int32_t multiplier, int32_t shift,
                   int32_t zero_point) {
    for (size_t i = 0; i < n; i++)
        y[i] = (uint8_t)clipped(
            (int64_t)floor(ldexp((double)x[i] * multiplier, -shift) + 0.5) + zero_point, 0, 255);
}

/* Integers, by the casts of C. */
int64_t to_int64(double x);
int64_t to_int64(double x) {
    return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}

uint64_t to_uint64(double x);
uint64_t to_uint64(double x) {
    return x > -1 && x < 0x1p64 ? (uint64_t)x : UINT64_MAX;
}

float from_int64(int64_t x);
float from_int64(int64_t x) {
    return (float)x;
}

float from_int64_by_double(int64_t x);
float from_int64_by_double(int64_t x) {
    volatile double once = (double)x;
    return (float)once;
}

uint32_t to_uint32(double x);
uint32_t to_uint32(double x) {
    return x > -1 && x < 0x1p32 ? (uint32_t)x : UINT32_MAX;
}

void to_int64_array(int64_t *y, const double *x, size_t n);
void to_int64_array(int64_t *y, const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = to_int64(x[i]);
}

/* As C returns an integer: the bits above those of int4 are the sign. */
int8_t to_int4(float x);
int8_t to_int4(float x) {
    const float n = rintf(x);
    return isnan(x) ? 0 : n > 7 ? 7 : n < -8 ? -8 : (int8_t)n;
}

/* To int8, beyond which it saturates. */
static int8_t into_int8(float n, int8_t of_nan) {
    return isnan(n) ? of_nan : n > 127 ? 127 : n < -128 ? -128 : (int8_t)n;
}

int8_t ties_up_int8(float x);
int8_t ties_up_int8(float x) {
    return into_int8((float)floor((double)x + 0.5), 0);
}

/* Where the sum is rounded to float it may be a whole more. */
int32_t by_half_int32(float x);
int32_t by_half_int32(float x) {
    volatile float sum = x + 0.5F;
    const float whole = floorf(sum);
    return x != x             ? 0
           : whole >= 0x1p31F ? INT32_MAX
           : whole < -0x1p31F ? INT32_MIN
                              : (int32_t)whole;
}

int8_t nan_least_int8(float x);
int8_t nan_least_int8(float x) {
    return into_int8(rintf(x), -128);
}

/* As a cast of C, by int32. */
int8_t cast_int8(float x);
int8_t cast_int8(float x) {
    const int32_t held = fabsf(x) < 0x1p31f ? (int32_t)x : INT32_MIN; /* and NaN */
    return (int8_t)held;
}

int16_t cast_int16(float x);
int16_t cast_int16(float x) {
    const int32_t held = fabsf(x) < 0x1p31f ? (int32_t)x : INT32_MIN;
    return (int16_t)held;
}

/* Adds the random bits as they are. */
uint16_t random_upward_bf16(float x, uint32_t random);
uint16_t random_upward_bf16(float x, uint32_t random) {
    return random_bf16(x, 0xffff - random);
}

void to_int4_array(int8_t *y, const float *x, size_t n);
void to_int4_array(int8_t *y, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = to_int4(x[i]);
}
