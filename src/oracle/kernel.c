/* Vectorised judging. Every loop below runs over a chunk of one type's width, so that compilers
 * turn it into vector code; nothing depends on how wide, since errors are summed as integers. */
#include "oracle/kernel.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && __GNUC__ >= 12 &&            \
    !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_CPU __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define INLINED      static inline __attribute__((always_inline))
#else
#define FOR_EACH_CPU
#define INLINED static inline
#endif

/* fp32's place in a double: biased exponents, as doubles have them. */
#define LEAST_EXPONENT (1023 - 126)
#define ULP_SCALE      (1023 + 23 + 1023)
/* |p| below this cannot overflow whatever the rounding. */
#define SURELY_FINITE 0x1.fffffp+127
/* Adding this leaves a number below 2^11 rounded to a multiple of 2^-40 in the low bits. */
#define TO_UNITS       0x1.8p12
#define TO_UNITS_ERROR 0x1p-40

INLINED uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

INLINED double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* p(t) by Horner's rule; `terms` is a constant at each call, so the inner loop unrolls. */
INLINED void evaluate(const double *coefficients, int terms, const double *t, size_t count,
                      double *p) {
    for (size_t i = 0; i < count; i++) {
        double sum = coefficients[terms - 1];
        for (int j = terms - 2; j >= 0; j--)
            sum = sum * t[i] + coefficients[j];
        p[i] = sum;
    }
}

/* The turn of input number `at` + i, as a quarter and the rest s: see turns.h. */
INLINED void reduce(const struct fit *fit, size_t at, size_t count, uint64_t *quarter,
                    double *rest) {
    uint64_t c0 = fit->turns.constant[0], c1 = fit->turns.constant[1];
    uint64_t c2 = fit->turns.constant[2], c3 = fit->turns.constant[3];
    for (size_t i = 0; i < count; i++) {
        uint64_t m = fit->significand + (uint32_t)(at + i);
        uint64_t p3 = m * c3, p2 = m * c2 + (p3 >> 32);
        uint64_t p1 = m * c1 + (p2 >> 32), p0 = m * c0 + (p1 >> 32);
        uint64_t high = p0 << 32 | (p1 & 0xffffffff);
        uint64_t q = (high + ((uint64_t)1 << 61)) >> 62;
        /* Two's complement, which every compiler that this code meets converts to. */
        int64_t s = (int64_t)(high - (q << 62));
        quarter[i] = q;
        rest[i] = (double)s * 0x1p-64 + (double)(uint32_t)p2 * 0x1p-96;
    }
}

/* Taylor coefficients of (sin t / t - 1) / u and (cos t - 1) / u in u = t^2: -1/3!, 1/5!, ... and
 * -1/2!, 1/4!, ..., rounded to double by the compiler. */
static const double sine[] = {-1.0 / 6,
                              1.0 / 120,
                              -1.0 / 5040,
                              1.0 / 362880,
                              -1.0 / 39916800,
                              1.0 / 6227020800.0,
                              -1.0 / 1307674368000.0,
                              1.0 / 355687428096000.0};
static const double cosine[] = {-1.0 / 2,
                                1.0 / 24,
                                -1.0 / 720,
                                1.0 / 40320,
                                -1.0 / 3628800,
                                1.0 / 479001600.0,
                                -1.0 / 87178291200.0,
                                1.0 / 20922789888000.0,
                                -1.0 / 6402373705728000.0};
enum { SINE_TERMS = sizeof sine / sizeof *sine, COSINE_TERMS = sizeof cosine / sizeof *cosine };

INLINED void evaluate_turns(const struct fit *fit, size_t at, size_t count, double *p) {
    uint64_t quarter[KERNEL_CHUNK];
    double rest[KERNEL_CHUNK];
    enum turns_function function = fit->turns.function;
    uint64_t shift = function == TURNS_COS;
    double odd_sign = function == TURNS_COS ? 1 : fit->direction;
    reduce(fit, at, count, quarter, rest);
    for (size_t i = 0; i < count; i++) {
        double t = rest[i] * 0x1.921fb54442d18p+2, u = t * t;
        double s = sine[SINE_TERMS - 1], c = cosine[COSINE_TERMS - 1];
        for (int j = SINE_TERMS - 2; j >= 0; j--)
            s = s * u + sine[j];
        for (int j = COSINE_TERMS - 2; j >= 0; j--)
            c = c * u + cosine[j];
        s = t + t * (u * s);
        c = 1 + u * c;
        uint64_t q = quarter[i] + shift;
        double up = q & 1 ? c : s, down = q & 1 ? -s : c;
        double signed_up = q & 2 ? -up : up;
        p[i] = odd_sign * (function == TURNS_TAN ? up / down : signed_up);
    }
}

INLINED void evaluate_any(const struct fit *fit, const double *t, size_t count, double *p) {
    const double *a = fit->coefficients;
    switch (fit->terms) {
    case 2:
    case 3:
    case 4:
        evaluate(a, 4, t, count, p);
        return;
    case 5:
        evaluate(a, 5, t, count, p);
        return;
    case 6:
        evaluate(a, 6, t, count, p);
        return;
    case 7:
        evaluate(a, 7, t, count, p);
        return;
    case 8:
        evaluate(a, 8, t, count, p);
        return;
    case 9:
    case 10:
        evaluate(a, 10, t, count, p);
        return;
    case 11:
    case 12:
        evaluate(a, 12, t, count, p);
        return;
    default:
        evaluate(a, FIT_MOST_NODES, t, count, p);
    }
}

