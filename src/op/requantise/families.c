/* Inputs of a requantisation: sums of products about what the result holds, halves, ends. */
#include "op/requantise/rows.h"

#include "detmath/random.h"

enum place { NORMAL, TIES, ENDS, CONSECUTIVE };

/* Keys of what a call draws besides its elements. */
enum { KEY_MULTIPLIER = 1, KEY_SHIFT, KEY_ZERO, KEY_PLACES };

static void set_integer(const struct array_call *call, int operand, uint64_t element, int64_t v) {
    const struct array *array = &call->operands[operand];
    array_set_code(array, element, (uint64_t)v & format_mask(array->format));
}

/* What an array is multiplied by, and how many bits its elements have below the half that a result is
 * rounded at. */
struct scaling {
    int64_t multiplier, shift;
    int places;
};

/* As a quantised model has them: a multiplier with its first bit set, and a shift that brings numbers of 8
 * to 31 bits to the result's, or somewhat beyond. */
static struct scaling usual(const struct array_call *call, uint64_t key) {
    int width = (int)call->results[0].format->width;
    int bits = 8 + (int)(detmath_random(key, KEY_PLACES) % 24);
    return (struct scaling){.multiplier = (INT64_C(1) << 30) +
                                          (int64_t)(detmath_random(key, KEY_MULTIPLIER) >> 34),
                            .shift = 31 + bits - (width < bits ? width : bits),
                            .places = bits};
}

/* An odd multiplier of a few bits times 2^26 and more, so that many products end in a half. */
static struct scaling halving(uint64_t key) {
    int zeros = 26 + (int)(detmath_random(key, KEY_PLACES) % 5), few = 30 - zeros;
    int places = (int)(detmath_random(key, KEY_SHIFT) % 24);
    int64_t odd = (INT64_C(1) << few) | 1 |
                  (int64_t)(detmath_random(key, KEY_MULTIPLIER) & ((UINT64_C(1) << few) - 1));
    return (struct scaling){
        .multiplier = odd << zeros, .shift = zeros + 1 + places, .places = places};
}

static struct scaling of_ends(uint64_t key) {
    static const int64_t multipliers[] = {INT32_MIN, INT32_MIN + 1, -3,        -1,        0, 1, 3,
                                          1 << 30,   INT32_MAX - 1, INT32_MAX, -(1 << 30)};
    static const int64_t shifts[] = {0, 1, 2, 3, 23, 24, 25, 29, 30, 31, 32, 33, 55, 61, 62};
    return (struct scaling){
        .multiplier = multipliers[detmath_random(key, KEY_MULTIPLIER) %
                                  (sizeof multipliers / sizeof *multipliers)],
        .shift = shifts[detmath_random(key, KEY_SHIFT) % (sizeof shifts / sizeof *shifts)]};
}

static int64_t element_of(enum place place, const struct scaling *scaling, uint64_t bits,
                          uint64_t i) {
    switch (place) {
    case NORMAL:
        return (int64_t)bits >> (64 - 1 - scaling->places);
    case TIES: /* at, or next to, an odd number of halves */
        return ((int64_t)bits >> 58) * (INT64_C(2) << scaling->places) +
               (INT64_C(1) << scaling->places) + (int64_t)(bits % 3) - 1;
    case ENDS:
        return (const int64_t[]){INT32_MIN, -4, 0, INT32_MAX - 7}[bits & 3] +
               (int64_t)(bits >> 8 & 7);
    default:
        return (int64_t)(i & 0xffff) - 0x8000;
    }
}

/* Where TOSA wants less than other forms, that. */
static int64_t allowed(const struct scaling *scaling, int64_t x, bool is_tosa) {
    return is_tosa && scaling->shift < 32 ? x >> (32 - scaling->shift) : x;
}

static void draw(const struct array_call *call, const struct array_family *family, uint64_t seed,
                 uint64_t number) {
    const enum place place = *(const enum place *)family->data;
    const uint64_t key = detmath_random(seed, number);
    const bool is_tosa = requantise_is_tosa(requantise_form_of(call));
    struct scaling scaling = place == TIES   ? halving(key)
                             : place == ENDS ? of_ends(key)
                                             : usual(call, key);
    if (place == CONSECUTIVE) /* small ones too, down to where most results are 0 or the ends */
        scaling.shift = 31 + (int64_t)(detmath_random(key, KEY_SHIFT) % 20);
    if (place != ENDS && detmath_random(key, KEY_PLACES) >> 62 == 3)
        scaling.multiplier = -scaling.multiplier;
    if (is_tosa) {
        scaling.multiplier =
            scaling.multiplier < 0 ? -(scaling.multiplier + 1) : scaling.multiplier;
        scaling.shift = scaling.shift < 2 ? 2 : scaling.shift;
    }
    set_integer(call, REQUANTISE_MULTIPLIER, 0, scaling.multiplier);
    set_integer(call, REQUANTISE_SHIFT, 0, scaling.shift);
    set_integer(call, REQUANTISE_ZERO, 0,
                (int64_t)detmath_random(key, KEY_ZERO) & (number % 2 ? -1 : 0));
    for (uint64_t i = 0; i < shape_elements(&call->operands[REQUANTISE_X].shape); i++)
        set_integer(
            call, REQUANTISE_X, i,
            allowed(&scaling, element_of(place, &scaling, detmath_random(~key, i), i), is_tosa));
}

#define BY(PLACE) draw, &(const enum place){PLACE}, 0

const struct array_family requantise_families[] = {
    {"normal", "sums of 8 to 31 bits over what the result holds, and somewhat beyond", BY(NORMAL)},
    {"ties", "products that end in a half, or next to that", BY(TIES)},
    {"ends", "about 0 and both ends of 32 bits, by multipliers and shifts at theirs", BY(ENDS)},
    {"consecutive", "all integers of 16 bits, one after another", BY(CONSECUTIVE)},
    {0}};
