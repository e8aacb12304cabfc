/* How the elements of each family are drawn: all arithmetic here is exact or a single operation in
 * double, so that every machine draws the same. */
#include "op/array/families.h"

#include "base/bits.h"
#include "detmath/random.h"
#include "op/draw.h"

/* An element's place, and the random numbers that belong to it. */
struct place {
    const struct format *format;
    uint64_t index, count; /* in its array, of elements */
    uint64_t key;
    unsigned draws;
};

static uint64_t draw_bits(struct place *place) {
    return detmath_random(place->key + place->draws++, place->index);
}

static double unit(struct place *place) {
    return draw_unit(place->key + place->draws++, place->index);
}

static double uniform(struct place *place, double low, double high) {
    double part = (high - low) * unit(place);
    return low + part;
}

static double normal(struct place *place) {
    unsigned first = place->draws;
    place->draws += NORMAL_DRAWS;
    return draw_normal(place->key + first, place->index);
}

/* Of either sign, its exponent even from `low` to `high`. */
static double log_uniform(struct place *place, int low, int high) {
    int exponent = low + (int)(draw_bits(place) >> 32) % (high - low + 1);
    uint64_t bits = draw_bits(place);
    double value = (1 + (double)(bits >> 12) * 0x1p-52) * power_of_two(exponent);
    return bits & 1 ? -value : value;
}

static bool is_one_in(struct place *place, uint64_t count) {
    return draw_bits(place) % count == 0;
}

/* The same for all elements of the array. */
static uint64_t common_bits(const struct place *place) {
    return detmath_random(place->key ^ 0x5bd1e995u, UINT64_MAX);
}

/* Where the element of this place lies in the order of the others: steps of a length without common
 * factor with the count reach each place once. */
static uint64_t shuffled_index(uint64_t index, uint64_t count) {
    uint64_t stride = (count / 2 + count / 8) | 1, a = count, b = stride;
    while (b != 1) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
        if (b == 0) { /* a > 1 divides both */
            stride += 2;
            a = count;
            b = stride;
        }
    }
    return (index * stride + count / 3) % count;
}

static double element_shuffled_normal(struct place *place) {
    place->index = shuffled_index(place->index, place->count);
    return normal(place);
}

/* A large mean, which the mean of squares less the square of the mean is lost beside. */
static double element_offset(struct place *place) {
    return 1000 + normal(place);
}

static double element_uniform(struct place *place) {
    return uniform(place, -1, 1);
}

static double element_log_uniform(struct place *place) {
    return log_uniform(place, place->format->emin / 3, place->format->emax / 3);
}

/* Pairs that sum to nothing, far apart, beside numbers 2^-20 as large. */
static double element_cancelling(struct place *place) {
    struct place mirror = *place;
    bool upper = place->index >= place->count / 2;
    if (upper)
        mirror.index = place->count - 1 - place->index;
    if (place->index % 8 == 3 || mirror.index % 8 == 3)
        return normal(place) * 0x1p-20;
    double value = normal(&mirror);
    return upper ? -value : value;
}

static double element_outlier(struct place *place) {
    double value = normal(place);
    bool chosen = common_bits(place) % place->count == place->index;
    return chosen ? value * 0x1p20 : value;
}

/* One number from each of as many equal parts of [-1, 1), in order. */
static double element_ascending(struct place *place) {
    double part = ((double)place->index + unit(place)) / (double)place->count;
    return 2 * part - 1;
}

static double element_descending(struct place *place) {
    return -element_ascending(place);
}

static double element_large(struct place *place) {
    double largest = power_of_two(place->format->emax);
    return uniform(place, -largest, largest);
}

static double element_wide(struct place *place) {
    return log_uniform(place, -30, 9);
}

/* Around -ln n, so that logsumexp is near 0. */
static double element_near_zero(struct place *place) {
    int log2 = 0;
    while (place->count >> log2 > 1)
        log2++;
    double halves = log2 + (double)(place->count - ((uint64_t)1 << log2)) / power_of_two(log2);
    return normal(place) * 0x1p-6 - 0.6931471805599453 * halves;
}

static double element_spread(struct place *place) {
    return 4 * normal(place);
}

static double element_shuffled_spread(struct place *place) {
    return 4 * element_shuffled_normal(place);
}

static double element_broad(struct place *place) {
    return uniform(place, -20, 20);
}

static double element_peak(struct place *place) {
    bool chosen = common_bits(place) % place->count == place->index;
    return chosen ? 50 : normal(place);
}

static double element_rising(struct place *place) {
    return 40 * element_ascending(place);
}

static double element_falling(struct place *place) {
    return -40 * element_ascending(place);
}

/* Where e^x overflows in fp32, and a sum of such. */
static double element_overflowing(struct place *place) {
    return uniform(place, 80, 200);
}

static uint64_t rounded(const struct format *format, double value) {
    struct real real = real_from_double(value);
    return format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE);
}

static uint64_t code_denormal(struct place *place) {
    uint64_t bits = draw_bits(place), least = (uint64_t)1 << (place->format->precision - 1);
    return format_with_sign(place->format, (bits >> 1) % least, bits & 1);
}

