/* pow, powr and pown of power_lanes.inc on vectors. */
#ifndef DETMATH_LIBRARY_POWER_LANES_H
#define DETMATH_LIBRARY_POWER_LANES_H

#include "lanes.h"

#if defined(DETMATH_LANES)
#include "detmath/power_lanes.inc"

/* powr's x^(+-inf) is away as every power beyond 2^125 is, and so is 1^(+-inf), as inf 0 is NaN. */
static inline lanes_u detmath_pow_also_away_lanes(lanes_f y) {
    (void)y;
    return (lanes_u){0};
}
#define detmath_powr_also_away_lanes detmath_pow_also_away_lanes
/* In pown also what is no integer below 2^22. */
static inline lanes_u detmath_pown_also_away_lanes(lanes_f y) {
    lanes_f whole = (y + 0x1.8p23f) - 0x1.8p23f;
    return (lanes_u)(whole != y) | (lanes_u)(lanes_magnitude(y) >= 0x1p22f);
}

/* What a loop over x and y computes: z = x^y, and SEE. The logarithm of the next vector is begun before the power of
 * this one, which waits for its own: the two share the processor. */
#define POWER_LANES_LOOP(NAME, SEE)                                                                \
    do {                                                                                           \
        lanes_f v = lanes_load(x), rest, sum = detmath_pow_logarithm_lanes(v, &rest);              \
        for (size_t i = 0; i < lanes; i += DETMATH_LANES) {                                        \
            size_t next = i + DETMATH_LANES < lanes ? i + DETMATH_LANES : i;                       \
            lanes_f w = lanes_load(x + next), y_lanes = lanes_load(y + i);                         \
            lanes_f rest_of_next, sum_of_next = detmath_pow_logarithm_lanes(w, &rest_of_next);     \
            lanes_u away;                                                                          \
            lanes_store(z + i, detmath_pow_power_lanes(v, y_lanes, sum, rest, &away));             \
            away |= detmath_##NAME##_also_away_lanes(y_lanes);                                     \
            SEE;                                                                                   \
            v = w;                                                                                 \
            sum = sum_of_next;                                                                     \
            rest = rest_of_next;                                                                   \
        }                                                                                          \
    } while (0)
#endif

#endif
