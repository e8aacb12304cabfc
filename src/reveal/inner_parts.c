/* Numbers of a call, of which its arrays have codes. */
#include "reveal/inner_parts.h"

#include <math.h>

double inner_get(const struct array *array, uint64_t index) {
    const struct real real = array_number(array, index);
    return real.kind == REAL_FINITE ? real_to_double(&real) : real.kind == REAL_ZERO ? 0 : NAN;
}

static uint64_t encode(const struct format *format, double value) {
    const struct real real = real_from_double(value);
    return format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

void inner_put(const struct array *array, uint64_t index, double value) {
    array_set_code(array, index, encode(array->format, value));
}

const struct array *inner_terms(const struct inner_call *inner) {
    return &inner->simple->operands[0];
}
