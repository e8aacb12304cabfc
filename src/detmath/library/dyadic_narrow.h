/* The steps of dyadic_steps.h for mantissas of 32 bits in accumulators of 32, by integers of 32 bits: a vector holds twice as
 * many, and comparisons, products and shifts to the right of 64 bits are what instruction sets lack. Each returns what its
 * like there does, as long as no shift exceeds 31. Not installed.
 *
 * The least addition that rounds is below 2^k and the remainder too, so that with k <= 31 their sum needs 32 bits, and the
 * low 32 bits of a shift's numbers and of the random bits are enough. */
#ifndef DETMATH_LIBRARY_DYADIC_NARROW_H
#define DETMATH_LIBRARY_DYADIC_NARROW_H

#include "detmath/dyadic.h"

#include <stdint.h>

struct narrow_shift {
    int32_t k;
    uint32_t base, odd, negative, mask;
};

struct narrow_plan {
    int32_t raise1, raise2;
    struct narrow_shift lower1, lower2;
    uint32_t saturates; /* all bits, or none */
    int32_t least, most;
};

/* Whether a plan raises or lowers; one that does neither raises by 0. */
static inline int narrow_lowers(const struct detmath_dyadic_plan *plan) {
    return plan->lower1.k != 0 || plan->lower2.k != 0;
}

/* Whether a plan's steps fit: of its shifts, all are to the left or all to the right. */
static inline int narrow_can(const struct detmath_dyadic_plan *plan) {
    enum { MOST = 31 };
    return plan->raise1 <= MOST && plan->raise2 <= MOST && plan->lower1.k <= MOST &&
           plan->lower2.k <= MOST && !(narrow_lowers(plan) && (plan->raise1 || plan->raise2));
}

static inline struct narrow_shift narrow_shift_of(struct detmath_dyadic_shift wide) {
    return (struct narrow_shift){wide.k, (uint32_t)wide.base, (uint32_t)wide.odd,
                                 (uint32_t)wide.negative, (uint32_t)wide.mask};
}

/* Bounds beyond 32 bits clip nothing that 32 bits hold. What the plan does not do is a constant then, and leaves the loop. */
static inline struct narrow_plan narrow_plan_of(const struct detmath_dyadic_plan *wide,
                                                int lowers) {
    const struct narrow_shift none = {0, 0, 0, 0, 0};
    const struct detmath_dyadic_bounds all = {INT32_MIN, INT32_MAX};
    return (struct narrow_plan){lowers ? 0 : wide->raise1,
                                lowers ? 0 : wide->raise2,
                                lowers ? narrow_shift_of(wide->lower1) : none,
                                lowers ? narrow_shift_of(wide->lower2) : none,
                                wide->rules.overflow == DETMATH_DYADIC_SATURATE ? UINT32_MAX : 0,
                                (int32_t)detmath_dyadic_clip(wide->bounds.least, all),
                                (int32_t)detmath_dyadic_clip(wide->bounds.most, all)};
}

/* What stands for an exact integer with these low bits: `beyond` is 1 where it does not fit, and is added to *beyonds. */
static inline int32_t narrow_hold(uint32_t low, uint32_t is_negative, uint32_t beyond,
                                  uint32_t saturates, uint32_t *beyonds) {
    const uint32_t limit = (uint32_t)INT32_MAX + is_negative, chosen = (0 - beyond) & saturates;
    *beyonds |= beyond;
    return (int32_t)((low & ~chosen) | (limit & chosen));
}

static inline uint32_t narrow_sign(uint32_t v) {
    return v >> 31;
}

static inline int32_t narrow_sum(int32_t a, int32_t b, uint32_t saturates, uint32_t *beyonds) {
    const uint32_t x = (uint32_t)a, y = (uint32_t)b, low = x + y;
    return narrow_hold(low, narrow_sign(x), narrow_sign((x ^ low) & (y ^ low)), saturates, beyonds);
}

static inline int32_t narrow_difference(int32_t a, int32_t b, uint32_t saturates,
                                        uint32_t *beyonds) {
    const uint32_t x = (uint32_t)a, y = (uint32_t)b, low = x - y;
    return narrow_hold(low, narrow_sign(x), narrow_sign((x ^ y) & (x ^ low)), saturates, beyonds);
}

