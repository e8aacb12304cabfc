/* Inputs of mx.matmul: seeded, and made for what matrix units do. */
#include "detmath/random.h"
#include "op/mx/rows.h"

/* What scales of a family are: 2^low to 2^high; or any codes. Elements are any, or the finite ones. */
struct kind {
    int low, high;
    bool any_scale, any_element, cancels;
};

static uint64_t element(const struct format *format, const struct kind *kind, uint64_t bits) {
    uint64_t code = bits & format_mask(format);
    struct real x = format_decode(format, code);
    bool finite = x.kind == REAL_ZERO || x.kind == REAL_FINITE;
    return finite || kind->any_element ? code : code & 1;
}

static uint64_t scale(const struct format *format, const struct kind *kind, uint64_t bits) {
    if (kind->any_scale)
        return bits & format_mask(format);
    int exponent = kind->low + (int)((bits >> 32) % (uint64_t)(kind->high - kind->low + 1));
    exponent = exponent < format->emin ? format->emin : exponent;
    struct real x = real_power_of_two(exponent < format->emax ? exponent : format->emax - 1);
    if (format->precision > 1)
        x.significand.high |= bits << 56 >> 1;
    return format_encode(format, &x, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE);
}

/* c, about the products: of the exponents of both scales, 4 on either side. */
static uint64_t addend(const struct format *format, const struct kind *kind, uint64_t bits) {
    if (kind->any_element)
        return bits & format_mask(format);
    const int span = kind->high - kind->low + 4,
              exponent = 2 * kind->low - 4 + (int)((bits >> 32) % (uint64_t)(2 * span + 1));
    struct real c = real_power_of_two(exponent);
    c.significand.high |= bits << 32 >> 1;
    c.negative = bits >> 31 & 1;
    return format_encode(format, &c, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE);
}

static void draw_addend(const struct array_call *call, const struct kind *kind, uint64_t key) {
    const struct array *c = array_addend(call);
    for (uint64_t i = 0; c && c->codes && i < shape_elements(&c->shape); i++)
        array_set_code(c, i, addend(c->format, kind, detmath_random(key + MX_C, i)));
}

/* Where terms cancel, of each two neighbours in a line the second one has the magnitude of the first. */
static void draw_product(const struct array_call *call, const struct array_family *family,
                         uint64_t seed, uint64_t number) {
    const struct kind *kind = family->data;
    const uint64_t key = detmath_random(seed, number);
    for (int operand = MX_X; operand <= MX_Y_SCALES; operand++) {
        const struct array *array = &call->operands[operand];
        const uint64_t count = shape_elements(&array->shape),
                       step = operand == MX_Y ? array->shape.extents[1] : 1;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t bits = detmath_random(key + (uint64_t)operand, i);
            bool is_scale = operand == MX_X_SCALES || operand == MX_Y_SCALES;
            uint64_t code =
                is_scale ? scale(array->format, kind, bits) : element(array->format, kind, bits);
            if (kind->cancels && !is_scale && i / step % 2 && bits >> 60)
                code =
                    array_code(array, i - step) ^ (operand == MX_X ? array->format->sign_bit : 0);
            array_set_code(array, i, code);
        }
    }
    draw_addend(call, kind, key);
}

#define KIND(...) draw_product, &(const struct kind){__VA_ARGS__}, 0
const struct array_family mx_product_families[] = {
    {"normal", "any finite elements, scales about 1", KIND(-3, 3, false, false, false)},
    {"spread", "scales far apart, so that blocks lose bits beside others",
     KIND(-24, 24, false, false, false)},
    {"cancelling", "neighbours of opposite sign, so that small blocks are left",
     KIND(-12, 12, false, false, true)},
    {"large", "results about the end of fp32", KIND(55, 63, false, false, false)},
    {"small", "results about the least numbers of fp32", KIND(-75, -60, false, false, false)},
    {"codes", "any codes, NaN and infinity too", KIND(0, 0, true, true, false)},
    {0}};
