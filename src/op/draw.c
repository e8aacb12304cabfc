/* Uniform and normal numbers, and their codes. */
#include "op/draw.h"

#include "detmath/random.h"

double draw_unit(uint64_t key, uint64_t index) {
    return (double)(detmath_random(key, index) >> 11) * 0x1p-53;
}

double draw_normal(uint64_t key, uint64_t index) {
    double sum = -6;
    for (uint64_t i = 0; i < NORMAL_DRAWS; i++)
        sum += draw_unit(key + i, index);
    return sum;
}

void array_set_double(const struct array *array, uint64_t index, double value) {
    struct real real = real_from_double(value);
    array_set_code(array, index,
                   format_encode(array->format, &real, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE));
}
