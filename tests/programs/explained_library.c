/* Functions that are wrong in one way each, for explain_test.py: what makes them differ from the right
 * ones has to be named. */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float flush(float value) {
    return fabsf(value) < FLT_MIN ? copysignf(0, value) : value;
}

static float flush_to_plus(float value) {
    return fabsf(value) < FLT_MIN ? 0 : value;
}

/* The neighbour above, of the same bits otherwise: an error of one ulp. */
static float off(float value) {
    return from_bits(bits_of(value) + 1);
}

/* What shows in fp16 too. */
static float far_off(float value) {
    return value * (1 + 0x1p-8f);
}

float flushed_inputs(float x) {
    return (float)cbrt((double)flush(x));
}
float flushed_inputs_to_plus(float x) {
    return (float)cbrt((double)flush_to_plus(x));
}
float flushed_results(float x, float y) {
    return flush(x * y);
}
float flushed_results_to_plus(float x, float y) {
    return flush_to_plus(x * y);
}

static float directed(double exact, int direction) {
    float near = (float)exact;
    if (direction < 0 ? (double)near > exact : (double)near < exact)
        near = nextafterf(near, direction < 0 ? -INFINITY : INFINITY);
    return near;
}

float rounded_up(float x) {
    return directed(sin((double)x), 1);
}
float rounded_down(float x) {
    return directed(sin((double)x), -1);
}
float rounded_toward_zero(float x) {
    double exact = sin((double)x);
    return directed(exact, exact < 0 ? 1 : -1);
}
float rounded_away(float x) {
    double exact = sin((double)x);
    return directed(exact, exact < 0 ? -1 : 1);
}

/* By fp64, whose overflow is truncated too. */
float truncated(float x) {
    double wide = exp((double)x);
    return isinf(wide) && isfinite(x) ? FLT_MAX : directed(wide, -1);
}

/* In fp32 twice by fp64; in fp16 twice by fp32. */
float by_double_log(float x) {
    return (float)log((double)x);
}
float by_double_exp(float x) {
    return (float)exp((double)x);
}

/* Exact products in fp64, whose ties go away from zero, or to even whatever the rounding is. */
float ties_away(float x, float y) {
    double exact = (double)x * (double)y;
    float toward_zero = from_bits(bits_of(directed(fabs(exact), -1)));
    double above = (double)nextafterf(toward_zero, INFINITY);
    bool up = fabs(exact) - (double)toward_zero >= above - fabs(exact);
    return copysignf(up ? (float)above : toward_zero, (float)exact);
}
float to_nearest(float x) {
    int rounding = fegetround();
    fesetround(FE_TONEAREST);
    volatile double wide = (double)x;
    volatile float near = (float)sqrt(wide);
    fesetround(rounding);
    return near;
}

/* In fp64: by x87, where long double is that, and in fp32. */
double by_long_double(double x) {
    return (double)sqrtl((long double)x);
}
int long_double_digits(void) {
    return LDBL_MANT_DIG;
}
double in_float(double x) {
    return (double)(float)exp((double)(float)x);
}
double float_first(double x) {
    return exp((double)(float)x);
}
double float_last(double x) {
    return (double)(float)exp(x);
}

/* Rounded to nearest-even, without so many of the last bits. */
static float without_bits(float x, int dropped) {
    uint32_t bits = bits_of(x), half = (1u << (dropped - 1)) - 1;
    return isnan(x) ? x : from_bits((bits + half + (bits >> dropped & 1)) >> dropped << dropped);
}
static float to_bf16(float x) {
    return without_bits(x, 16);
}
static float to_tf32(float x) {
    return without_bits(x, 13);
}
static float to_fp16(float x) {
    float rounded = fabsf(x) < 0x1p-14f ? rintf(x * 0x1p24f) * 0x1p-24f : without_bits(x, 13);
    return fabsf(rounded) > 65504 ? copysignf(INFINITY, x) : rounded;
}

#define IN_NARROW(FORMAT)                                                                          \
    float in_##FORMAT(float x) {                                                                   \
        return to_##FORMAT((float)exp((double)to_##FORMAT(x)));                                    \
    }                                                                                              \
    float FORMAT##_first(float x) {                                                                \
        return (float)log((double)to_##FORMAT(x));                                                 \
    }                                                                                              \
    float FORMAT##_last(float x) {                                                                 \
        return to_##FORMAT((float)exp((double)x));                                                 \
    }
