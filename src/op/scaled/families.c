/* Inputs of operations on scaled arrays: data, and scales that do them good, or test them. */
#include "op/scaled/rows.h"

#include "detmath/random.h"

/* A number in [0, 1) for an element. */
static double unit(uint64_t key, uint64_t index) {
    return (double)(detmath_random(key, index) >> 11) * 0x1p-53;
}

static double power_of_two(int n) {
    double y = 1;
    for (; n > 0; n--)
        y *= 2;
    for (; n < 0; n++)
        y /= 2;
    return y;
}

/* The sum of twelve uniform numbers less 6: mean 0, variance 1, and no logarithm. */
static double normal(uint64_t key, uint64_t index) {
    double sum = -6;
    for (uint64_t i = 0; i < 12; i++)
        sum += unit(key + i, index);
    return sum;
}

static void store(const struct array *array, uint64_t index, double value) {
    struct real real = real_from_double(value);
    code_store(array->codes, format_bytes(array->format), index,
               format_encode(array->format, &real, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE));
}

/* Scale number `index`: an exponent between the two, and in fp32 a factor from 1 to 2 beside it. */
static void draw_scale(const struct array_call *call, const struct array *array, uint64_t key,
                       uint64_t index, int low, int high) {
    int64_t kind = parameter_integer(call->parameters, PARAMETER_SCALE, 0);
    int n = low + (int)(unit(key, index) * (high - low + 1));
    if (kind == SCALED_KIND_POWER)
        store(array, index, n);
    else
        store(array, index,
              kind == SCALED_KIND_NONE ? 1 : power_of_two(n) * (1 + unit(key + 1, index)));
}

/* Normal data; scales of exponents from `low` to `high`. */
static void draw_normal(const struct array_call *call, uint64_t seed, uint64_t number, int low,
                        int high) {
    for (int k = 0; k < 4 && call->operands[k].codes; k += 2) {
        uint64_t key = detmath_random(seed, 8 * number + (uint64_t)k);
        const struct array *data = &call->operands[k], *scales = &call->operands[k + 1];
        for (uint64_t i = 0; i < shape_elements(&data->shape); i++)
            store(data, i, normal(key, i));
        for (uint64_t i = 0; i < shape_elements(&scales->shape); i++)
            draw_scale(call, scales, key + 100, i, low, high);
    }
}

#define NORMAL(NAME, LOW, HIGH)                                                                    \
    static void draw_##NAME(const struct array_call *call, uint64_t seed, uint64_t number) {       \
        draw_normal(call, seed, number, LOW, HIGH);                                                \
    }
NORMAL(near, -2, 2)
NORMAL(small, -24, -20)
NORMAL(large, 18, 22)
NORMAL(apart, -30, 30)
NORMAL(gradual, -9, -6)

/* Of both signs, and 0 now and then; powers of two have neither. */
static void draw_signs(const struct array_call *call, uint64_t seed, uint64_t number) {
    draw_near(call, seed, number);
    for (int k = 1; k < 4 && call->operands[k].codes; k += 2) {
        const struct array *scales = &call->operands[k];
        for (uint64_t i = 0; i < shape_elements(&scales->shape) && !scales->format->is_integer;
             i++) {
            uint64_t bits =
                detmath_random(seed ^ UINT64_C(0x5ca1ed), 8 * number + (uint64_t)k + 97 * i);
            uint64_t code = code_load(scales->codes, 4, i) ^ (bits & 1) << 31;
            code_store(scales->codes, 4, i, bits % 5 == 2 ? 0 : code);
        }
    }
}

/* Every code beside every code of 8 bits (of wider formats, some), at pairs of scales from a list.
 */
enum { LISTED = 4 };
static void draw_pairs(const struct array_call *call, uint64_t seed, uint64_t number) {
    static const double fp32[LISTED] = {1, -0.125, 0, 0x1.f40ccdp9};
    static const int powers[LISTED] = {0, 3, -5, 40};
    (void)seed;
    for (int k = 0; k < 4 && call->operands[k].codes; k += 2) {
        const struct array *data = &call->operands[k], *scales = &call->operands[k + 1];
        uint64_t which = k ? number / LISTED : number % LISTED;
        for (uint64_t i = 0; i < shape_elements(&data->shape); i++) {
            uint64_t code = k ? i & 255 : i >> 8 & 255;
            if (data->format->width > 8)
                code = detmath_random(code, 0) & format_mask(data->format);
            code_store(data->codes, format_bytes(data->format), i, code);
        }
        for (uint64_t i = 0; i < shape_elements(&scales->shape); i++)
            store(scales, i, scales->format->is_integer ? powers[which] : fp32[which]);
    }
}

const struct array_family scaled_families[] = {
    {"near", "normal data, scales from 2^-2 to 2^2", draw_near, 0},
    {"small", "normal data, scales about 2^-22", draw_small, 0},
    {"gradual", "normal data, scales about 2^-8", draw_gradual, 0},
    {"large", "normal data, scales about 2^20", draw_large, 0},
    {"apart", "normal data, scales from 2^-30 to 2^30", draw_apart, 0},
    {"signs", "normal data, scales of both signs and 0", draw_signs, 0},
    {"pairs", "every code of 8 bits beside every other, 16 pairs of scales", draw_pairs,
     LISTED *LISTED},
    {0}};
