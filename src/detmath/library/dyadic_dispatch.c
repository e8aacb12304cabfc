/* The library's dyadic calls, by way of the best instruction set that this machine has. */
#include "dyadic_kernels.h"
#include "environment.h"
#include "kernels.h"
#include "overlap.h"

const struct detmath_dyadic_kernels *detmath_dyadic_kernels(enum detmath_dyadic_operation which) {
    return &detmath_best_level()->dyadic[which];
}

static int overlaps(const void *y, size_t y_bytes, const void *x, size_t x_bytes, size_t n) {
    return detmath_sharing_of_codes(y, y_bytes, x, x_bytes, n) == DETMATH_MIXED;
}

#define CALL(NAME, WIDTH, X2, OVERLAPS)                                                            \
    if (OVERLAPS)                                                                                  \
        return DETMATH_DYADIC_OVERLAP;                                                             \
    uint64_t set = detmath_environment_enter();                                                    \
    uint32_t status = detmath_dyadic_kernels(DETMATH_DYADIC_INDEX_##NAME)                          \
                          ->WIDTH(y, x1, X2, n, plan, seed, first);                                \
    detmath_environment_leave(set);                                                                \
    return status

#define ONE_OF(NAME, TO, FROM, WIDTH)                                                              \
    uint32_t detmath_dyadic_##NAME##_##WIDTH(TO *y, const FROM *x1, size_t n,                      \
                                             const struct detmath_dyadic_plan *plan,               \
                                             uint64_t seed, uint64_t first) {                      \
        CALL(NAME, WIDTH, NULL, overlaps(y, sizeof *y, x1, sizeof *x1, n));                        \
    }
#define TWO_OF(NAME, TYPE, WIDTH)                                                                  \
    uint32_t detmath_dyadic_##NAME##_##WIDTH(TYPE *y, const TYPE *x1, const TYPE *x2, size_t n,    \
                                             const struct detmath_dyadic_plan *plan,               \
                                             uint64_t seed, uint64_t first) {                      \
        CALL(NAME, WIDTH, x2,                                                                      \
             overlaps(y, sizeof *y, x1, sizeof *x1, n) ||                                          \
                 overlaps(y, sizeof *y, x2, sizeof *x2, n));                                       \
    }
#define ONE(NAME) ONE_OF(NAME, int32_t, int32_t, i32) ONE_OF(NAME, int64_t, int64_t, i64)
#define TWO(NAME) TWO_OF(NAME, int32_t, i32) TWO_OF(NAME, int64_t, i64)
DETMATH_DYADIC_OPERATIONS(ONE, TWO)

#define FROM(NAME, REAL) ONE_OF(NAME, int32_t, REAL, i32) ONE_OF(NAME, int64_t, REAL, i64)
#define TO(NAME, REAL)   ONE_OF(NAME, REAL, int32_t, i32) ONE_OF(NAME, REAL, int64_t, i64)
DETMATH_DYADIC_CONVERSIONS(FROM, TO)
