/* Dyadic integers of 32 bits from fp32 and to it by the processor's own conversions, where a plan lets them: what
 * dyadic_real.h makes of the parts of codes, whose integers of 64 bits no vector shifts quickly. Not installed. */
#ifndef DETMATH_LIBRARY_DYADIC_REALS_H
#define DETMATH_LIBRARY_DYADIC_REALS_H

#include "detmath/dyadic_real.h"

#include <stdint.h>

/* 2^n, n from -126 to 127. */
static inline float real_power(int n) {
    return detmath_from_bits_f32((uint32_t)(n + 127) << 23);
}

/* Whether numbers times 2^t are exact until they are rounded, or too large and infinite, and bounds lie where both are
 * integers. */
static inline int real_from_can(const struct detmath_dyadic_plan *plan) {
    const int64_t most = 1 << 30;
    return plan->s >= 0 && plan->s <= 127 && plan->bounds.least >= -most &&
           plan->bounds.most <= most && plan->rules.rounding < DETMATH_DYADIC_STOCHASTIC;
}

struct real_from {
    float by;
    int32_t least, most;
    enum detmath_dyadic_rounding rounding;
};

static inline struct real_from real_from_of(const struct detmath_dyadic_plan *plan,
                                            enum detmath_dyadic_rounding rounding) {
    return (struct real_from){real_power(plan->s), (int32_t)plan->bounds.least,
                              (int32_t)plan->bounds.most, rounding};
}

/* The magnitude is cut, and what is cut off is exact. *nans is a bit beside others. */
static inline int32_t real_from(float x, struct real_from plan, uint32_t *nans) {
    const float product = x * plan.by;
    const uint32_t bits = detmath_bits_f32(product), is_negative = bits >> 31;
    const uint32_t given = bits & 0x7fffffffu, last = 0x4effffffu; /* the code below 2^31's */
    const float magnitude = detmath_from_bits_f32(given < last ? given : last); /* of NaN too */
    const int32_t cut = (int32_t)magnitude;
    const float rest = magnitude - (float)cut;
    /* One is added where the rest's code is above a limit: comparisons would keep compilers from making vectors. */
    const uint32_t half = 0x3f000000u, never = 0x3f800000u, odd = (uint32_t)cut & 1u;
    const uint32_t limit = plan.rounding == DETMATH_DYADIC_UP     ? never * is_negative
                           : plan.rounding == DETMATH_DYADIC_DOWN ? never * (is_negative ^ 1u)
                           : plan.rounding == DETMATH_DYADIC_NEAREST_EVEN ? half - odd
                           : plan.rounding == DETMATH_DYADIC_NEAREST_AWAY ? half - 1u
                                                                          : never;
    const int32_t away = (int32_t)((limit - detmath_bits_f32(rest)) >> 31),
                  negative = (int32_t)is_negative;
    int32_t v = cut + away;
    v = (v ^ -negative) + negative;
    v = v < plan.least ? plan.least : v;
    v = v > plan.most ? plan.most : v;
    const uint32_t is_nan = (DETMATH_INFINITY_BITS - given) >> 31;
    *nans |= is_nan * (uint32_t)DETMATH_DYADIC_NOT_A_NUMBER;
    return (int32_t)((uint32_t)v & (is_nan - 1u));
}

/* Whether every mantissa has a normal number of fp32, and the nearest one to even is wanted or one beside it that the sign
 * chooses. */
static inline int real_to_can(const struct detmath_dyadic_plan *plan) {
    return plan->s >= -96 && plan->s <= 126 && plan->rules.rounding <= DETMATH_DYADIC_NEAREST_EVEN;
}

/* The nearest number, and where that lies on the wrong side the one before or behind it. */
static inline float real_to(int32_t v, float by, enum detmath_dyadic_rounding rounding) {
    const float nearest = (float)v;
    const double apart = (double)nearest - (double)v; /* exact */
    const int32_t is_negative = v < 0;
    const int32_t above = (apart > 0) & ((rounding == DETMATH_DYADIC_DOWN) |
                                         ((rounding == DETMATH_DYADIC_TOWARD_ZERO) & !is_negative)),
                  below = (apart < 0) & ((rounding == DETMATH_DYADIC_UP) |
                                         ((rounding == DETMATH_DYADIC_TOWARD_ZERO) & is_negative));
    const int32_t step = below - above; /* to the next number up or down: by the magnitude's code */
    return detmath_from_bits_f32(detmath_bits_f32(nearest) +
                                 (uint32_t)(is_negative ? -step : step)) *
           by;
}

#endif
