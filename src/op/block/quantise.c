/* The rules of quantisers, a row for each layout, and the one way that all of them are followed. */
#include "op/block/quantise.h"

#include "op/block/define.h"

#include <math.h>
#include <string.h>

enum quantiser { MAXIMUM, SQUARES, LLAMA_CPP, TORCHAO, MODELOPT, DEEPSEEK };
const char *const block_quantiser_names[] = {"maximum",  "squares",  "llama-cpp", "torchao",
                                             "modelopt", "deepseek", NULL};

/* What of a block its scale follows from: the number of the largest magnitude, with its sign or without
 * it; or the distance of the largest number from the smallest. */
enum extent { SIGNED_LARGEST, LARGEST, RANGE };
/* What numbers are taken by to make codes of them. */
enum taking {
    BY_RECIPROCAL,        /* times 1 / scale, the scale before it is rounded */
    BY_ROUNDED,           /* divided by scale * tensor scale, the scale as it is stored */
    BY_ROUNDED_RECIPROCAL /* times (1 / tensor scale) / scale, the scale as it is stored */
};
/* How a quotient becomes a code. */
enum coding {
    HALVES_UP,   /* truncated after zero + 1/2 is added */
    HALVES_AWAY, /* roundf */
    BY_FORMAT    /* to nearest-even in the format of elements, the largest one beyond */
};

struct quantiser_rule {
    enum quantiser quantiser;
    const char *layout;
    enum extent extent;
    float divisor;
    enum taking taking;
    enum coding coding;
    uint8_t zero, most; /* of integers: the code of 0, and the largest */
    float least;        /* of a scale; below that, this one */
    bool zero_is_one;   /* a scale of 0 becomes 1 before anything else */
    bool is_saturated;  /* a scale beyond its format is the largest of it; else NaN or infinity */
    bool
        divides_by_product; /* the largest number / (divisor * tensor scale), not one after the other */
    bool drops_sign_of_zero; /* elements -0 become 0 */
};

#define LLAMA(LAYOUT, EXTENT, DIVISOR, CODING, ZERO, MOST)                                         \
    {                                                                                              \
        .quantiser = LLAMA_CPP, .layout = LAYOUT, .extent = EXTENT, .divisor = DIVISOR,            \
        .taking = BY_RECIPROCAL, .coding = CODING, .zero = ZERO, .most = MOST                      \
    }
#define FLOATING(QUANTISER, LAYOUT, DIVISOR, TAKING)                                               \
    .quantiser = QUANTISER, .layout = LAYOUT, .extent = LARGEST, .divisor = DIVISOR,               \
    .taking = TAKING, .coding = BY_FORMAT

static const struct quantiser_rule rules[] = {
    LLAMA("q4_0", SIGNED_LARGEST, -8, HALVES_UP, 8, 15),
    LLAMA("q4_1", RANGE, 15, HALVES_UP, 0, 15),
    LLAMA("q5_0", SIGNED_LARGEST, -16, HALVES_UP, 16, 31),
    LLAMA("q5_1", RANGE, 31, HALVES_UP, 0, 31),
    LLAMA("q8_0", LARGEST, 127, HALVES_AWAY, 0, 127),
    {FLOATING(TORCHAO, "nvfp4", 6, BY_ROUNDED_RECIPROCAL), .least = 0x1p-6F, .is_saturated = true},
    {FLOATING(MODELOPT, "nvfp4", 6, BY_ROUNDED), .least = 0x1p-9F, .zero_is_one = true,
     .divides_by_product = true, .drops_sign_of_zero = true},
    {FLOATING(DEEPSEEK, "fp8_1x128", 448, BY_ROUNDED)},
    {FLOATING(DEEPSEEK, "fp8_128x128", 448, BY_ROUNDED)},
};

static const struct quantiser_rule *rule_of(int quantiser, const struct block_layout *layout) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if ((int)rules[i].quantiser == quantiser && strcmp(rules[i].layout, layout->name) == 0)
            return &rules[i];
    return NULL;
}

bool block_quantiser_takes(int quantiser, const struct block_layout *layout) {
    return quantiser == MAXIMUM || (quantiser == SQUARES && block_has_squares(layout)) ||
           rule_of(quantiser, layout);
}

/* The extent, and the smallest number where it is a range. NaN counts in what torch computes (LARGEST with
 * elements of a format), and is passed over by the comparisons of the others. */