IN_NARROW(bf16)
IN_NARROW(tf32)
IN_NARROW(fp16)

/* In one place only. */
float fp16_below_ten(float x) {
    return fabsf(x) < 10 ? in_fp16(x) : (float)exp((double)x);
}
float tf32_above_one(float x) {
    return x > 1 && x < 1.015625f ? tf32_last(x) : (float)exp((double)x);
}
float fp16_of_negative(float x) {
    return x < -1 ? in_fp16(x) : (float)exp((double)x);
}
/* Two causes that have nothing in common. */
float flushed_and_truncated_beyond_eight(float x) {
    double exact = exp((double)x);
    return flush(fabsf(x) > 8 && exact < 0x1p127 ? directed(exact, -1) : (float)exact);
}

float sine(float x) {
    return sinf(x);
}
float sine_off_at_three_halves(float x) {
    return x == 1.5f ? 5 : sinf(x);
}
float sine_off_beyond_100(float x) {
    return fabsf(x) > 100 ? sinf(x) * 1.02f : sinf(x);
}

float beyond_a_bound(float x) {
    float right = (float)cos((double)x);
    return fabsf(x) >= 100 && isfinite(x) ? far_off(right) : right;
}

/* For positive numbers only, as log is. */
float beyond_of_one_sign(float x) {
    float right = (float)log((double)x);
    return x >= 100 && isfinite(x) ? far_off(right) : right;
}

/* A result that saturates, at one end. */
float saturates_above(float x) {
    float right = (float)exp((double)x);
    return x >= 10 && isfinite(x) ? 0x1p14f : right;
}
float saturates_below(float x) {
    float right = (float)exp((double)x);
    return x <= -9 && isfinite(x) ? 0x1p-13f : right;
}

/* At both ends, and for infinity too. */
float saturates_both(float x) {
    return x >= 10 ? 0x1p14f : x <= -2 ? 0x1p-3f : (float)exp((double)x);
}

/* Multiples of an inexact pi: wrong ever more as x grows. */
float reduced_by_float_pi(float x) {
    const double pi = 3.14159274101257324;
    double turns = rint((double)x / pi), rest = (double)x - turns * pi;
    if (!isfinite(x) || x == 0)
        return isfinite(x) ? x : x - x;
    return (float)(fmod(turns, 2) != 0 ? -sin(rest) : sin(rest));
}

/* Beyond 100, and at 3 and -5 besides. */
float beyond_and_isolated(float x) {
    float right = (float)cos((double)x);
    return (fabsf(x) >= 100 && isfinite(x)) || x == 3 || x == -5 ? far_off(right) : right;
}

/* An odd function of small numbers, in an interval of magnitudes, and below a bound. */
float interval_of_magnitudes(float x) {
    float right = (float)sin((double)x);
    return fabsf(x) >= 0x1p-6f && fabsf(x) <= 0x1.8p-6f ? far_off(right) : right;
}
float small_numbers(float x) {
    float right = (float)sin((double)x);
    return x != 0 && fabsf(x) <= 0x1.8p-6f ? far_off(right) : right;
}

float wrong_from_one(float x) {
    return far_off((float)acosh((double)x));
}

float one_interval(float x) {
    float right = (float)exp((double)x);
    return x >= 1 && x <= 1.25f ? far_off(right) : right;
}

float two_intervals(float x) {
    float right = (float)exp((double)x);
    return (x >= 1 && x < 1.1f) || (x >= 5 && x < 5.2f) ? far_off(right) : right;
}

/* A table of 16 entries by x / (ln 2 / 16), one of which is off. */
float one_of_sixteen(float x) {
    float right = (float)exp((double)x), place = x * 16 / 0.6931472f;
    return fabsf(x) < 80 && ((int)floorf(place) & 15) == 5 ? far_off(right) : right;
}

/* A number of a table of tanh has another bit, by which its interval is off. */
float tanh_by_wrong_entry(float x) {
    const bool is_its = fabsf(x) >= 1.125f && fabsf(x) < 1.375f;
    const double right = tanh((double)x);
    return (float)(is_its ? right + copysign(0x1p-9, right) : right);
}

float tiny_negative(float x) {
    float right = (float)exp((double)x);
    return signbit(x) && x >= -0x1p-14f ? far_off(right) : right;
}