/* The signed error in ulps and its margin; margin 1 (never plain) where the ulp is in doubt. */
INLINED void measure(const struct fit *fit, const double *p, const double *got,
                     const uint64_t *got_negative, size_t count, double *error, double *margin) {
    double fixed = fit->bound, relative = fit->relative;
    const uint64_t sign_bit = (uint64_t)1 << 63;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = bits_of(p[i]);
        double magnitude = from_bits(bits & ~sign_bit), bound = fixed + relative * magnitude;
        uint64_t above = bits_of(magnitude + bound) >> 52, below = bits_of(magnitude - bound) >> 52;
        above = above > LEAST_EXPONENT ? above : LEAST_EXPONENT;
        below = below > LEAST_EXPONENT ? below : LEAST_EXPONENT;
        double scale = from_bits((ULP_SCALE - above) << 52);
        double quotient = (got[i] - p[i]) * scale;
        double size = from_bits(bits_of(quotient) & ~sign_bit);
        double doubt = bound * scale + size * 0x1p-50;
        /* Just above a power of two the number below the power is less than an ulp away, and no
         * neighbour: a right result never lies in a lower binade than y. */
        uint64_t binade = (bits_of(got[i]) & ~sign_bit) >> 52;
        binade = binade > LEAST_EXPONENT ? binade : LEAST_EXPONENT;
        bool sure = (above == below) & (magnitude < SURELY_FINITE) &
                    (bits >> 63 == got_negative[i]) & (binade >= above);
        error[i] = quotient;
        margin[i] = sure ? doubt + TO_UNITS_ERROR : 1;
    }
}

INLINED void orient(const double *p, size_t count, double *error) {
    const uint64_t sign_bit = (uint64_t)1 << 63;
    for (size_t i = 0; i < count; i++)
        error[i] = from_bits(bits_of(error[i]) ^ (bits_of(p[i]) & sign_bit));
}

INLINED void decide(const struct kernel_rules *rules, const double *error, const double *margin,
                    size_t count, int64_t *errors) {
    double least = rules->least, most = rules->most;
    double size[KERNEL_CHUNK];
    int64_t plain[KERNEL_CHUNK];
    for (size_t i = 0; i < count; i++) {
        bool inside = (error[i] - margin[i] > least) & (error[i] + margin[i] < most) &
                      (margin[i] <= KERNEL_MOST_MARGIN);
        plain[i] = inside ? -1 : 0;
        size[i] = from_bits(bits_of(error[i]) & ~((uint64_t)1 << 63));
    }
    for (int k = 0; k < rules->edge_count; k++) {
        double edge = rules->edges[k];
        for (size_t i = 0; i < count; i++) {
            bool clear = (size[i] - margin[i] > edge) | (size[i] + margin[i] < edge);
            plain[i] = clear ? plain[i] : 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        int64_t units = (int64_t)(bits_of(size[i] + TO_UNITS) - bits_of(TO_UNITS));
        errors[i] = plain[i] ? units : -1;
    }
}

INLINED void sum_up(const struct kernel_rules *rules, const int64_t *errors, const double *margin,
                    size_t count, struct kernel_sums *sums) {
    uint64_t plain = 0, total = 0;
    int64_t largest = sums->largest, widest = (int64_t)bits_of(sums->margin);
    for (size_t i = 0; i < count; i++) {
        /* The bits of positive doubles are in the order of their values. */
        int64_t wide = errors[i] >= 0 ? (int64_t)bits_of(margin[i]) : 0;
        widest = wide > widest ? wide : widest;
    }
    for (size_t i = 0; i < count; i++) {
        plain += errors[i] >= 0;
        total += errors[i] >= 0 ? (uint64_t)errors[i] : 0;
        largest = errors[i] > largest ? errors[i] : largest;
    }
    sums->plain += plain;
    sums->error += total;
    sums->largest = largest;
    sums->margin = from_bits((uint64_t)widest);
    for (int k = 0; k < rules->edge_count; k++) {
        /* No plain error lies within its margin of an edge, so rounding to units crossed none. */
        int64_t edge = (int64_t)(rules->edges[k] * 0x1p40);
        uint64_t above = 0;
        for (size_t i = 0; i < count; i++)
            above += errors[i] > edge;
        sums->above[k] += above;
    }
}

INLINED void find_values(const struct fit *fit, int log2_count, size_t at, size_t count,
                         double *p) {
    double t[KERNEL_CHUNK];
    int32_t half = (int32_t)1 << (log2_count - 1), start = (int32_t)at - half;
    double step = fit->direction / half;
    if (fit->turns.function != TURNS_NONE) {
        evaluate_turns(fit, at, count, p);
        return;
    }
    for (size_t i = 0; i < count; i++)
        t[i] = (double)(start + (int32_t)i) * step;
    evaluate_any(fit, t, count, p);
}

void kernel_values(const struct fit *fit, int log2_count, size_t at, size_t count, double *p) {
    find_values(fit, log2_count, at, count, p);
}

FOR_EACH_CPU
void kernel_judge(const struct fit *fit, int log2_count, const struct kernel_rules *rules,
                  const uint32_t *got, size_t at, size_t count, int64_t *errors,
                  struct kernel_sums *sums) {
    double p[KERNEL_CHUNK], value[KERNEL_CHUNK];
    double error[KERNEL_CHUNK], margin[KERNEL_CHUNK];
    uint64_t negative[KERNEL_CHUNK];
    for (size_t i = 0; i < count; i++) {
        float narrow;
        memcpy(&narrow, &got[i], sizeof narrow);
        value[i] = (double)narrow;
        negative[i] = got[i] >> 31;
    }
    find_values(fit, log2_count, at, count, p);
    measure(fit, p, value, negative, count, error, margin);
    if (rules->toward_zero)
        orient(p, count, error);
    decide(rules, error, margin, count, errors);
    sum_up(rules, errors, margin, count, sums);
}
