/* Inputs of operations on packed blocks: seeded bytes, and numbers made for the places where quantisers
 * part. */
#include "op/block/rows.h"

#include "detmath/random.h"
#include "op/block/define.h"

enum { KEY_TENSOR = 0x5ca1e };

/* 1 where the layout has no tensor scale, else a number about 2^-12 to 2^3 of a whole significand. */
static void draw_tensor_scale(const struct array_call *call, uint64_t key) {
    const uint64_t bits = detmath_random(key, KEY_TENSOR);
    const uint32_t code =
        block_layout_of(call)->has_tensor_scale && bits >> 62
            ? (uint32_t)(115 + (bits >> 40 & 15)) << 23 | (uint32_t)(bits & 0x7fffff)
            : UINT32_C(0x3f800000);
    array_set_code(&call->operands[BLOCK_TENSOR_SCALE], 0, code);
}

/* Any bytes; or those whose 16-bit numbers are neither infinite nor NaN, since bit 6 of every byte is 0. */
static void draw_bytes(const struct array_call *call, const struct array_family *family,
                       uint64_t seed, uint64_t number) {
    const uint64_t key = detmath_random(seed, number), mask = *(const uint64_t *)family->data;
    const struct array *bytes = &call->operands[BLOCK_DATA];
    draw_tensor_scale(call, key);
    for (uint64_t i = 0; i < shape_elements(&bytes->shape); i++)
        array_set_code(bytes, i, detmath_random(key, i) & mask);
}

const struct array_family block_byte_families[] = {
    {"finite", "bytes whose bit 6 is 0, so that no scale is infinite or NaN", draw_bytes,
     &(const uint64_t){0xbf}, 0},
    {"bits", "any bytes", draw_bytes, &(const uint64_t){0xff}, 0},
    {0}};

enum kind { NORMAL, TIES, ZEROS, SUBNORMAL, SPREAD, ONE_SIDED, BITS, SPECIAL, KINDS };

static uint32_t fp32_code(bool negative, int exponent, uint64_t fraction) {
    return (uint32_t)negative << 31 | (uint32_t)(exponent + 127) << 23 |
           (uint32_t)(fraction & 0x7fffff);
}

/* A number of a block, of bits of its own and those that the block shares. */
static uint32_t code_of(enum kind kind, uint64_t own, uint64_t shared, bool first) {
    const int exponent = (int)(shared >> 32 & 7) - 4, below = (int)(own >> 56 & 7);
    static const uint32_t specials[] = {0x7fc00000, 0x7f800000, 0xff800000, 0xffc00001,
                                        0x7f7fffff, 0xff7fffff, 1,          0x80000000};
    switch (kind) {
    case NORMAL:
        return fp32_code(own >> 63, exponent - below, own);
    case TIES: { /* a power of two first, then quarters of its parts */
        const uint64_t quarters = own % 64;
        const struct real real = real_from_double((double)quarters / 64 * (exponent < 0 ? 0.5 : 8) *
                                                  (own >> 63 ? -1 : 1));
        return first ? fp32_code(shared & 1, exponent < 0 ? -1 : 3, shared >> 1 & 1 ? 0x700000 : 0)
                     : (uint32_t)format_encode(&formats[FORMAT_FP32], &real, ROUND_NEAREST_EVEN,
                                               OVERFLOW_IEEE);
    }
    case ZEROS:
        return (own >> 60) || shared >> 63 ? (uint32_t)(own & 1) << 31 : fp32_code(own & 1, 0, own);
    case SUBNORMAL:
        return (uint32_t)(own & 0x807fffff) >> (shared & 1 ? 0 : 20) | (uint32_t)(own & 1) << 31;
    case SPREAD:
        return fp32_code(own >> 63, (int)(shared >> 40 & 0x7f) - 96 - (int)(own >> 56 & 15), own);
    case ONE_SIDED:
        return fp32_code(shared & 1, exponent - (below & 1), own);
    case BITS:
        return (uint32_t)own;
    default:
        return own >> 60 ? fp32_code(own & 1, exponent - below, own) : specials[own >> 57 & 7];
    }
}

/* Every other block gets any scales, the rest those that the definition gives its numbers. */
static void draw_scales(const struct array_call *call, uint64_t key) {
    const struct block_layout *layout = block_layout_of(call);
    const float *x = call->operands[BLOCK_DATA].codes;
    uint8_t *bytes = call->operands[BLOCK_SCALED].codes;
    const uint64_t count = shape_elements(&call->operands[BLOCK_SCALED].shape);
    const struct real scale = array_number(&call->operands[BLOCK_TENSOR_SCALE], 0);
    struct block_coder coder;
    block_coder_prepare(&coder, layout);
    for (uint64_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(detmath_random(~key, i) & 0xbf);
    for (uint64_t block = 0; block < count / layout->bytes; block += 2)
        block_define_maximum(&coder, x + block * layout->elements, real_to_double(&scale),
                             bytes + block * layout->bytes);
}

/* The family's kind, or that of the block's number in turn. */
static void draw_numbers(const struct array_call *call, const struct array_family *family,
                         uint64_t seed, uint64_t number) {
    const uint64_t key = detmath_random(seed, number);
    const enum kind kind = *(const enum kind *)family->data;
    const struct block_layout *layout = block_layout_of(call);
    const struct array *x = &call->operands[BLOCK_DATA];
    draw_tensor_scale(call, key);
    for (uint64_t i = 0; i < shape_elements(&x->shape); i++) {
        const uint64_t block = i / layout->elements;
        const enum kind which = kind == KINDS ? (enum kind)(block % KINDS) : kind;
        array_set_code(x, i,
                       code_of(which, detmath_random(key, i), detmath_random(~key, block),
                               i % layout->elements == 0));
    }
    if (call->rule->operand_names[BLOCK_SCALED])
        draw_scales(call, key);
}

#define BY(KIND) draw_numbers, &(const enum kind){KIND}, 0
const struct array_family block_number_families[] = {
    {"normal", "numbers about 1, over eight binades", BY(NORMAL)},
    {"ties", "sixty-fourths of a power of two, which comes first", BY(TIES)},
    {"zeros", "zeros of both signs, and some numbers among them", BY(ZEROS)},
    {"denormals", "subnormal numbers", BY(SUBNORMAL)},
    {"spread", "blocks of any exponent, over sixteen binades", BY(SPREAD)},
    {"one-sided", "numbers of one sign in a block", BY(ONE_SIDED)},
    {"bits", "any codes", BY(BITS)},
    {"special", "NaN, infinities and the largest numbers among others", BY(SPECIAL)},
    {"mixed", "one block of each of the others in turn", BY(KINDS)},
    {0}};
