/* The table of changes, and making them. */
#include "op/block/switches.h"

#include "format/block.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum divisor_of { BY_LAST, BY_FIRST, BY_MINUS_FIRST, BY_HALF_SPAN, BY_SPAN, BY_BINADE };

#define AT(MEMBER) offsetof(struct quantiser_rule, MEMBER)
#define CHOICE(NAME, SAYS, MEMBER, VALUE)                                                          \
    { "quantised-" NAME, SAYS, AT(MEMBER), SWITCH_CHOICE, (float)(VALUE) }
#define DIVISOR(NAME, SAYS, VALUE)                                                                 \
    { "quantised-by-" NAME, "divides the extent by " SAYS, AT(divisor), SWITCH_DIVISOR, VALUE }
#define LEAST(NAME, SAYS, VALUE)                                                                   \
    { "quantised-" NAME, SAYS, AT(least), SWITCH_NUMBER, VALUE }
#define FLAG(NAME, MEMBER, SAYS, SAYS_NOT)                                                         \
    {"quantised-" NAME, SAYS, AT(MEMBER), SWITCH_FLAG, 1}, {                                       \
        "quantised-not-" NAME, SAYS_NOT, AT(MEMBER), SWITCH_FLAG, 0                                \
    }

const struct block_switch block_switches[] = {
    DIVISOR("last", "the largest number of an element", BY_LAST),
    DIVISOR("first", "the smallest number of an element", BY_FIRST),
    DIVISOR("first-magnitude", "the magnitude of the smallest number of an element",
            BY_MINUS_FIRST),
    DIVISOR("half-span", "half the distance from the smallest number of an element to the largest",
            BY_HALF_SPAN),
    DIVISOR("span", "the distance from the smallest number of an element to the largest", BY_SPAN),
    DIVISOR("binade", "the power of two in the largest number of an element", BY_BINADE),
    CHOICE("magnitude", "takes the scale from the largest magnitude, without its sign", extent,
           EXTENT_LARGEST),
    CHOICE("signed-number",
           "takes the scale from the number of the largest magnitude, with its sign", extent,
           EXTENT_SIGNED),
    CHOICE("scale-by-quotients",
           "divides the extent by the divisor, and then by the tensor's scale if there is one",
           making, MAKE_QUOTIENT),
    CHOICE("scale-by-one-quotient",
           "divides the extent by the product of the divisor and the tensor's scale (1 if there is "
           "none)",
           making, MAKE_BY_PRODUCT),
    CHOICE("scale-by-encoding",
           "divides the extent by the divisor, and multiplies by the reciprocal of the tensor's "
           "scale (1 if there is none)",
           making, MAKE_ENCODED),
    CHOICE("scale-by-reciprocal",
           "multiplies the extent by the product of the reciprocals of the divisor and of the "
           "tensor's scale",
           making, MAKE_TIMES_ENCODING),
    CHOICE("scale-by-exponent", "takes the scale from the exponent of the extent", making,
           MAKE_POWER),
    CHOICE("scale-to-nearest-or-infinity",
           "rounds the scale to nearest; a scale that is too large becomes infinity or NaN",
           storing, STORE_NEAREST),
    CHOICE("scale-to-nearest", "rounds the scale to nearest, and clamps it to the largest number",
           storing, STORE_HELD),
    CHOICE("scale-up", "rounds the scale up", storing, STORE_ABOVE),
    CHOICE("scale-up-by-bits", "rounds the scale up to a power of two by adding to its bits",
           storing, STORE_UP),
    CHOICE("scale-up-by-logarithm", "rounds the scale up to a power of two by a logarithm in fp32",
           storing, STORE_UP_LOG2),
    CHOICE("scale-down", "cuts the scale down to a power of two", storing, STORE_DOWN),
    CHOICE("times-reciprocal-before-storing",
           "multiplies numbers by the reciprocal of the scale as it was before it was stored",
           taking, TAKE_RECIPROCAL),
    CHOICE("times-divisor-over-extent", "multiplies numbers by the divisor over the extent", taking,
           TAKE_DIVISOR_OVER),
    CHOICE("divided", "divides numbers by the stored scale", taking, TAKE_QUOTIENT),
    CHOICE(
        "times-encoding-over-scale",
        "multiplies numbers by the reciprocal of the tensor's scale (1 if there is none) over the "
        "stored scale",
        taking, TAKE_TENSOR_FIRST),
    CHOICE("times-reciprocal-of-both",
           "multiplies numbers by the reciprocal of the product of the stored scale and the "
           "tensor's (1 if "
           "there is none)",
           taking, TAKE_RECIPROCAL_OF_BOTH),
    CHOICE("times-reciprocal", "multiplies numbers by the reciprocal of the stored scale", taking,
           TAKE_RECIPROCAL_OF_POWER),
    CHOICE("halves-up", "rounds codes by adding 1/2 and cutting off", coding, CODE_HALVES_UP),
    CHOICE("halves-away", "rounds codes to nearest, ties away from zero", coding, CODE_HALVES_AWAY),
    CHOICE("halves-even", "rounds codes to nearest, ties to even", coding, CODE_HALVES_EVEN),
    CHOICE("elements-even", "rounds elements to nearest, ties to even", coding, CODE_NEAREST),
    CHOICE("elements-away", "rounds elements to nearest, ties away from zero", coding,
           CODE_NEAREST_AWAY),
    CHOICE("elements-toward-zero", "rounds elements to nearest, ties toward zero", coding,
           CODE_NEAREST_ZERO),
    FLAG("symmetric", is_symmetric, "clamps codes to the second smallest, such as -7",
         "uses the smallest code, such as -8"),
    FLAG("overflowing", overflows, "turns numbers beyond the largest element into infinity or NaN",
         "clamps numbers to the largest element"),
    FLAG("tensor-first", tensor_first, "divides numbers by the tensor's scale first",
         "does not divide numbers by the tensor's scale first"),
    FLAG("four-over-six", four_over_six, "tries 3/2 of the scale, too", "tries one scale only"),
    LEAST("without-least-scale", "has no least scale", 0),
    LEAST("least-scale-2^-126", "has a least scale of 2^-126", 0x1p-126F),
    LEAST("least-scale-2^-9", "has a least scale of 2^-9", 0x1p-9F),
    LEAST("least-scale-2^-6", "has a least scale of 2^-6", 0x1p-6F),
    FLAG("zero-scale-is-one", zero_is_one, "takes 1 for a scale of 0", "leaves a scale of 0"),
    FLAG("sign-of-zero-dropped", drops_sign_of_zero, "writes +0 for -0", "keeps the sign of 0"),
    FLAG("zero-with-sign", zero_is_negative, "writes -0 for 0", "does not write -0 for 0"),
    FLAG("extent-rounded", rounds_extent, "rounds the extent to the elements' precision first",
         "does not round the extent first"),
    FLAG("power-above", goes_up, "takes the least power of two that is not below the extent",
         "takes the largest power of two that is not above the extent"),
    FLAG("least-power-as-1", least_power_is_1,
         "divides numbers by 1 if the stored power is the least",
         "divides numbers by the least power too"),
    FLAG("normal-power", power_is_normal, "divides numbers by 2^-126 or more",
         "divides numbers by powers below 2^-126 too"),
    CHOICE("nan-skipped", "ignores NaN when it makes the scale", nan, NAN_SKIPPED),
    CHOICE("nan-spreads", "makes the scale NaN if a number of the block is NaN", nan, NAN_SPREADS),
    CHOICE("nan-restarts", "makes the scale from the numbers after the last NaN", nan,
           NAN_RESTARTS),
    CHOICE("nan-by-lanes", "compares NaN in maxima as eight lanes of the instruction vmaxps do",
           nan, NAN_LANES),
    CHOICE("nan-code-with-sign", "writes NaN, with its sign", nan_code, NAN_KEEPS_SIGN),
    CHOICE("nan-code", "writes NaN without a sign", nan_code, NAN_POSITIVE),
    CHOICE("nan-as-largest", "writes the largest number for NaN", nan_code, NAN_LARGEST),
    CHOICE("nan-as-zero", "writes 0 for NaN", nan_code, NAN_ZERO),
    CHOICE("nan-as-least",
           "writes the least integer for NaN and for numbers that do not fit 32 bits", nan_code,
           NAN_LEAST),
    CHOICE("nan-by-bits", "writes those bits of a NaN that the conversion keeps", nan_code,
           NAN_BITS),
    FLAG("nan-as-least-power", nan_is_least, "stores the least power for NaN",
         "stores NaN for a NaN scale"),
    FLAG("special-as-least-power", special_is_least,
         "stores the least power for NaN and for infinity",
         "does not store the least power for infinity"),
    FLAG("nan-scale-with-sign", nan_is_negative, "stores a NaN scale with a sign",
         "stores a NaN scale without a sign"),
};
const size_t block_switch_count = sizeof block_switches / sizeof *block_switches;