static float extent_of(const struct quantiser_rule *rule, const float *x, unsigned count,
                       float *minimum) {
    float low = 0x1.fffffep127F, high = -low, largest = 0;
    for (unsigned i = 0; i < count; i++) {
        if (rule->coding == BY_FORMAT && x[i] != x[i])
            return x[i];
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
        if (fabsf(largest) < fabsf(x[i]))
            largest = x[i];
    }
    *minimum = rule->extent == RANGE ? low : 0;
    return rule->extent == RANGE ? high - low : rule->extent == LARGEST ? fabsf(largest) : largest;
}

static uint32_t code_of(const struct format *format, float x, enum overflow overflow) {
    const struct real real = real_from_double((double)x);
    return (uint32_t)format_encode(format, &real, ROUND_NEAREST_EVEN, overflow);
}

/* The scale before it is rounded. */
static float scale_of(const struct quantiser_rule *rule, float extent, float tensor_scale) {
    const float both = rule->divisor * tensor_scale, once = extent / rule->divisor;
    float scale = rule->divides_by_product        ? extent / both
                  : rule->taking == BY_RECIPROCAL ? once
                                                  : once / tensor_scale;
    if (rule->zero_is_one && scale == 0)
        scale = 1;
    return rule->least > 0 && scale < rule->least ? rule->least : scale;
}

/* As processors do it that convert to int32 first: what does not fit, and NaN, becomes 0. */
static uint32_t truncated(float x, uint32_t most) {
    const int32_t integer = x >= -0x1p31F && x < 0x1p31F ? (int32_t)x : 0;
    const int8_t low = (int8_t)(uint8_t)((uint32_t)integer & 0xff);
    return low > (int32_t)most ? most : (uint32_t)(uint8_t)low;
}

static uint32_t element_of(const struct quantiser_rule *rule, const struct block_field *field,
                           float quotient) {
    switch (rule->coding) {
    case HALVES_UP:
        return truncated(quotient + ((float)rule->zero + 0.5F), rule->most);
    case HALVES_AWAY:
        return truncated(roundf(quotient), rule->most);
    default: {
        uint32_t code = code_of(field->format, quotient, OVERFLOW_SATURATE);
        if (field->format->is_element && quotient != quotient)
            code = (uint32_t)field->format->max_finite;
        return rule->drops_sign_of_zero && quotient == 0 ? 0 : code;
    }
    }
}

static void follow(const struct quantiser_rule *rule, const struct block_layout *layout,
                   const float *x, float tensor_scale, uint8_t *bytes) {
    const struct block_field *elements = &layout->fields[BLOCK_ELEMENT],
                             *scales = &layout->fields[BLOCK_SCALE],
                             *minima = &layout->fields[BLOCK_MINIMUM];
    float minimum = 0;
    const float tensor = layout->has_tensor_scale ? tensor_scale : 1;
    const float extent = extent_of(rule, x, layout->elements, &minimum),
                scale = scale_of(rule, extent, tensor);
    const uint32_t stored =
        code_of(scales->format, scale, rule->is_saturated ? OVERFLOW_SATURATE : OVERFLOW_IEEE);
    const float rounded = (float)block_number(scales, stored), both = rounded * tensor,
                reciprocal = rule->taking == BY_ROUNDED_RECIPROCAL ? (1 / tensor) / rounded
                             : scale != 0                          ? 1 / scale
                                                                   : 0;
    memset(bytes, 0, layout->bytes);
    block_set(layout, BLOCK_SCALE, bytes, 0, stored);
    if (minima->count)
        block_set(layout, BLOCK_MINIMUM, bytes, 0, code_of(minima->format, minimum, OVERFLOW_IEEE));
    for (unsigned i = 0; i < layout->elements; i++) {
        const float above = minima->count ? x[i] - minimum : x[i];
        const float quotient = rule->taking == BY_ROUNDED ? above / both : above * reciprocal;
        block_set(layout, BLOCK_ELEMENT, bytes, i, element_of(rule, elements, quotient));
    }
}

bool block_quantise(int quantiser, const struct block_coder *coder, const float *x,
                    float tensor_scale, uint8_t *bytes, struct error *error) {
    if (quantiser == SQUARES)
        return block_define_squares(coder, x, (double)tensor_scale, bytes) ||
               error_set(error, "out of memory for the scales of a block");
    if (quantiser == MAXIMUM)
        block_define_maximum(coder, x, (double)tensor_scale, bytes);
    else
        follow(rule_of(quantiser, coder->layout), coder->layout, x, tensor_scale, bytes);
    return true;
}
