/* The library's reductions, by way of the best instruction set that this machine has. */
#include "detmath/arrays.h"
#include "environment.h"
#include "kernels.h"
#include "overlap.h"
#include "reduction_list.h"

#include <stdlib.h>

const struct detmath_reductions *detmath_reductions_level(int index) {
    struct detmath_level level;
    return detmath_level(index, &level) ? level.reductions : NULL;
}

const struct detmath_reductions *detmath_reductions(void) {
    return detmath_best_level()->reductions;
}

#define FORMAT_f32 DETMATH_F32
#define FORMAT_f64 DETMATH_F64
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
        void *copy;                                                                                \
        const T *from = detmath_operand_apart(x, n, y, n, 1, FORMAT_##S, &copy);                   \
        uint64_t set = detmath_environment_enter();                                                \
        if (from || !n)                                                                            \
            detmath_reductions()->NAME##_##S(y, from, n);                                          \
        detmath_environment_leave(set);                                                            \
        free(copy);                                                                                \
    }
DETMATH_REDUCTIONS(REDUCE, PAIR, MAP)

#define MATMUL(T, S)                                                                               \
    void detmath_matmul_##S(T *c, const T *a, const T *b, size_t rows, size_t inner,               \
                            size_t columns) {                                                      \
        void *copies[2] = {NULL, NULL};                                                            \
        const size_t n = rows * columns;                                                           \
        const T *x = detmath_operand_apart(a, rows * inner, c, n, 0, FORMAT_##S, &copies[0]);      \
        const T *y = detmath_operand_apart(b, inner * columns, c, n, 0, FORMAT_##S, &copies[1]);   \
        uint64_t set = detmath_environment_enter();                                                \
        if ((x || !a) && (y || !b))                                                                \
            detmath_reductions()->matmul_##S(c, x, y, rows, inner, columns);                       \
        detmath_environment_leave(set);                                                            \
        free(copies[0]);                                                                           \
        free(copies[1]);                                                                           \
    }
MATMUL(float, f32)
MATMUL(double, f64)
