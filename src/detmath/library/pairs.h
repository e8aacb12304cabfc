/* Functions of two operands over arrays, strip by strip. */
#ifndef DETMATH_LIBRARY_PAIRS_H
#define DETMATH_LIBRARY_PAIRS_H

#include "strips.h"

/* z[i] = f(x[i], y[i]). QUICK fills lanes and says of each, and of all together, whether there is doubt;
 * FULL does those again, of which there are few. */
typedef detmath_u32 pairs_quick(float *restrict z, const float *restrict x, const float *restrict y,
                                detmath_u32 *restrict doubts, size_t lanes);

static inline void fill_pairs(void *to, const void *const *operands, size_t n, pairs_quick *quick,
                              float (*full)(float, float)) {
    _Alignas(64) float copies[3][STRIP];
    detmath_u32 doubts[STRIP];
    bool direct = strips_apart(to, operands[0], n) && strips_apart(to, operands[1], n);
    for (size_t at = 0; at < n; at += STRIP) {
        struct strip strip = strip_at(at, n);
        bool copied = !direct || strip.count < strip.lanes;
        const float *x = copied ? copies[0] : (const float *)operands[0] + at;
        const float *y = copied ? copies[1] : (const float *)operands[1] + at;
        float *z = copied ? copies[2] : (float *)to + at;
        if (copied) {
            strip_load(copies[0], operands[0], strip);
            strip_load(copies[1], operands[1], strip);
        }
        detmath_u32 any = quick(z, x, y, doubts, strip.lanes);
        for (size_t i = 0; any && i < strip.count; i++)
            if (doubts[i])
                z[i] = full(x[i], y[i]);
        if (copied)
            strip_store(to, z, strip);
    }
}

#endif
