/* Inputs of ONNX's quantisation: numbers about what the scales stand for, and any codes. */
#include "op/onnx/rows.h"

#include "base/bits.h"
#include "detmath/random.h"
#include "op/draw.h"

/* Where the numbers of an array lie, in steps of its scale. */
enum place { NORMAL, TIES, ENDS };

/* Keys of what is drawn; a normal number takes twelve from the first on. */
enum { KEY_X, KEY_SCALE = 100, KEY_ZERO, KEY_NEAR };

static uint64_t key_of(uint64_t seed, uint64_t number, unsigned which) {
    return detmath_random(seed, number) + which;
}

/* Where there are none other than 0, that. */
static void draw_zero_points(const struct array *zero, uint64_t key) {
    for (uint64_t i = 0; i < shape_elements(&zero->shape); i++)
        array_set_code(zero, i,
                       onnx_takes_zero_points(zero->format)
                           ? detmath_random(key, i) & format_mask(zero->format)
                           : 0);
}

/* A power of two, times a number from 1 to 2 unless `exact`. */
static void draw_scales(const struct array *scales, uint64_t key, bool exact) {
    for (uint64_t i = 0; i < shape_elements(&scales->shape); i++) {
        int n = (int)(draw_unit(key, i) * 8) - 6;
        array_set_double(scales, i, power_of_two(n) * (exact ? 1 : 1 + draw_unit(~key, i)));
    }
}

static double number_at(const struct array *array, uint64_t index) {
    struct real x = array_number(array, index);
    return real_to_double(&x);
}

/* How many steps of its scale an element is, before its zero point is added. */
static double steps_of(const struct array_call *call, enum place place, uint64_t key, uint64_t i,
                       double z) {
    const struct format *to = call->results[0].format;
    struct real largest = format_decode(to, to->max_finite);
    double most = real_to_double(&largest), least = to->is_integer && !to->sign_bit ? 0 : -most;
    double half = (double)(detmath_random(key + KEY_NEAR, i) % 3) - 1; /* below it, it, above it */
    if (place == NORMAL)
        return draw_normal(key, i) * (most - least) / 6 + (most + least) / 2 - z;
    if (place == ENDS)
        return (draw_unit(key, i) < 0.5 ? least : most) - z + draw_normal(key + 1, i) * 2;
    double whole = (double)(int64_t)(least + draw_unit(key, i) * (most - least) - z);
    return (whole + 0.5) * (1 + half * 0x1p-20);
}

static void draw_numbers(const struct array_call *call, const struct array_family *family,
                         uint64_t seed, uint64_t number) {
    const enum place place = *(const enum place *)family->data;
    const struct array *x = &call->operands[ONNX_X];
    const struct onnx_call onnx = onnx_call_of(call);
    const uint64_t key = key_of(seed, number, KEY_X);
    draw_scales(&call->operands[ONNX_SCALE], key + KEY_SCALE, place == TIES && number % 2 == 0);
    draw_zero_points(&call->operands[ONNX_ZERO], key + KEY_ZERO);
    for (uint64_t i = 0; i < shape_elements(&x->shape); i++) {
        uint64_t at = onnx_scale_at(&onnx, i);
        double z = number_at(&call->operands[ONNX_ZERO], at);
        array_set_double(
            x, i, steps_of(call, place, key, i, z) * number_at(&call->operands[ONNX_SCALE], at));
    }
}

/* Any codes, and every second scale and zero point any as well. */
static void draw_codes(const struct array_call *call, const struct array_family *family,
                       uint64_t seed, uint64_t number) {
    const struct array *x = &call->operands[ONNX_X], *scales = &call->operands[ONNX_SCALE];
    const uint64_t key = key_of(seed, number, KEY_X);
    const bool any = family->data != NULL;
    draw_scales(scales, key + KEY_SCALE, false);
    draw_zero_points(&call->operands[ONNX_ZERO], key + KEY_ZERO);
    for (uint64_t i = 0; any && i < shape_elements(&scales->shape); i++)
        if ((i + number) % 2)
            array_set_code(scales, i,
                           detmath_random(key + KEY_NEAR, i) & format_mask(scales->format));
    for (uint64_t i = 0; i < shape_elements(&x->shape); i++)
        array_set_code(x, i, detmath_random(key, i) & format_mask(x->format));
}

#define BY(PLACE) draw_numbers, &(const enum place){PLACE}, 0

const struct array_family onnx_number_families[] = {
    {"normal", "numbers over what the format holds, and somewhat beyond", BY(NORMAL)},
    {"ties", "halfway between two integers, or next to that; every second call at powers of two",
     BY(TIES)},
    {"ends", "about the largest and the smallest number of the format", BY(ENDS)},
    {"codes", "any codes, NaN and infinity too; every second scale as well", draw_codes, "", 0},
    {0}};
const struct array_family onnx_code_families[] = {
    {"codes", "any codes, at scales from 2^-6 to 2^2", draw_codes, NULL, 0},
    {"scales", "any codes; every second scale is any code as well", draw_codes, "", 0},
    {0}};
