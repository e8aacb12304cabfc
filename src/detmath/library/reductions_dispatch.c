/* The library's reductions, by way of the best instruction set that this machine has. */
#include "detmath/arrays.h"
#include "environment.h"
#include "kernels.h"
#include "reduction_list.h"

const struct detmath_reductions *detmath_reductions_level(int index) {
    struct detmath_level level;
    return detmath_level(index, &level) ? level.reductions : NULL;
}

const struct detmath_reductions *detmath_reductions(void) {
    return detmath_best_level()->reductions;
}

#define REDUCE(T, S, NAME)                                                                         \
    T detmath_##NAME##_##S(const T *x, size_t n) {                                                 \
        uint64_t set = detmath_environment_enter();                                                \
        T result = detmath_reductions()->NAME##_##S(x, n);                                         \
        detmath_environment_leave(set);                                                            \
        return result;                                                                             \
    }
#define PAIR(T, S, NAME)                                                                           \
    T detmath_##NAME##_##S(const T *x, const T *y, size_t n) {                                     \
        uint64_t set = detmath_environment_enter();                                                \
        T result = detmath_reductions()->NAME##_##S(x, y, n);                                      \
        detmath_environment_leave(set);                                                            \
        return result;                                                                             \
    }
#define MAP(T, S, NAME)                                                                            \
    void detmath_##NAME##_##S(T *y, const T *x, size_t n) {                                        \
        uint64_t set = detmath_environment_enter();                                                \
        detmath_reductions()->NAME##_##S(y, x, n);                                                 \
        detmath_environment_leave(set);                                                            \
    }
DETMATH_REDUCTIONS(REDUCE, PAIR, MAP)

void detmath_matmul_f32(float *c, const float *a, const float *b, size_t rows, size_t inner,
                        size_t columns) {
    uint64_t set = detmath_environment_enter();
    detmath_reductions()->matmul_f32(c, a, b, rows, inner, columns);
    detmath_environment_leave(set);
}

void detmath_matmul_f64(double *c, const double *a, const double *b, size_t rows, size_t inner,
                        size_t columns) {
    uint64_t set = detmath_environment_enter();
    detmath_reductions()->matmul_f64(c, a, b, rows, inner, columns);
    detmath_environment_leave(set);
}
