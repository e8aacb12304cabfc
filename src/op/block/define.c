/* Blocks by their largest magnitude. A quotient is rounded to double first, which cannot move it across the middle of two
 * numbers of a field: numerator, denominator and middle together have too few bits to come nearer than 2^-50 to each other
 * without being equal. A range is cut so that it stays on its side of all of them (round to odd). */
#include "op/block/define.h"

#include <math.h>
#include <string.h>

/* The sum; where double lacks bits of it, the neighbour whose last bit is 1. */
static double sum_to_odd(double a, double b) {
    const double sum = a + b, back = sum - a, lost = (a - (sum - back)) + (b - back);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (lost == 0 || bits % 2)
        return sum;
    return nextafter(sum, lost > 0 ? (double)INFINITY : -(double)INFINITY);
}

/* The integer of a field, without sign, whose number is nearest: ties to even, at most the ends. */
static uint32_t nearest_integer(const struct block_field *field, double number) {
    if (field->format)
        return block_nearest_scale(field->format, number);
    const double span = ldexp(1, field->width),
                 least = (field->is_signed ? -span / 2 : 0) - field->bias, most = least + span - 1;
    double integer = floor(number);
    const double fraction = number - integer;
    integer += fraction > 0.5 || (fraction == 0.5 && fmod(integer, 2) != 0);
    integer = !(integer > least) ? least : integer > most ? most : integer;
    return (uint32_t)(int32_t)(integer + field->bias) & (uint32_t)(span - 1);
}

/* The largest integer that a field has with both signs; of one without sign, the largest. */
static double largest_of(const struct block_field *field) {
    const double span = ldexp(1, field->width);
    return (field->is_signed || field->bias ? span / 2 : span) - 1;
}

struct extent {
    double minimum, size; /* of the minimum's sign; of the range, or the largest magnitude */
};

static struct extent extent_of(const struct block_layout *layout, const float *x,
                               const struct block_field *shared, unsigned index) {
    double low = (double)INFINITY, high = -low;
    for (unsigned i = 0; i < layout->elements; i++) {
        if (i / shared->share % shared->count != index || !isfinite(x[i]))
            continue;
        low = fmin(low, (double)x[i]);
        high = fmax(high, (double)x[i]);
    }
    const bool has_zero = layout->fields[BLOCK_ZERO].count,
               has_minimum = layout->fields[BLOCK_MINIMUM].count;
    if (low > high || has_zero || layout->subtracts_minimum)
        low = fmin(low, 0);
    if (isinf(high) || has_zero)
        high = fmax(high, 0);
    if (has_zero || has_minimum)
        return (struct extent){low + 0.0 /* no -0 */, sum_to_odd(high, -low)};
    return (struct extent){0, fmax(fabs(low), fabs(high))};
}

/* Stores numbers, each a numerator over `by`: in one field, or in integers and what all of them are times. */
static void store(const struct block_layout *layout, enum block_role role, enum block_role sub,
                  const double *numerators, double by, uint8_t *bytes) {
    const struct block_field *field = &layout->fields[role], *subs = &layout->fields[sub];
    if (!subs->count) {
        for (unsigned i = 0; i < field->count; i++)
            block_set(layout, role, bytes, i, nearest_integer(field, numerators[i] / by));
        return;
    }
    double largest = 0;
    for (unsigned i = 0; i < subs->count; i++)
        largest = fmax(largest, numerators[i]);
    const uint32_t stored = nearest_integer(field, largest / (by * largest_of(subs)));
    const double unit = block_number(field, stored) * by;
    block_set(layout, role, bytes, 0, stored);
    for (unsigned i = 0; i < subs->count; i++)
        block_set(layout, sub, bytes, i,
                  nearest_integer(subs, unit > 0 ? numerators[i] / unit : 0));
}

void block_define_maximum(const struct block_coder *coder, const float *x, double tensor_scale,
                          uint8_t *bytes) {
    enum { MOST_SHARED = 16 };
    const struct block_layout *layout = coder->layout;
    const struct block_field *subs = &layout->fields[BLOCK_SUBSCALE],
                             *shared = subs->count ? subs : &layout->fields[BLOCK_SCALE],
                             *zeros = &layout->fields[BLOCK_ZERO];
    const double first = coder->numbers[0], last = coder->numbers[coder->count - 1];
    const bool is_range = zeros->count || layout->fields[BLOCK_MINIMUM].count;
    double minima[MOST_SHARED], sizes[MOST_SHARED];
    memset(bytes, 0, layout->bytes);
    for (unsigned i = 0; i < shared->count; i++) {
        const struct extent extent = extent_of(layout, x, shared, i);
        minima[i] = layout->subtracts_minimum ? -extent.minimum : extent.minimum;
        sizes[i] = extent.size;
    }
    store(layout, BLOCK_SCALE, BLOCK_SUBSCALE, sizes,
          (is_range ? last - first : fmin(-first, last)) *
              (layout->has_tensor_scale ? tensor_scale : 1),
          bytes);
    if (layout->fields[BLOCK_MINIMUM].count)
        store(layout, BLOCK_MINIMUM, BLOCK_SUBMINIMUM, minima, 1, bytes);
    for (unsigned i = 0; i < zeros->count; i++) {
        const double scale = block_affine_of(layout, bytes, 1, i).scale;
        block_set(layout, BLOCK_ZERO, bytes, i,
                  nearest_integer(zeros, first - (scale > 0 ? minima[i] / scale : 0)));
    }
    block_code_elements(coder, x, tensor_scale, bytes);
}
