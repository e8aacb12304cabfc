/* Nearest codes by comparing with the middles of neighbours. */
#include "op/block/coder.h"

#include <math.h>

static void insert(struct block_coder *coder, double number, uint32_t code) {
    unsigned at = coder->count;
    while (at > 0 && coder->numbers[at - 1] > number)
        at--;
    if (at > 0 && coder->numbers[at - 1] == number) {
        if (number == 0 && signbit(number))
            coder->negative_zero = (int)code;
        return;
    }
    for (unsigned i = coder->count++; i > at; i--) {
        coder->numbers[i] = coder->numbers[i - 1];
        coder->codes[i] = coder->codes[i - 1];
    }
    coder->numbers[at] = number;
    coder->codes[at] = (uint8_t)code;
}

void block_coder_prepare(struct block_coder *coder, const struct block_layout *layout) {
    const struct block_field *field = &layout->fields[BLOCK_ELEMENT];
    *coder = (struct block_coder){.layout = layout, .negative_zero = -1, .nan = -1};
    if (field->format && field->format->has_nan)
        coder->nan = (int)field->format->nan;
    for (uint32_t code = 0; code < UINT32_C(1) << field->width; code++) {
        const double number = block_number(field, code);
        if (isfinite(number))
            insert(coder, number, code);
    }
}

/* Whether x lies beyond the middle of the numbers at `at` and `at` + 1: -1, 0 where it is that, or 1. */
static int side(const struct block_coder *coder, const struct block_affine *affine, unsigned at,
                double x) {
    const double sum =
        affine->scale * (coder->numbers[at] + coder->numbers[at + 1] - 2 * affine->zero) +
        2 * affine->minimum;
    const int beyond = (2 * x > sum) - (2 * x < sum);
    return affine->scale < 0 ? -beyond : beyond;
}

unsigned block_nearest(const struct block_coder *coder, const struct block_affine *affine,
                       double x) {
    const bool is_open =
        isnan(x) || affine->scale == 0 || !isfinite(affine->scale) || !isfinite(affine->minimum);
    const struct block_affine plain = {.scale = 1, .zero = 0, .minimum = 0};
    const double wanted = is_open ? affine->zero : x;
    const struct block_affine *by = is_open ? &plain : affine;
    unsigned low = 0, high = coder->count - 1;
    while (low < high) {
        const unsigned at = (low + high) / 2;
        const int beyond = side(coder, by, at, wanted);
        if (beyond > 0)
            low = at + 1;
        else if (beyond < 0)
            high = at;
        else
            return coder->codes[at] % 2 ? at + 1 : at;
    }
    return low;
}

uint32_t block_nearest_code(const struct block_coder *coder, const struct block_affine *affine,
                            double x) {
    if (isnan(x) && coder->nan >= 0)
        return (uint32_t)coder->nan;
    const unsigned at = block_nearest(coder, affine, x);
    if (coder->numbers[at] == 0 && coder->negative_zero >= 0 && !isnan(x) &&
        (!isnan(affine->scale) && signbit(affine->scale)) != !!signbit(x))
        return (uint32_t)coder->negative_zero;
    return coder->codes[at];
}

uint32_t block_nearest_scale(const struct format *format, double number) {
    const bool has_place = format->has_zero ? !isnan(number) : number > 0;
    const struct real real = real_from_double(has_place ? number : 0);
    if (!has_place)
        return 0;
    return (uint32_t)format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE);
}

void block_code_elements(const struct block_coder *coder, const float *x, double tensor_scale,
                         uint8_t *bytes) {
    const struct block_layout *layout = coder->layout;
    const struct block_field *sums = &layout->fields[BLOCK_SUM];
    double sum = 0;
    for (unsigned i = 0; i < layout->elements; i++) {
        const struct block_affine affine = block_affine_of(layout, bytes, tensor_scale, i);
        const uint32_t code = block_nearest_code(coder, &affine, (double)x[i]);
        block_set(layout, BLOCK_ELEMENT, bytes, i, code);
        sum += block_number(&layout->fields[BLOCK_ELEMENT], code);
        if (sums->count && i % sums->share == sums->share - 1u) {
            block_set(layout, BLOCK_SUM, bytes, i / sums->share, (uint32_t)(int32_t)sum);
            sum = 0;
        }
    }
}
