/* The operands of an array that wait in arrays_f64.c until they fill vectors of steps that few of them need. Included where vectors of
 * fp64 are (lanes_f64.h). */
#ifndef DETMATH_LIBRARY_OPEN_F64_H
#define DETMATH_LIBRARY_OPEN_F64_H

#include "lanes_f64.h"

/* Where the first candidates of cr differ: the operands, and their places in the array. Few do, in vectors of their own. */
#define OPEN_F64 64u
struct open_f64 {
    size_t count;
    detmath_u64 at[OPEN_F64 + 2 * DETMATH_LANES_F64];
    double x[OPEN_F64 + 2 * DETMATH_LANES_F64], y[OPEN_F64 + 2 * DETMATH_LANES_F64];
};
/* Takes in the lanes whose bits are set, of the vectors from element i on. */
DETMATH_INLINED void open_add_f64(struct open_f64 *open, int operands, lanes_d x, lanes_d y,
                                  size_t i, detmath_u32 bits) {
    lanes_pack_f64(&open->at[open->count], (lanes_d)(lanes_numbers_f64() + i), bits);
    lanes_pack_f64(&open->x[open->count], x, bits);
    if (operands == 2)
        lanes_pack_f64(&open->y[open->count], y, bits);
    open->count += (size_t)__builtin_popcount(bits);
}
/* Leaves out the first OPEN_F64, which have their results. */
static inline void open_drop_f64(struct open_f64 *open) {
    open->count -= OPEN_F64;
    for (size_t k = 0; k < open->count; k++) {
        open->x[k] = open->x[OPEN_F64 + k];
        open->y[k] = open->y[OPEN_F64 + k];
        open->at[k] = open->at[OPEN_F64 + k];
    }
}

#endif