/* The ends of the numbers of elements. */
static void find_ends(const struct block_field *field, double *first, double *last) {
    *first = *last = 0;
    for (uint32_t code = 0; code < UINT32_C(1) << field->width; code++) {
        const double number = block_number(field, code);
        *first = isfinite(number) ? fmin(*first, number) : *first;
        *last = isfinite(number) ? fmax(*last, number) : *last;
    }
}

static float divisor_of(const struct block_layout *layout, enum divisor_of which) {
    double first, last;
    find_ends(&layout->fields[BLOCK_ELEMENT], &first, &last);
    const double divisors[] = {[BY_LAST] = last,          [BY_FIRST] = first,
                               [BY_MINUS_FIRST] = -first, [BY_HALF_SPAN] = (last - first) / 2,
                               [BY_SPAN] = last - first,  [BY_BINADE] = ldexp(1, ilogb(last))};
    return (float)divisors[which];
}

/* Whether the layout and the rule give a choice a meaning. */
static bool has_meaning(const struct quantiser_rule *rule, const struct block_layout *layout,
                        const struct block_switch *row) {
    const struct block_field *elements = &layout->fields[BLOCK_ELEMENT];
    const bool has_power = layout->fields[BLOCK_SCALE].format == &formats[BLOCK_SCALES],
               has_format = elements->format != NULL, by_exponent = rule->making == MAKE_POWER;
    const int value = (int)row->value;
    switch (row->offset) {
    case AT(extent):
        return (rule->extent == EXTENT_LARGEST || rule->extent == EXTENT_SIGNED) &&
               layout->fields[BLOCK_SCALE].format->sign_bit;
    case AT(divisor): /* a negative one */
        return value != BY_FIRST || layout->fields[BLOCK_SCALE].format->sign_bit;
    case AT(making):
        return value != MAKE_POWER || has_power;
    case AT(storing):
        return (!by_exponent || value != STORE_DOWN) && (value <= STORE_ABOVE || has_power);
    case AT(coding):
        return !elements->table && (value >= CODE_NEAREST) == has_format && !rule->overflows;
    case AT(is_symmetric):
        return !has_format && !elements->table && (elements->is_signed || elements->bias);
    case AT(overflows):
        return has_format && rule->coding == CODE_NEAREST &&
               (elements->format->has_nan || elements->format->has_infinity);
    case AT(drops_sign_of_zero):
    case AT(zero_is_negative):
        return has_format;
    case AT(nan_code):
        return has_format ? value != NAN_LEAST : value == NAN_LEAST || value == NAN_ZERO;
    case AT(tensor_first):
    case AT(four_over_six):
        return layout->has_tensor_scale;
    case AT(rounds_extent): /* which cuts to a power, so that there is none above */
        return by_exponent && !rule->goes_up;
    case AT(goes_up):
        return by_exponent && !rule->rounds_extent;
    case AT(special_is_least):
    case AT(nan_is_least):
        return rule->storing == STORE_UP_LOG2 || row->value == 0;
    case AT(least_power_is_1):
    case AT(power_is_normal):
        return has_power;
    default:
        return true;
    }
}

