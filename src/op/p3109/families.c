/* Inputs of operations on blocks: seeded codes of elements and scales. */
#include "detmath/random.h"
#include "op/p3109/blocks.h"

/* `binades` about 1, either way, or 0 for all; whether NaN and infinities are among them; of two neighbours in a block the
 * second may be the first with the other sign. */
struct kind {
    int binades;
    bool any, cancels;
};

static uint64_t code_of(const struct format *format, const struct kind *kind, uint64_t bits) {
    const struct real one = real_power_of_two(0);
    if (kind->any)
        return bits & format_mask(format);
    uint64_t low = 0, high = format->max_finite;
    if (kind->binades) {
        const uint64_t middle = format_encode(format, &one, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE),
                       span = (uint64_t)kind->binades << (format->precision - 1);
        low = middle > span ? middle - span : low;
        high = high - middle > span ? middle + span : high;
    }
    const uint64_t magnitude = low + (bits >> 1) % (high - low + 1);
    return format_with_sign(format, magnitude, format->sign_bit && bits & 1);
}

static void draw(const struct array_call *call, const struct array_family *family, uint64_t seed,
                 uint64_t number) {
    const struct kind *kind = family->data;
    const uint64_t key = detmath_random(seed, number);
    for (int operand = 0; operand < MAX_ARRAY_OPERANDS && call->operands[operand].codes;
         operand++) {
        const struct array *array = &call->operands[operand];
        const bool is_scale = call->rule->roles[operand] == OPERAND_PER_LINE;
        for (uint64_t i = 0; i < shape_elements(&array->shape); i++) {
            const uint64_t bits = detmath_random(key + (uint64_t)operand, i);
            uint64_t code = code_of(array->format, kind, bits);
            if (kind->cancels && !is_scale && i % 2 && bits >> 61)
                code = array_code(array, i - 1) ^ (operand ? 0 : array->format->sign_bit);
            array_set_code(array, i, code);
        }
    }
}

#define KIND(...) draw, &(const struct kind){__VA_ARGS__}, 0
const struct array_family p3109_block_families[] = {
    {"normal", "numbers and scales about 1, over six binades", KIND(3, false, false)},
    {"spread", "any finite numbers and scales", KIND(0, false, false)},
    {"cancelling", "neighbours of opposite sign, so that small sums are left",
     KIND(6, false, true)},
    {"codes", "any codes, NaN and infinity too", KIND(0, true, false)},
    {0}};