static inline int32_t narrow_product(int32_t a, int32_t b, uint32_t saturates, uint32_t *beyonds) {
    const int64_t product = (int64_t)a * b;
    const uint32_t low = (uint32_t)product, high = (uint32_t)((uint64_t)product >> 32);
    return narrow_hold(low, narrow_sign(high), high != 0 - narrow_sign(low), saturates, beyonds);
}

static inline int32_t narrow_lowered(int32_t v, struct narrow_shift shift, uint32_t random) {
    const int32_t quotient = v >> shift.k;
    uint32_t remainder = (uint32_t)v - ((uint32_t)quotient << shift.k);
    remainder += shift.base + ((uint32_t)quotient & shift.odd) +
                 ((uint32_t)(v >> 31) & shift.negative) - (random & shift.mask);
    return (int32_t)((uint32_t)quotient + (remainder >> shift.k));
}

static inline int32_t narrow_shifted(int32_t v, int32_t raise, struct narrow_shift lower,
                                     uint32_t saturates, uint32_t random, uint32_t *beyonds) {
    const uint32_t low = (uint32_t)v << raise, beyond = (int32_t)low >> raise != v;
    v = narrow_hold(low, narrow_sign((uint32_t)v), beyond, saturates, beyonds);
    return narrow_lowered(v, lower, random);
}

static inline int32_t narrow_align(int32_t v, struct narrow_plan plan, uint32_t random,
                                   uint32_t *beyonds) {
    return narrow_shifted(v, plan.raise1, plan.lower1, plan.saturates, random, beyonds);
}

static inline int32_t narrow_second(int32_t v, struct narrow_plan plan, uint32_t random,
                                    uint32_t *beyonds) {
    return narrow_shifted(v, plan.raise2, plan.lower2, plan.saturates, random, beyonds);
}

static inline int32_t narrow_add(int32_t a, int32_t b, struct narrow_plan plan, uint32_t random,
                                 uint32_t *beyonds) {
    return narrow_sum(narrow_align(a, plan, random, beyonds),
                      narrow_second(b, plan, random, beyonds), plan.saturates, beyonds);
}

static inline int32_t narrow_sub(int32_t a, int32_t b, struct narrow_plan plan, uint32_t random,
                                 uint32_t *beyonds) {
    return narrow_difference(narrow_align(a, plan, random, beyonds),
                             narrow_second(b, plan, random, beyonds), plan.saturates, beyonds);
}

static inline int32_t narrow_mul(int32_t a, int32_t b, struct narrow_plan plan, uint32_t random,
                                 uint32_t *beyonds) {
    return narrow_align(narrow_product(a, b, plan.saturates, beyonds), plan, random, beyonds);
}

static inline int32_t narrow_requantise(int32_t v, struct narrow_plan plan, uint32_t random,
                                        uint32_t *beyonds) {
    v = narrow_align(v, plan, random, beyonds);
    v = v < plan.least ? plan.least : v;
    return v > plan.most ? plan.most : v;
}

static inline int32_t narrow_gradient(int32_t gradient, int32_t v, struct narrow_plan plan,
                                      uint32_t random, uint32_t *beyonds) {
    v = narrow_align(v, plan, random, beyonds);
    return v >= plan.least && v <= plan.most ? gradient : 0;
}

static inline int32_t narrow_is_raised(int32_t a, int32_t b, int32_t k) {
    const int32_t high = b >> k;
    return ((int32_t)((uint32_t)high << k) == b) & (high == a);
}

/* One of the two is 0. */
static inline int32_t narrow_equal(int32_t a, int32_t b, struct narrow_plan plan) {
    return narrow_is_raised(plan.raise2 ? b : a, plan.raise2 ? a : b, plan.raise1 | plan.raise2);
}

static inline int32_t narrow_relu(int32_t v) {
    return v < 0 ? 0 : v;
}

static inline int32_t narrow_relu_gradient(int32_t gradient, int32_t v) {
    return v > 0 ? gradient : 0;
}

#endif
