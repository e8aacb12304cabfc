/* Where the bits of a field lie, and the number that an element stands for. */
#include "op/block/layout.h"

#include <math.h>

/* The first bit of integer `k` of a piece, counted from the first bit of the block. */
static unsigned bit_of(const struct block_piece *piece, unsigned k) {
    const unsigned start = piece->offset * 8u + piece->shift;
    if (!piece->run)
        return start + k * piece->bits;
    const unsigned group = (unsigned)piece->run * piece->per,
                   unit = k / group * piece->run + k % piece->run;
    return start + unit * piece->unit + k / piece->run % piece->per * piece->bits;
}

static unsigned place_of(const struct block_field *field, unsigned index) {
    return field->order ? index - index % 8 + field->order[index % 8] : index;
}

static bool has(const struct block_piece *piece, unsigned index) {
    return index >= piece->first && index < (unsigned)piece->first + piece->count;
}

uint32_t block_get(const struct block_layout *layout, enum block_role role, const uint8_t *bytes,
                   unsigned index) {
    const struct block_field *field = &layout->fields[role];
    const unsigned place = place_of(field, index);
    uint32_t integer = 0;
    for (int p = 0; p < BLOCK_PIECES; p++) {
        const struct block_piece *piece = &field->pieces[p];
        if (!has(piece, place))
            continue;
        const unsigned bit = bit_of(piece, place - piece->first);
        uint64_t bits = 0;
        for (unsigned i = 0; i <= (bit % 8 + piece->bits - 1u) / 8; i++)
            bits |= (uint64_t)bytes[bit / 8 + i] << 8 * i;
        bits = bits >> bit % 8 & ((UINT64_C(1) << piece->bits) - 1);
        integer |= (uint32_t)bits << piece->to;
    }
    return integer;
}

void block_set(const struct block_layout *layout, enum block_role role, uint8_t *bytes,
               unsigned index, uint32_t integer) {
    const struct block_field *field = &layout->fields[role];
    const unsigned place = place_of(field, index);
    for (int p = 0; p < BLOCK_PIECES; p++) {
        const struct block_piece *piece = &field->pieces[p];
        if (!has(piece, place))
            continue;
        const unsigned bit = bit_of(piece, place - piece->first);
        uint64_t bits = integer >> piece->to & ((UINT64_C(1) << piece->bits) - 1);
        bits <<= bit % 8;
        for (unsigned i = 0; i <= (bit % 8 + piece->bits - 1u) / 8; i++)
            bytes[bit / 8 + i] |= (uint8_t)(bits >> 8 * i);
    }
}

double block_number(const struct block_field *field, uint32_t integer) {
    if (field->table)
        return (double)field->table[integer];
    if (field->format) {
        struct real number = format_decode(field->format, integer);
        return real_to_double(&number);
    }
    const int64_t low = (int64_t)integer - field->bias;
    return (double)(field->is_signed && integer >> (field->width - 1)
                        ? low - (INT64_C(1) << field->width)
                        : low);
}

static double number_at(const struct block_layout *layout, enum block_role role,
                        const uint8_t *bytes, unsigned element, double otherwise) {
    const struct block_field *field = &layout->fields[role];
    if (!field->count)
        return otherwise;
    const unsigned index = element / field->share % field->count;
    return block_number(field, block_get(layout, role, bytes, index));
}

/* What double loses of a product, which is not finite where nothing can be lost. */
static double product(double a, double b, bool *exact) {
    const double ab = a * b;
    if (isfinite(ab) && (fma(a, b, -ab) != 0 || (ab == 0 && a != 0 && b != 0)))
        *exact = false;
    return ab;
}

struct block_affine block_affine_of(const struct block_layout *layout, const uint8_t *bytes,
                                    double tensor_scale, unsigned element) {
    struct block_affine affine = {.zero = number_at(layout, BLOCK_ZERO, bytes, element, 0),
                                  .exact = true};
    const double both =
        product(number_at(layout, BLOCK_SCALE, bytes, element, 1),
                number_at(layout, BLOCK_SUBSCALE, bytes, element, 1), &affine.exact);
    affine.scale = product(both, layout->has_tensor_scale ? tensor_scale : 1, &affine.exact);
    if (layout->fields[BLOCK_MINIMUM].count)
        affine.minimum =
            (layout->subtracts_minimum ? -1 : 1) *
            product(number_at(layout, BLOCK_MINIMUM, bytes, element, 0),
                    number_at(layout, BLOCK_SUBMINIMUM, bytes, element, 1), &affine.exact);
    return affine;
}

double block_element_number(const struct block_layout *layout, const uint8_t *bytes,
                            double tensor_scale, unsigned element, bool *exact) {
    const struct block_affine affine = block_affine_of(layout, bytes, tensor_scale, element);
    *exact = affine.exact;
    const double scaled = product(
        affine.scale, number_at(layout, BLOCK_ELEMENT, bytes, element, 0) - affine.zero, exact);
    if (!layout->fields[BLOCK_MINIMUM].count)
        return scaled;
    const double sum = scaled + affine.minimum, back = sum - scaled;
    if (isfinite(sum) && (scaled - (sum - back)) + (affine.minimum - back) != 0)
        *exact = false;
    return sum;
}

float block_element_in_fp32(const struct block_layout *layout, const uint8_t *bytes,
                            float tensor_scale, unsigned element) {
    float scale = (float)number_at(layout, BLOCK_SCALE, bytes, element, 1);
    if (layout->has_tensor_scale)
        scale = tensor_scale * scale;
    if (layout->fields[BLOCK_SUBSCALE].count)
        scale = scale * (float)number_at(layout, BLOCK_SUBSCALE, bytes, element, 1);
    const float code = (float)(number_at(layout, BLOCK_ELEMENT, bytes, element, 0) -
                               number_at(layout, BLOCK_ZERO, bytes, element, 0));
    const volatile float scaled = scale * code;
    if (!layout->fields[BLOCK_MINIMUM].count)
        return scaled;
    const volatile float minimum = (float)number_at(layout, BLOCK_MINIMUM, bytes, element, 0) *
                                   (float)number_at(layout, BLOCK_SUBMINIMUM, bytes, element, 1);
    return layout->subtracts_minimum ? scaled - minimum : scaled + minimum;
}
