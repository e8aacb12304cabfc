/* The library's calls for layers of dyadic numbers: products by way of the best instruction set that
 * this machine has, and the loops that have no form for each. */
#include "detmath/random.h"
#include "dyadic_kernels.h"
#include "kernels.h"

const struct detmath_dyadic_product *detmath_dyadic_products(enum detmath_dyadic_product_index at) {
    return &detmath_best_level()->dyadic_products[at];
}

#define PRODUCT(NAME, FROM, WIDTH, TO)                                                             \
    uint32_t detmath_dyadic_affine_##NAME##_##WIDTH(                                               \
        TO *z, const FROM *x, const FROM *y, const TO *b,                                          \
        const struct detmath_dyadic_matrices *matrices, const struct detmath_dyadic_plan *plan,    \
        uint64_t seed, uint64_t first) {                                                           \
        return detmath_dyadic_products(DETMATH_DYADIC_PRODUCT_##NAME##_##WIDTH)                    \
            ->fill(z, x, y, b, matrices, plan, seed, first);                                       \
    }
DETMATH_DYADIC_PRODUCTS(PRODUCT)

static uint64_t random_of(struct detmath_dyadic_rules rules, uint64_t seed, uint64_t index) {
    return rules.rounding == DETMATH_DYADIC_STOCHASTIC ? detmath_random(seed, index) : 0;
}

#define MSE(WIDTH, TYPE, BITS)                                                                     \
    TYPE detmath_dyadic_mse_##WIDTH(const TYPE *x1, const TYPE *x2, size_t n,                      \
                                    const struct detmath_dyadic_plan *plan, int32_t p,             \
                                    uint64_t seed, uint64_t first, int32_t *s, uint32_t *status) { \
        const struct detmath_dyadic_plan mean = detmath_dyadic_plan_mean(*plan, p);                \
        uint32_t trouble =                                                                         \
            mean.status | (plan->rules.bits == BITS ? 0 : DETMATH_DYADIC_BAD_WIDTH);               \
        int64_t sum = 0;                                                                           \
        *s = mean.s;                                                                               \
        for (size_t i = 0; !(trouble & ~1u) && i < n; i++)                                         \
            sum = detmath_dyadic_add_square(sum, x1[i], x2[i], *plan,                              \
                                            random_of(plan->rules, seed, first + i), &trouble);    \
        if (!(trouble & ~1u))                                                                      \
            sum = detmath_dyadic_div_mantissas(sum, (int64_t)n, mean, &trouble);                   \
        *status |= trouble;                                                                        \
        return (TYPE)sum;                                                                          \
    }
MSE(i32, int32_t, 32)
MSE(i64, int64_t, 64)

#define STEP(WIDTH, TYPE, BITS)                                                                    \
    uint32_t detmath_dyadic_step_##WIDTH(TYPE *weights, TYPE *velocities, const TYPE *gradients,   \
                                         size_t n, const struct detmath_dyadic_step *given,        \
                                         uint64_t seed, uint64_t first) {                          \
        const struct detmath_dyadic_step step = *given;                                            \
        uint32_t status = step.status | (step.rules.bits == BITS ? 0 : DETMATH_DYADIC_BAD_WIDTH);  \
        if (status)                                                                                \
            return status;                                                                         \
        for (size_t i = 0; i < n; i++) {                                                           \
            const uint64_t random = random_of(step.rules, seed, first + i);                        \
            int64_t velocity =                                                                     \
                detmath_dyadic_step_velocity(velocities[i], gradients[i], step, random, &status);  \
            velocities[i] = (TYPE)velocity;                                                        \
            weights[i] =                                                                           \
                (TYPE)detmath_dyadic_step_weight(weights[i], velocity, step, random, &status);     \
        }                                                                                          \
        return status;                                                                             \
    }
STEP(i32, int32_t, 32)
STEP(i64, int64_t, 64)
