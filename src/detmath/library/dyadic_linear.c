/* The library's calls for layers of dyadic numbers: products by way of the best instruction set that
 * this machine has, and the loops that have no form for each. */
#include "detmath/random.h"
#include "dyadic_kernels.h"
#include "kernels.h"
#include "overlap.h"

#include <string.h>

const struct detmath_dyadic_product *detmath_dyadic_products(enum detmath_dyadic_product_index at) {
    return &detmath_best_level()->dyadic_products[at];
}

/* A matrix of elements of so many bytes, in a format of as many. */
struct matrix {
    size_t extents[2];
    ptrdiff_t strides[2];
    struct detmath_strided array;
};
static const struct detmath_strided *matrix_of(struct matrix *room, const void *codes, size_t bytes,
                                               size_t rows, size_t columns, size_t row,
                                               size_t column) {
    const int format = bytes == 8   ? DETMATH_F64
                       : bytes == 4 ? DETMATH_F32
                       : bytes == 2 ? DETMATH_F16
                                    : DETMATH_E4M3FN;
    *room = (struct matrix){{rows, columns}, {(ptrdiff_t)row, (ptrdiff_t)column}, {0}};
    room->array =
        (struct detmath_strided){(void *)(uintptr_t)codes, format, 2, room->extents, room->strides};
    return &room->array;
}

static int overlap(const void *z, size_t to, const void *x, const void *y, size_t from,
                   const void *b, const struct detmath_dyadic_matrices *m) {
    struct matrix room[4];
    const struct detmath_strided
        *const result = matrix_of(&room[0], z, to, m->rows, m->columns, m->columns, 1),
               *const operands[] = {
                   matrix_of(&room[1], x, from, m->rows, m->inner, m->x_row, m->x_column),
                   matrix_of(&room[2], y, from, m->inner, m->columns, m->y_row, m->y_column),
                   matrix_of(&room[3], b, to, m->rows, m->columns, m->b_row, m->b_column)};
    int trouble = DETMATH_NO_TROUBLE;
    for (int i = 0; i < 3; i++)
        trouble |= detmath_check_overlap(result, operands[i], 0);
    return trouble != DETMATH_NO_TROUBLE;
}