bool block_switch_leads(const struct quantiser_rule *changed, const struct quantiser_rule *to,
                        size_t index) {
    const struct block_switch *row = &block_switches[index];
    const size_t size = row->kind == SWITCH_CHOICE ? sizeof(int)
                        : row->kind == SWITCH_FLAG ? sizeof(bool)
                                                   : sizeof(float);
    return memcmp((const char *)changed + row->offset, (const char *)to + row->offset, size) == 0;
}

bool block_switched(const struct quantiser_rule *from, const struct block_layout *layout,
                    size_t index, struct quantiser_rule *to) {
    const struct block_switch *row = &block_switches[index];
    char *member = (char *)to + row->offset;
    const struct block_field *elements = &layout->fields[BLOCK_ELEMENT];
    *to = *from;
    if (!has_meaning(from, layout, row))
        return false;
    const int choice = (int)row->value;
    const bool flag = row->value > 0;
    const float number =
        row->kind == SWITCH_DIVISOR ? divisor_of(layout, (enum divisor_of)choice) : row->value;
    if (row->kind == SWITCH_CHOICE)
        memcpy(member, &choice, sizeof choice);
    else if (row->kind == SWITCH_FLAG)
        memcpy(member, &flag, sizeof flag);
    else
        memcpy(member, &number, sizeof number);
    if (row->offset == AT(coding) && !to->most)
        to->most = (uint8_t)((1 << (elements->width - elements->is_signed)) - 1);
    if (row->offset == AT(making) && choice == MAKE_POWER)
        to->storing = STORE_DOWN;
    if (row->offset == AT(storing) && to->making == MAKE_POWER) /* which stores no other way */
        to->making = MAKE_QUOTIENT;
    if (to->making == MAKE_POWER && exp2f(rintf(log2f(to->divisor))) != to->divisor)
        return false;
    return memcmp(to, from, sizeof *to) != 0;
}
