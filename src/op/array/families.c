/* How the elements of each family are drawn: all arithmetic here is exact or a single operation in
 * double, so that every machine draws the same. */
#include "op/array/families.h"

#include "detmath/random.h"

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

/* From 0 to 1 - 2^-53. */
static double draw_unit(struct place *place) {
    return (double)(draw_bits(place) >> 11) * 0x1p-53;
}

static double draw_uniform(struct place *place, double low, double high) {
    double unit = draw_unit(place), part = (high - low) * unit;
    return low + part;
}

/* The sum of twelve uniform numbers less 6: mean 0, variance 1, and no logarithm. */
static double draw_normal(struct place *place) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += draw_unit(place);
    return sum;
}

static double power_of_two(int exponent) {
    double power = 1;
    for (; exponent > 0; exponent--)
        power *= 2;
    for (; exponent < 0; exponent++)
        power /= 2;
    return power;
}

/* Of either sign, its exponent even from `low` to `high`. */
static double draw_log_uniform(struct place *place, int low, int high) {
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

static double element_normal(struct place *place) {
    return draw_normal(place);
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
    return draw_normal(place);
}

static double element_uniform(struct place *place) {
    return draw_uniform(place, -1, 1);
}

static double element_log_uniform(struct place *place) {
    return draw_log_uniform(place, place->format->emin / 3, place->format->emax / 3);
}

/* Pairs that sum to nothing, far apart, beside numbers 2^-20 as large. */
static double element_cancelling(struct place *place) {
    struct place mirror = *place;
    bool upper = place->index >= place->count / 2;
    if (upper)
        mirror.index = place->count - 1 - place->index;
    if (place->index % 8 == 3 || mirror.index % 8 == 3)
        return draw_normal(place) * 0x1p-20;
    double value = draw_normal(&mirror);
    return upper ? -value : value;
}

static double element_outlier(struct place *place) {
    double value = draw_normal(place);
    bool chosen = common_bits(place) % place->count == place->index;
    return chosen ? value * 0x1p20 : value;
}

/* One number from each of as many equal parts of [-1, 1), in order. */
static double element_ascending(struct place *place) {
    double part = ((double)place->index + draw_unit(place)) / (double)place->count;
    return 2 * part - 1;
}

static double element_descending(struct place *place) {
    return -element_ascending(place);
}

static double element_large(struct place *place) {
    double largest = power_of_two(place->format->emax / 2) *
                     power_of_two(place->format->emax - place->format->emax / 2);
    return draw_uniform(place, -largest, largest);
}

static double element_wide(struct place *place) {
    return draw_log_uniform(place, -30, 9);
}

/* Around -ln n, so that logsumexp is near 0. */
static double element_near_zero(struct place *place) {
    int log2 = 0;
    while (place->count >> log2 > 1)
        log2++;
    double halves = log2 + (double)(place->count - ((uint64_t)1 << log2)) / power_of_two(log2);
    return draw_normal(place) * 0x1p-6 - 0.6931471805599453 * halves;
}

static double element_spread(struct place *place) {
    return 4 * draw_normal(place);
}

static double element_shuffled_spread(struct place *place) {
    return 4 * element_shuffled_normal(place);
}

static double element_broad(struct place *place) {
    return draw_uniform(place, -20, 20);
}

static double element_peak(struct place *place) {
    bool chosen = common_bits(place) % place->count == place->index;
    return chosen ? 50 : draw_normal(place);
}

static double element_rising(struct place *place) {
    return 40 * element_ascending(place);
}

static double element_falling(struct place *place) {
    return -40 * element_ascending(place);
}

/* Where e^x overflows in fp32, and a sum of such. */
static double element_overflowing(struct place *place) {
    return draw_uniform(place, 80, 200);
}

static uint64_t rounded(const struct format *format, double value) {
    struct real real = real_from_double(value);
    return format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE);
}

typedef double element_function(struct place *place);
typedef uint64_t code_function(struct place *place);

static uint64_t code_denormal(struct place *place) {
    uint64_t bits = draw_bits(place), least = (uint64_t)1 << (place->format->precision - 1);
    return format_with_sign(place->format, (bits >> 1) % least, bits & 1);
}

