/* Inputs of operations on scaled arrays: data, and scales that do them good, or test them. */
#include "op/scaled/rows.h"

#include "base/bits.h"
#include "detmath/random.h"
#include "op/draw.h"

/* Exponents of scales. */
struct exponents {
    int low, high;
};

/* Scale number `index`: an exponent between the two, and in fp32 a factor from 1 to 2 beside it. */
static void draw_scale(const struct array_call *call, const struct array *array, uint64_t key,
                       uint64_t index, struct exponents range) {
    int64_t kind = parameter_integer(call->parameters, PARAMETER_SCALE, 0);
    int n = range.low + (int)(draw_unit(key, index) * (range.high - range.low + 1));
    double factor = 1 + draw_unit(key + 1, index);
    array_set_double(array, index,
                     kind == SCALED_KIND_POWER  ? n
                     : kind == SCALED_KIND_NONE ? 1
                                                : power_of_two(n) * factor);
}

static void draw_normal_data(const struct array_call *call, const struct array_family *family,
                             uint64_t seed, uint64_t number) {
    const struct exponents *range = family->data;
    for (int k = 0; k < 4 && call->operands[k].codes; k += 2) {
        uint64_t key = detmath_random(seed, 8 * number + (uint64_t)k);
        const struct array *data = &call->operands[k], *scales = &call->operands[k + 1];
        for (uint64_t i = 0; i < shape_elements(&data->shape); i++)
            array_set_double(data, i, draw_normal(key, i));
        for (uint64_t i = 0; i < shape_elements(&scales->shape); i++)
            draw_scale(call, scales, key + 100, i, *range);
    }
    const struct array *c = array_addend(call);
    for (uint64_t i = 0; c && i < shape_elements(&c->shape); i++) /* about the products */
        array_set_double(c, i,
                         draw_normal(detmath_random(seed, 8 * number + 4), i) *
                             power_of_two(range->low + range->high));
}

/* Of both signs, and 0 now and then; powers of two have neither. */
static void draw_signs(const struct array_call *call, const struct array_family *family,
                       uint64_t seed, uint64_t number) {
    draw_normal_data(call, family, seed, number);
    for (int k = 1; k < 4 && call->operands[k].codes; k += 2) {
        const struct array *scales = &call->operands[k];
        for (uint64_t i = 0; i < shape_elements(&scales->shape) && !scales->format->is_integer;
             i++) {
            uint64_t bits =
                detmath_random(seed ^ UINT64_C(0x5ca1ed), 8 * number + (uint64_t)k + 97 * i);
            uint64_t code = array_code(scales, i) ^ (bits & 1) << 31;
            array_set_code(scales, i, bits % 5 == 2 ? 0 : code);
        }
    }
}

/* Every code beside every code of 8 bits (of wider formats, some), at pairs of scales from a list.
 */
enum { LISTED = 4 };
static void draw_pairs(const struct array_call *call, const struct array_family *family,
                       uint64_t seed, uint64_t number) {
    static const double fp32[LISTED] = {1, -0.125, 0, 0x1.f40ccdp9};
    static const int powers[LISTED] = {0, 3, -5, 40};
    (void)family;
    (void)seed;
    for (int k = 0; k < 4 && call->operands[k].codes; k += 2) {
        const struct array *data = &call->operands[k], *scales = &call->operands[k + 1];
        uint64_t which = k ? number / LISTED : number % LISTED;
        for (uint64_t i = 0; i < shape_elements(&data->shape); i++) {
            uint64_t code = k ? i & 255 : i >> 8 & 255;
            if (data->format->width > 8)
                code = detmath_random(code, 0) & format_mask(data->format);
            array_set_code(data, i, code);
        }
        for (uint64_t i = 0; i < shape_elements(&scales->shape); i++)
            array_set_double(scales, i, scales->format->is_integer ? powers[which] : fp32[which]);
    }
    const struct array *c = array_addend(call);
    for (uint64_t i = 0; c && i < shape_elements(&c->shape); i++)
        array_set_double(c, i, draw_normal(detmath_random(seed, number), i));
}

#define NORMAL(LOW, HIGH) draw_normal_data, &(const struct exponents){LOW, HIGH}, 0

const struct array_family scaled_families[] = {
    {"near", "normal data, scales from 2^-2 to 2^2", NORMAL(-2, 2)},
    {"small", "normal data, scales about 2^-22", NORMAL(-24, -20)},
    {"gradual", "normal data, scales about 2^-8", NORMAL(-9, -6)},
    {"large", "normal data, scales about 2^20", NORMAL(18, 22)},
    {"apart", "normal data, scales from 2^-30 to 2^30", NORMAL(-30, 30)},
    {"signs", "normal data, scales of both signs and 0", draw_signs,
     &(const struct exponents){-2, 2}, 0},
    {"pairs", "every code of 8 bits beside every other, 16 pairs of scales", draw_pairs, NULL,
     LISTED *LISTED},
    {0}};