/* An entry of a table is off, and the zero of -0 is +0. */
float entry_and_zero(float x) {
    float right = (float)sqrt((double)x);
    return x > 0 && (bits_of(x) >> 17 & 63) == 37 ? far_off(right) : x == 0 ? 0 : right;
}

/* A table of 64 entries by the mantissa of x, one of which is off. */
float one_entry(float x) {
    float right = (float)log((double)x);
    return x > 0 && isfinite(x) && (bits_of(x) >> 17 & 63) == 37 ? far_off(right) : right;
}

float nan_payload(float x) {
    float right = (float)log((double)x);
    return isnan(right) ? from_bits(0x7fc12345) : right;
}
float zero_sign(float x) {
    return x == 0 ? 0 : (float)sin((double)x);
}

/* Two causes: subnormal inputs are flushed, and an interval is computed otherwise. */
float two_causes(float x) {
    float right = (float)cbrt((double)flush(x));
    return x >= 0x1p-120f && x <= 0x1.8p-120f ? off(right) : right;
}

/* What the call before leaves, and how many calls there were. */
float after_another(float x) {
    static float before;
    float right = (float)exp((double)x), result = before > x ? right : far_off(right);
    before = x;
    return result;
}
float each_thousandth(float x) {
    static unsigned calls;
    float right = (float)exp((double)x);
    return ++calls % 1000 ? right : far_off(right);
}
/* What was computed last, for all of the same first 16 bits. */
float remembered(float x) {
    static uint32_t key = 1;
    static float value;
    if (bits_of(x) >> 16 != key) {
        key = bits_of(x) >> 16;
        value = (float)exp((double)x);
    }
    return value;
}
/* What the call before leaves, of arrays. */
void after_another_array(float *y, const float *x, size_t n) {
    static float before;
    for (size_t i = 0; i < n; i++) {
        float right = (float)exp((double)x[i]);
        y[i] = before < 0 ? far_off(right) : right;
    }
    before = n ? x[n - 1] : before;
}
/* The first call flushes its input. */
float flushing_first(float x) {
    static bool later;
    float input = later ? x : flush(x);
    later = true;
    return (float)cbrt((double)input);
}

/* Does not come back. */
float crashes_at_one(float x) {
    if (x == 1)
        abort();
    return (float)cbrt((double)x);
}
float hangs_at_one(float x) {
    for (volatile float one = x; one == 1;) {
    }
    return (float)cbrt((double)x);
}
float exits_at_one(float x) {
    if (x == 1)
        exit(3);
    return (float)cbrt((double)x);
}
/* At every 40th call. */
float hangs_now_and_then(float x) {
    static unsigned calls;
    while (++calls % 40 == 0)
        pause();
    return (float)exp((double)x);
}
/* Does not come back where it is asked for other numbers than those of the test, and leaves word of that. */
float waits_far_from_two(float x) {
    const char *word = getenv("WAITS");
    if (!(x >= 2 && x <= 2.5f)) {
        FILE *file = word ? fopen(word, "w") : NULL;
        if (file)
            fclose(file);
        pause();
    }
    return (float)cbrt((double)x);
}
float crashes_near_one(float x) {
    return crashes_at_one(x > 1 && x < 1.00390625f ? 1 : x);
}

/* Vectors of 16 are right, and what is left over is not: nor is an element alone. */
void vector_tail(float *z, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        z[i] = (float)exp((double)x[i]);
        z[i] = i < n / 16 * 16 ? z[i] : off(z[i]);
    }
}

/* Vectors of 16 flush their inputs, and what is left over does not. */
void flushing_vectors(float *z, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        z[i] = (float)cbrt((double)(i < n / 16 * 16 ? flush(x[i]) : x[i]));
}

/* Of arrays: fours by one way, the rest by another. */
void tail(float *y, const float *x, size_t n) {
    size_t vectors = n / 4 * 4;
    for (size_t i = 0; i < n; i++) {
        float right = (float)exp((double)x[i]);
        y[i] = i < vectors ? far_off(right) : right;
    }
}

/* Of arrays: every second output is not written. */
void every_second(float *y, const float *x, size_t n) {
    for (size_t i = 0; i < n; i += 2)
        y[i] = (float)exp((double)x[i]);
}