static uint64_t code_special(struct place *place) {
    const struct format *format = place->format;
    if (!is_one_in(place, 64))
        return rounded(format, draw_normal(place));
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
    return rounded(format, 4 * draw_normal(place));
}

static void draw(const struct array_call *call, uint64_t seed, uint64_t number,
                 element_function *element, code_function *code) {
    for (int i = 0; i < MAX_ARRAY_OPERANDS && call->operands[i].codes; i++) {
        const struct array *array = &call->operands[i];
        size_t bytes = format_bytes(array->format);
        uint64_t count = shape_elements(&array->shape);
        uint64_t key = detmath_random(detmath_random(seed, number), (unsigned)i);
        for (uint64_t index = 0; index < count; index++) {
            struct place place = {array->format, index, count, key, 0};
            code_store(array->codes, bytes, (size_t)index,
                       code ? code(&place) : rounded(array->format, element(&place)));
        }
    }
}

#define BY_ELEMENT(NAME)                                                                           \
    static void draw_by_##NAME(const struct array_call *call, uint64_t seed, uint64_t number) {    \
        draw(call, seed, number, element_##NAME, NULL);                                            \
    }
#define BY_CODE(NAME)                                                                              \
    static void draw_by_##NAME(const struct array_call *call, uint64_t seed, uint64_t number) {    \
        draw(call, seed, number, NULL, code_##NAME);                                               \
    }
BY_ELEMENT(normal)
BY_ELEMENT(shuffled_normal)
BY_ELEMENT(shuffled_spread)
BY_ELEMENT(uniform)
BY_ELEMENT(log_uniform)
BY_ELEMENT(cancelling)
BY_ELEMENT(outlier)
BY_ELEMENT(ascending)
BY_ELEMENT(descending)
BY_ELEMENT(large)
BY_ELEMENT(wide)
BY_ELEMENT(near_zero)
BY_ELEMENT(spread)
BY_ELEMENT(broad)
BY_ELEMENT(peak)
BY_ELEMENT(rising)
BY_ELEMENT(falling)
BY_ELEMENT(overflowing)
BY_CODE(denormal)
BY_CODE(special)
BY_CODE(minus_infinity)

const struct array_family sum_families[] = {
    {"normal", "mean 0, variance 1 (the sum of 12 uniform numbers, less 6)", draw_by_normal, 0},
    {"uniform", "from -1 to 1", draw_by_uniform, 0},
    {"log_uniform", "exponents over the middle third of the format's range", draw_by_log_uniform,
     0},
    {"cancelling", "pairs that sum to nothing, beside numbers 2^-20 as large", draw_by_cancelling,
     0},
    {"outlier", "normal, one of them 2^20 as large", draw_by_outlier, 0},
    {"ascending", "from -1 to 1 in order", draw_by_ascending, 0},
    {"descending", "from 1 to -1 in order", draw_by_descending, 0},
    {"denormals", "subnormal numbers of both signs", draw_by_denormal, 0},
    {"large", "up to half the largest number: partial sums overflow", draw_by_large, 0},
    {"special", "normal, and one of 64 a zero, an infinity or NaN", draw_by_special, 0},
    {"shuffled", "the very numbers of normal, in another order", draw_by_shuffled_normal, 0},
    {0}};

const struct array_family exponential_families[] = {
    {"normal", "mean 0, variance 16", draw_by_spread, 0},
    {"uniform", "from -20 to 20", draw_by_broad, 0},
    {"log_uniform", "magnitudes from 2^-30 to 2^9", draw_by_wide, 0},
    {"cancelling", "around -ln n, so that logsumexp is near 0", draw_by_near_zero, 0},
    {"outlier", "normal, and one 50", draw_by_peak, 0},
    {"ascending", "from -40 to 40 in order", draw_by_rising, 0},
    {"descending", "from 40 to -40 in order", draw_by_falling, 0},
    {"denormals", "subnormal numbers of both signs", draw_by_denormal, 0},
    {"large", "from 80 to 200, where e^x overflows in fp32", draw_by_overflowing, 0},
    {"minus_infinity", "long runs of -inf", draw_by_minus_infinity, 0},
    {"special", "normal, and one of 64 a zero, an infinity or NaN", draw_by_special, 0},
    {"shuffled", "the very numbers of normal, in another order", draw_by_shuffled_spread, 0},
    {0}};
