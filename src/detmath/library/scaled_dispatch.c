/* The library's calls for scaled arrays, by way of the best instruction set that this machine has.
 */
#include "environment.h"
#include "kernels.h"
#include "overlap.h"
#include "scaled_kernels.h"

const struct detmath_scaled_kernels *detmath_scaled_kernels(enum detmath_scaled_operation which) {
    return &detmath_best_level()->scaled[which];
}

static struct detmath_strided array_of(const struct detmath_scaled_line *line, const size_t *n) {
    return (struct detmath_strided){line->codes, line->format, 1, n, &line->stride};
}

/* Whether c has places of its own, and is an operand or lies apart from it. */
static int check(const struct detmath_scaled_line *c, const struct detmath_scaled_line *a,
                 const struct detmath_scaled_line *b, size_t n) {
    const struct detmath_strided result = array_of(c, &n), x = array_of(a, &n),
                                 y = b ? array_of(b, &n) : x;
    const int trouble =
        detmath_has_own_places(&result) ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_OVERLAP;
    return trouble ? trouble
                   : detmath_check_overlap(&result, &x, 1) | detmath_check_overlap(&result, &y, 1);
}

int detmath_scaled_line(enum detmath_scaled_operation operation,
                        const struct detmath_scaled_line *c, const struct detmath_scaled_line *a,
                        const struct detmath_scaled_line *b, size_t n,
                        const struct detmath_scaled_plan *plan, const struct detmath_cast *cast) {
    const int trouble = check(c, a, b, n);
    if (trouble)
        return trouble;
    uint64_t set = detmath_environment_enter();
    detmath_scaled_kernels(operation)->fill(c, a, b, n, plan, cast);
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

static struct detmath_scaled_line line(int format, const void *codes) {
    return (struct detmath_scaled_line){(void *)(uintptr_t)codes, format, 1, NULL};
}

#define ONE(NAME)                                                                                  \
    int detmath_scaled_##NAME(int to, void *c, int format, const void *a, size_t n,                \
                              const struct detmath_scaled_plan *plan) {                            \
        struct detmath_scaled_line result = line(to, c), x = line(format, a);                      \
        return detmath_scaled_line(DETMATH_SCALED_INDEX_##NAME, &result, &x, NULL, n, plan, NULL); \
    }
#define TWO(NAME)                                                                                  \
    int detmath_scaled_##NAME(int format, void *c, const void *a, const void *b, size_t n,         \
                              const struct detmath_scaled_plan *plan) {                            \
        struct detmath_scaled_line result = line(format, c), x = line(format, a),                  \
                                   y = line(format, b);                                            \
        return detmath_scaled_line(DETMATH_SCALED_INDEX_##NAME, &result, &x, &y, n, plan, NULL);   \
    }
DETMATH_SCALED_OPERATIONS(ONE, TWO, ONE)

static const struct detmath_scaled_row_kernels *rows(void) {
    return detmath_best_level()->scaled_rows;
}

uint32_t detmath_scaled_reduce_max(int format, const void *a, size_t n,
                                   const struct detmath_scaled_plan *plan) {
    const struct detmath_scaled_line x = line(format, a);
    uint64_t set = detmath_environment_enter();
    double result = rows()->largest(&x, n, plan);
    detmath_environment_leave(set);
    return detmath_scaled_encode(result, detmath_formats[format]);
}

float detmath_scaled_softmax(int format, void *c, const void *a, size_t n,
                             const struct detmath_scaled_plan *plan,
                             enum detmath_scaled_compute compute) {
    const struct detmath_scaled_line x = line(format, a), y = line(format, c);
    if (check(&y, &x, NULL, n))
        return detmath_from_bits_f32(DETMATH_NAN_BITS);
    uint64_t set = detmath_environment_enter();
    float result = rows()->softmax(&y, &x, n, plan, compute, NULL);
    detmath_environment_leave(set);
    return result;
}

uint32_t detmath_scaled_dot(int format, const void *a, const void *b, size_t k, size_t stride,
                            const struct detmath_scaled_plan *plan) {
    uint64_t set = detmath_environment_enter();
    uint32_t result = rows()->dot(format, a, b, k, stride, plan);
    detmath_environment_leave(set);
    return result;
}

int detmath_scaled_find(int to, int format, const void *a, size_t n,
                        enum detmath_scaled_target target) {
    uint64_t set = detmath_environment_enter();
    int result = rows()->find(to, format, a, n, target);
    detmath_environment_leave(set);
    return result;
}

int detmath_scaled_has_number(int format, const void *a, size_t n) {
    uint64_t set = detmath_environment_enter();
    int result = rows()->greatest(format, a, n) != 0.0;
    detmath_environment_leave(set);
    return result;
}