static uint64_t code_special(struct place *place) {
    const struct format *format = place->format;
    if (!is_one_in(place, 64))
        return rounded(format, normal(place));
    uint64_t bits = draw_bits(place);
    if (bits % 8 == 0)
        return format->nan;
    uint64_t magnitude = bits % 8 < 3 ? 0 : format_greatest(format);
    return format_with_sign(format, magnitude, bits >> 32 & 1);
}

/* Long runs of -inf (or the least number), and a number now and then. */
static uint64_t code_minus_infinity(struct place *place) {
    const struct format *format = place->format;
    struct place run = *place;
    run.index = place->index / 32;
    if (run.index % 4 == 0 || !is_one_in(&run, 3))
        return format_with_sign(format, format_greatest(format), true);
    return rounded(format, 4 * normal(place));
}

/* What a family's elements are: numbers, or codes. Those of the second operand may be others. */
struct element {
    double (*number)(struct place *place);
    uint64_t (*code)(struct place *place);
    const struct element *second;
};

static void draw(const struct array_call *call, const struct array_family *family, uint64_t seed,
                 uint64_t number) {
    const struct element *first = family->data;
    for (int i = 0; i < MAX_ARRAY_OPERANDS && call->operands[i].codes; i++) {
        const struct array *array = &call->operands[i];
        const struct element *element = i && first->second ? first->second : first;
        uint64_t count = shape_elements(&array->shape);
        uint64_t key = detmath_random(detmath_random(seed, number), (unsigned)i);
        const bool is_index = call->rule->drawn && array->format->is_integer;
        for (uint64_t index = 0; index < count; index++) {
            struct place place = {array->format, index, count, key, 0};
            if (is_index)
                array_set_code(array, index, index);
            else if (element->code)
                array_set_code(array, index, element->code(&place));
            else
                array_set_double(array, index, element->number(&place));
            if (call->rule->drawn)
                array_set_code(array, index,
                               call->rule->drawn(call, i, array_code(array, index),
                                                 detmath_random(~key, index)));
        }
    }
}

#define NUMBERS(FUNCTION) draw, &(const struct element){.number = FUNCTION}, 0
#define CODES(FUNCTION)   draw, &(const struct element){.code = FUNCTION}, 0
/* A gradient beside numbers of which many make any product with them 0 or NaN. */
#define CODES_AND_NORMAL(FUNCTION)                                                                 \
    draw, &(const struct element){.code = FUNCTION, .second = &element_normal}, 0
static const struct element element_normal = {.number = normal};

#define SUM_FAMILIES                                                                               \
    {"normal", "mean 0, variance 1 (the sum of 12 uniform numbers, less 6)", NUMBERS(normal)},     \
        {"uniform", "from -1 to 1", NUMBERS(element_uniform)},                                     \
        {"log_uniform", "exponents over the middle third of the format's range",                   \
         NUMBERS(element_log_uniform)},                                                            \
        {"cancelling", "pairs that sum to nothing, beside numbers 2^-20 as large",                 \
         NUMBERS(element_cancelling)},                                                             \
        {"outlier", "normal, one of them 2^20 as large", NUMBERS(element_outlier)},                \
        {"ascending", "from -1 to 1 in order", NUMBERS(element_ascending)},                        \
        {"descending", "from 1 to -1 in order", NUMBERS(element_descending)},                      \
        {"denormals", "subnormal numbers of both signs", CODES(code_denormal)},                    \
        {"large", "up to half the largest number: partial sums overflow", NUMBERS(element_large)}, \
        {"special", "normal, and one of 64 a zero, an infinity or NaN", CODES(code_special)}, {    \
        "shuffled", "the very numbers of normal, in another order",                                \
            NUMBERS(element_shuffled_normal)                                                       \
    }

/* A weight and a bias beside numbers with a mean. */
#define OFFSET draw, &(const struct element){.number = element_offset, .second = &element_normal}, 0

const struct array_family sum_families[] = {SUM_FAMILIES, {0}};
const struct array_family norm_families[] = {
    SUM_FAMILIES, {"offset", "mean 1000, variance 1; weights and biases normal", OFFSET}, {0}};

const struct array_family exponential_families[] = {
    {"normal", "mean 0, variance 16", NUMBERS(element_spread)},
    {"uniform", "from -20 to 20", NUMBERS(element_broad)},
    {"log_uniform", "magnitudes from 2^-30 to 2^9", NUMBERS(element_wide)},
    {"cancelling", "around -ln n, so that logsumexp is near 0", NUMBERS(element_near_zero)},
    {"outlier", "normal, and one 50", NUMBERS(element_peak)},
    {"ascending", "from -40 to 40 in order", NUMBERS(element_rising)},
    {"descending", "from 40 to -40 in order", NUMBERS(element_falling)},
    {"denormals", "subnormal numbers of both signs", CODES(code_denormal)},
    {"large", "from 80 to 200, where e^x overflows in fp32", NUMBERS(element_overflowing)},
    {"minus_infinity", "long runs of -inf", CODES_AND_NORMAL(code_minus_infinity)},
    {"special", "normal, and one of 64 a zero, an infinity or NaN", CODES(code_special)},
    {"shuffled", "the very numbers of normal, in another order", NUMBERS(element_shuffled_spread)},
    {0}};
