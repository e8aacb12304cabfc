/* Inputs of operations on MX blocks: seeded, and made for the places where conversions go wrong. */
#include "op/mx/rows.h"

#include "detmath/random.h"

/* A number of a block, and the random numbers that belong to it and to its block. */
struct place {
    const struct format *format, *element;
    uint64_t key, index, block;
    unsigned in_block; /* 0 to 31 */
};

static uint64_t draw(const struct place *place, unsigned which) {
    return detmath_random(place->key + which, place->index);
}

static uint64_t draw_block(const struct place *place, unsigned which) {
    return detmath_random(~place->key + which, place->block);
}

/* From `low` to `high`, both included. */
static int between(uint64_t bits, int low, int high) {
    return low + (int)((bits >> 32) % (uint64_t)(high - low + 1));
}

/* The code of +-1.f * 2^exponent, f of 23 bits; rounded where the format has fewer. */
static uint64_t code_of(const struct format *format, bool negative, int exponent,
                        uint32_t fraction) {
    struct real real = {.kind = REAL_FINITE,
                        .negative = negative,
                        .exponent = exponent,
                        .significand = {(UINT64_C(1) << 63) | (uint64_t)fraction << 40, 0}};
    return format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE);
}

/* The exponent of a block, over all that the format has but the last few. */
static int block_exponent(const struct place *place) {
    return between(draw_block(place, 0), place->format->emin + 4, place->format->emax);
}

/* A number some binades below 2^exponent. */
static uint64_t code_below(const struct place *place, int exponent, int binades) {
    uint64_t bits = draw(place, 0);
    return code_of(place->format, bits & 1, exponent - between(draw(place, 1), 0, binades),
                   (uint32_t)(bits >> 8 & 0x7fffff));
}

static uint64_t code_normal(const struct place *place) {
    return code_below(place, between(draw_block(place, 0), -4, 4), 6);
}

static uint64_t code_spread(const struct place *place) {
    return code_below(place, block_exponent(place), 20);
}

static uint64_t code_bits(const struct place *place) {
    return draw(place, 0) & format_mask(place->format);
}

static uint64_t code_equal(const struct place *place) {
    uint64_t bits = draw_block(place, 1);
    return code_of(place->format, bits & 1, block_exponent(place),
                   (uint32_t)(bits >> 8 & 0x7fffff));
}

/* One number far above the others. */
static uint64_t code_outlier(const struct place *place) {
    int exponent = block_exponent(place), gap = between(draw_block(place, 1), 2, 24);
    bool chosen = draw_block(place, 2) % BLOCK_ELEMENTS == place->in_block;
    return chosen ? code_below(place, exponent, 0) : code_below(place, exponent - gap, 4);
}

/* A maximum at, or a step or two from, where the scale changes: a power of two, the largest element
 * times one, or halfway from there to the next power. */
static uint64_t code_boundary(const struct place *place) {
    struct real end = format_decode(place->element, place->element->max_finite);
    uint32_t largest = (uint32_t)(end.significand.high >> 40 & 0x7fffff);
    uint32_t step = UINT32_C(1) << (24 - place->format->precision);
    const uint32_t fractions[] = {0, largest, (largest + 0x800000) / 2, 0x7fffff};
    uint64_t bits = draw_block(place, 1);
    uint32_t fraction = fractions[bits & 3] / step * step;
    int64_t moved = (int64_t)fraction + between(draw_block(place, 2), -2, 2) * (int64_t)step;
    int exponent = block_exponent(place);
    if (draw_block(place, 3) % BLOCK_ELEMENTS != place->in_block)
        return code_below(place, exponent - 1, 8);
    if (moved < 0) {
        moved += 0x800000;
        exponent--;
    }
    return code_of(place->format, bits >> 4 & 1, exponent, (uint32_t)(moved & 0x7fffff));
}

/* Halfway between two elements, or next to that, below a maximum of a known scale. */
static uint64_t code_ties(const struct place *place) {
    struct real end = format_decode(place->element, place->element->max_finite);
    int exponent = block_exponent(place);
    if (place->in_block == 0)
        return code_of(place->format, false, exponent, 0);
    uint64_t bits = draw(place, 0);
    struct real real = format_decode(place->element, bits % (place->element->max_finite + 1));
    struct real next = format_decode(place->element, bits % (place->element->max_finite + 1) + 1);
    if (real.kind != REAL_FINITE || next.kind != REAL_FINITE)
        return 0;
    int binade = real.exponent, last = format_ulp_exponent(place->element, &real);
    uint64_t half = UINT64_C(1) << (63 - (binade - last) - 1);
    uint64_t near = binade - last < 20 ? UINT64_C(1) << 40 : 0;
    real.significand.high += half + (uint64_t)(int64_t)between(draw(place, 1), -1, 1) * near;
    return code_of(place->format, bits >> 32 & 1, binade + exponent - end.exponent,
                   (uint32_t)(real.significand.high >> 40 & 0x7fffff));
}

/* Subnormal numbers, so that the scale is the smallest. */
static uint64_t code_denormal(const struct place *place) {
    uint64_t bits = draw(place, 0), fraction = UINT64_C(1) << (place->format->precision - 1);
    uint64_t narrow = fraction >> between(draw_block(place, 0), 0, place->format->precision - 2);
    return format_with_sign(place->format, (bits >> 1) % narrow, bits & 1);
}

