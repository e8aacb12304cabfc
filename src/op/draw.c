/* Uniform and normal numbers, and their codes. */
#include "op/draw.h"

#include "base/vector.h"
#include "detmath/random.h"

static double unit_of(uint64_t random) {
    return (double)(random >> 11) * 0x1p-53;
}

double draw_unit(uint64_t key, uint64_t index) {
    return unit_of(detmath_random(key, index));
}

/* Of one index under several keys: a loop that becomes vector code. */
FOR_EACH_CPU static void draw_several(uint64_t key, uint64_t index, uint64_t *random) {
    for (uint64_t i = 0; i < NORMAL_DRAWS; i++)
        random[i] = detmath_random(key + i, index);
}

double draw_normal(uint64_t key, uint64_t index) {
    uint64_t random[NORMAL_DRAWS];
    double sum = -6;
    draw_several(key, index, random);
    for (int i = 0; i < NORMAL_DRAWS; i++)
        sum += unit_of(random[i]);
    return sum;
}

void array_set_double(const struct array *array, uint64_t index, double value) {
    struct real real = real_from_double(value);
    array_set_code(array, index,
                   format_encode(array->format, &real, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE));
}