#define PRODUCT(NAME, FROM, WIDTH, TO)                                                             \
    uint32_t detmath_dyadic_affine_##NAME##_##WIDTH(                                               \
        TO *z, const FROM *x, const FROM *y, const TO *b,                                          \
        const struct detmath_dyadic_matrices *matrices, const struct detmath_dyadic_plan *plan,    \
        uint64_t seed, uint64_t first) {                                                           \
        if (overlap(z, sizeof *z, x, y, sizeof *x, b, matrices))                                   \
            return DETMATH_DYADIC_OVERLAP;                                                         \
        return detmath_dyadic_products(DETMATH_DYADIC_PRODUCT_##NAME##_##WIDTH)                    \
            ->fill(z, x, y, b, matrices, plan, seed, first);                                       \
    }
DETMATH_DYADIC_PRODUCTS(PRODUCT)

/* Elements that are worked on at a time, by the loops over arrays, which are vector code. */
enum { STRIP = 256 };

static size_t strip_at(size_t at, size_t n) {
    return n - at < STRIP ? n - at : STRIP;
}

/* Squares of differences added to a sum that starts at 0 only make it grow, so that nothing overflows on the way where
 * nothing does in the end; what may is added one by one. SMALL: STRIP squares of that fit into 63 bits. Where sums wrap,
 * they do so once as well as at each step. */
#define MSE(WIDTH, TYPE, BITS, SMALL)                                                              \
    static int64_t add_squares_##WIDTH(int64_t sum, const TYPE *d, size_t n,                       \
                                       struct detmath_dyadic_rules rules, uint32_t *status) {      \
        uint64_t squares = 0;                                                                      \
        TYPE beyond = 0;                                                                           \
        for (size_t i = 0; i < n; i++) {                                                           \
            squares += (uint64_t)d[i] * (uint64_t)d[i];                                            \
            beyond |= (TYPE)((d[i] < -SMALL) | (d[i] > SMALL));                                    \
        }                                                                                          \
        if (rules.overflow == DETMATH_DYADIC_WRAP)                                                 \
            return (TYPE)((uint64_t)sum + squares);                                                \
        if (!beyond && sum >= 0 && squares <= (uint64_t)(INT##BITS##_MAX - sum))                   \
            return sum + (int64_t)squares;                                                         \
        for (size_t i = 0; i < n; i++)                                                             \
            sum = detmath_dyadic_add_product(sum, d[i], d[i], rules, status);                      \
        return sum;                                                                                \
    }                                                                                              \
    TYPE detmath_dyadic_mse_##WIDTH(const TYPE *x1, const TYPE *x2, size_t n,                      \
                                    const struct detmath_dyadic_plan *plan, int32_t p,             \
                                    uint64_t seed, uint64_t first, int32_t *s, uint32_t *status) { \
        const struct detmath_dyadic_plan mean = detmath_dyadic_plan_mean(*plan, p);                \
        uint32_t trouble =                                                                         \
            mean.status | (plan->rules.bits == BITS ? 0 : DETMATH_DYADIC_BAD_WIDTH);               \
        int64_t sum = 0;                                                                           \
        TYPE d[STRIP];                                                                             \
        *s = mean.s;                                                                               \
        for (size_t at = 0; !(trouble & ~1u) && at < n; at += STRIP) {                             \
            const size_t count = strip_at(at, n);                                                  \
            trouble |=                                                                             \
                detmath_dyadic_sub_##WIDTH(d, x1 + at, x2 + at, count, plan, seed, first + at);    \
            sum = add_squares_##WIDTH(sum, d, count, plan->rules, &trouble);                       \
        }                                                                                          \
        if (!(trouble & ~1u))                                                                      \
            sum = detmath_dyadic_div_mantissas(sum, (int64_t)n, mean, &trouble);                   \
        *status |= trouble;                                                                        \
        return (TYPE)sum;                                                                          \
    }
MSE(i32, int32_t, 32, 0x7fff)
MSE(i64, int64_t, 64, 0x3ffffff)

/* The steps of detmath_dyadic_step_velocity() and detmath_dyadic_step_weight() as operations on arrays. Weights and
 * velocities draw other random bits than those would. */
struct step_plans {
    struct detmath_dyadic_plan clip, decay, take_up, give_up;
};

static struct step_plans step_plans_of(const struct detmath_dyadic_step *step) {
    const struct detmath_dyadic_plan same = detmath_dyadic_plan_add(0, 0, step->rules);
    struct step_plans plans = {same, same, same, same};
    plans.clip.bounds = step->bounds;
    plans.decay.lower2 = step->decay;
    plans.give_up.raise2 = step->raise;
    plans.give_up.lower2 = step->lower;
    return plans;
}

#define STEP(WIDTH, TYPE, BITS)                                                                    \
    static uint32_t step_each_##WIDTH(TYPE *weights, TYPE *velocities, const TYPE *gradients,      \
                                      size_t n, const struct detmath_dyadic_step *given,           \
                                      uint64_t seed, uint64_t first) {                             \
        const struct detmath_dyadic_step step = *given;                                            \
        uint32_t status = 0;                                                                       \
        for (size_t i = 0; i < n; i++) {                                                           \
            const uint64_t random = detmath_random(seed, first + i);                               \
            int64_t velocity =                                                                     \
                detmath_dyadic_step_velocity(velocities[i], gradients[i], step, random, &status);  \
            velocities[i] = (TYPE)velocity;                                                        \
            weights[i] =                                                                           \
                (TYPE)detmath_dyadic_step_weight(weights[i], velocity, step, random, &status);     \
        }                                                                                          \
        return status;                                                                             \
    }                                                                                              \
    static uint32_t step_strips_##WIDTH(TYPE *weights, TYPE *velocities, const TYPE *gradients,    \
                                        size_t n, const struct detmath_dyadic_step *step) {        \
        const struct step_plans plans = step_plans_of(step);                                       \
        uint32_t status = 0;                                                                       \
        TYPE g[STRIP];                                                                             \
        for (size_t at = 0; at < n; at += STRIP) {                                                 \
            const size_t count = strip_at(at, n);                                                  \
            TYPE *w = weights + at, *m = velocities + at;                                          \
            status |=                                                                              \
                detmath_dyadic_requantise_##WIDTH(g, gradients + at, count, &plans.clip, 0, 0);    \
            if (step->has_momentum) {                                                              \
                status |= detmath_dyadic_sub_##WIDTH(m, m, m, count, &plans.decay, 0, 0);          \
                status |= detmath_dyadic_add_##WIDTH(m, m, g, count, &plans.take_up, 0, 0);        \
            } else                                                                                 \
                memcpy(m, g, count * sizeof *m);                                                   \
            status |= detmath_dyadic_sub_##WIDTH(w, w, m, count, &plans.give_up, 0, 0);            \
        }                                                                                          \
        return status;                                                                             \
    }                                                                                              \
    uint32_t detmath_dyadic_step_##WIDTH(TYPE *weights, TYPE *velocities, const TYPE *gradients,   \
                                         size_t n, const struct detmath_dyadic_step *step,         \
                                         uint64_t seed, uint64_t first) {                          \
        uint32_t status =                                                                          \
            step->status | (step->rules.bits == BITS ? 0 : DETMATH_DYADIC_BAD_WIDTH);              \
        const size_t bytes = sizeof *weights;                                                      \
        if (detmath_sharing_of_codes(weights, bytes, velocities, bytes, n) != DETMATH_APART ||     \
            detmath_sharing_of_codes(weights, bytes, gradients, bytes, n) == DETMATH_MIXED ||      \
            detmath_sharing_of_codes(velocities, bytes, gradients, bytes, n) == DETMATH_MIXED)     \
            status |= DETMATH_DYADIC_OVERLAP;                                                      \
        if (status)                                                                                \
            return status;                                                                         \
        return step->rules.rounding == DETMATH_DYADIC_STOCHASTIC                                   \
                   ? step_each_##WIDTH(weights, velocities, gradients, n, step, seed, first)       \
                   : step_strips_##WIDTH(weights, velocities, gradients, n, step);                 \
    }
STEP(i32, int32_t, 32)
STEP(i64, int64_t, 64)