/* Around the smallest scale: its blocks and those next to it. */
static uint64_t code_small(const struct place *place) {
    int least = place->format->emin > -126 ? place->format->emin : -127;
    return code_below(place, least + between(draw_block(place, 0), -2, 20), 12);
}

static uint64_t code_zeros(const struct place *place) {
    return format_with_sign(place->format, 0, draw(place, 0) & 1);
}

static uint64_t code_large(const struct place *place) {
    const struct format *format = place->format;
    uint64_t bits = draw(place, 0);
    uint64_t below = bits >> 8 & 7 ? (bits >> 16) % (format->max_finite / 16) : bits >> 16 & 3;
    return format_with_sign(format, format->max_finite - below, bits & 1);
}

/* A special code among others, in every second block: one of them, or all. */
static uint64_t code_with(const struct place *place, uint64_t special) {
    uint64_t which = draw_block(place, 1);
    bool chosen = (which & 7) == 1 || (which >> 8) % BLOCK_ELEMENTS == place->in_block;
    if (!(which >> 40 & 1) || !chosen)
        return code_spread(place);
    return special | (draw(place, 2) & 1 ? place->format->sign_bit : 0);
}

static uint64_t code_nan(const struct place *place) {
    return code_with(place, place->format->nan);
}

static uint64_t code_infinity(const struct place *place) {
    return code_with(place, format_greatest(place->format));
}

typedef uint64_t code_function(const struct place *place);

/* Each block of another of the families. */
static uint64_t code_mixed(const struct place *place) {
    static code_function *const codes[] = {
        code_normal,   code_spread, code_bits,  code_equal, code_outlier, code_boundary, code_ties,
        code_denormal, code_small,  code_zeros, code_large, code_nan,     code_infinity};
    return codes[place->block % (sizeof codes / sizeof *codes)](place);
}

static void draw_numbers(const struct array_call *call, const struct array_family *family,
                         uint64_t seed, uint64_t number) {
    code_function *const *code = family->data;
    const struct array *x = &call->operands[0];
    const struct mx_call mx = mx_call_of(call, call->results[MX_ELEMENTS].format);
    struct place place = {
        .format = x->format, .element = mx.conversion.element, .key = detmath_random(seed, number)};
    for (uint64_t slice = 0; slice < mx.slices.count; slice++)
        for (uint64_t i = 0; i < mx.slices.length; i++) {
            place.index = slice_place(&mx.slices, slice, i);
            place.block = slice * mx.scales.length + i / BLOCK_ELEMENTS;
            place.in_block = (unsigned)(i % BLOCK_ELEMENTS);
            array_set_code(x, place.index, (*code)(&place));
        }
}

#define BY(CODE) draw_numbers, &(code_function *const){CODE}, 0
const struct array_family mx_number_families[] = {
    {"normal", "numbers about 1, over six binades", BY(code_normal)},
    {"spread", "blocks of any exponent, over twenty binades", BY(code_spread)},
    {"bits", "any codes, NaN and infinity too", BY(code_bits)},
    {"equal", "all numbers of a block the same", BY(code_equal)},
    {"outlier", "one number 2^2 to 2^24 as large as the others", BY(code_outlier)},
    {"boundary", "maxima where the scale changes, and one or two steps from there",
     BY(code_boundary)},
    {"ties", "halfway between elements, and next to that", BY(code_ties)},
    {"denormals", "subnormal numbers", BY(code_denormal)},
    {"small", "around the smallest scale", BY(code_small)},
    {"zeros", "zeros of both signs", BY(code_zeros)},
    {"large", "the largest numbers", BY(code_large)},
    {"nan", "NaN in every second block", BY(code_nan)},
    {"infinity", "infinity in every second block", BY(code_infinity)},
    {"mixed", "one block of each of the others in turn", BY(code_mixed)},
    {0}};

/* Elements and scales; every scale comes beside every element where there are blocks enough. */
static void draw_blocks(const struct array_call *call, const struct array_family *family,
                        uint64_t seed, uint64_t number) {
    bool all = family->cases == 1;
    const struct array *elements = &call->operands[MX_ELEMENTS];
    const struct array *scales = &call->operands[MX_SCALES];
    const struct mx_call mx = mx_call_of(call, elements->format);
    uint64_t key = detmath_random(seed, number), blocks = mx.slices.count * mx.scales.length;
    for (uint64_t block = 0; block < blocks; block++) {
        uint64_t slice = block / mx.scales.length, at = block % mx.scales.length;
        uint64_t scale = all ? block & 255 : detmath_random(key, block) & 255;
        array_set_code(scales, slice_place(&mx.scales, slice, at), scale);
        for (uint64_t i = at * BLOCK_ELEMENTS; i < mx.slices.length && i / BLOCK_ELEMENTS == at;
             i++) {
            uint64_t code = all ? (block >> 8) * BLOCK_ELEMENTS + i % BLOCK_ELEMENTS
                                : detmath_random(~key, block * BLOCK_ELEMENTS + i);
            array_set_code(elements, slice_place(&mx.slices, slice, i),
                           code & format_mask(elements->format));
        }
    }
}

const struct array_family mx_block_families[] = {
    {"codes", "any elements under any scales", draw_blocks, NULL, 0},
    {"pairs", "every element under every scale", draw_blocks, NULL, 1},
    {0}};
