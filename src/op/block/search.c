/* llama.cpp's searches for scales. */
#include "op/block/search.h"

#include <math.h>
#include <string.h>

enum { MOST_ELEMENTS_OF_SUB = 32, MOST_SUBS = 16, MOST_OF_BLOCK = 256 };
static const float too_small = 1e-15F;

/* The nearest integer, ties to even, by the bits of a sum with 1.5 * 2^23; what does not fit wraps. */
static int nearest_integer(float x) {
    const float sum = x + 12582912.0F;
    int32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return (bits & 0x7fffff) - 0x400000;
}

static int held(int integer, int least, int most) {
    return integer < least ? least : integer > most ? most : integer;
}

/* The first number of the largest magnitude; 0 where all are 0 or NaN. */
static float largest_of(const float *x, int count) {
    float largest = 0;
    for (int i = 0; i < count; i++)
        if (fabsf(x[i]) > fabsf(largest))
            largest = x[i];
    return largest;
}

/* A scale in fp16; NaN with its sign. */
static void store_half(const struct block_layout *layout, enum block_role role, float x,
                       uint8_t *bytes) {
    const struct real real = real_from_double((double)x);
    uint32_t code =
        (uint32_t)format_encode(&formats[FORMAT_FP16], &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    if (x != x && signbit(x))
        code |= 0x8000;
    block_set(layout, role, bytes, 0, code);
}

/* ---- A scale and a minimum: q2_K, q4_K, q5_K ---- */

/* What a row of these does beside the others. */
struct minima_search {
    const char *layout;
    int elements, most, integers; /* of a part, of an element, of sub-scales */
    float first, step;            /* of what is added to `most` in a try */
    int tries;
    bool weighs_alone;  /* by magnitudes alone, else by these and the root of the mean square */
    bool by_magnitudes; /* errors are not squared */
    bool wraps;         /* sub-scales are not held to the largest integer */
};

static const struct minima_search minima_searches[] = {
    {"q2_K", 16, 3, 15, -0.5F, 0.1F, 15, true, true, true},
    {"q4_K", 32, 15, 63, -1, 0.1F, 20, false, false, false},
    {"q5_K", 32, 31, 63, -0.5F, 0.1F, 15, false, false, false}};

struct part {
    const float *x;
    float weights[MOST_ELEMENTS_OF_SUB];
    float low, high, sum_weights, sum_x;
    float scale, minimum;
};

static void weigh(const struct minima_search *row, struct part *part) {
    float squares = 0;
    for (int i = 0; i < row->elements; i++)
        squares += part->x[i] * part->x[i];
    const float mean = row->weighs_alone ? 0 : sqrtf(squares / (float)row->elements);
    part->low = part->high = part->x[0];
    for (int i = 0; i < row->elements; i++) {
        const float x = part->x[i], weight = row->weighs_alone ? fabsf(x) : mean + fabsf(x);
        part->weights[i] = weight;
        part->low = x < part->low ? x : part->low;
        part->high = x > part->high ? x : part->high;
        part->sum_weights = i ? part->sum_weights + weight : weight;
        part->sum_x = i ? part->sum_x + weight * x : weight * x;
    }
    part->low = part->low > 0 ? 0 : part->low;
}

static void code_part(const struct minima_search *row, const struct part *part, float inverse,
                      uint8_t *codes) {
    for (int i = 0; i < row->elements; i++)
        codes[i] = (uint8_t)held(nearest_integer(inverse * (part->x[i] - part->low)), 0, row->most);
}

static float error_of(const struct minima_search *row, const struct part *part,
                      const uint8_t *codes, float scale, float minimum) {
    float error = 0;
    for (int i = 0; i < row->elements; i++) {
        const float off = scale * (float)codes[i] + minimum - part->x[i];
        error += part->weights[i] * (row->by_magnitudes ? fabsf(off) : off * off);
    }
    return error;
}

/* The scale and the minimum that fit codes best; false where they are not determined. */
static bool fit(const struct minima_search *row, const struct part *part, const uint8_t *codes,
                float *scale, float *minimum) {
    float sum = 0, squares = 0, products = 0;
    for (int i = 0; i < row->elements; i++) {
        const float weight = part->weights[i], code = (float)codes[i];
        sum += weight * code;
        squares += weight * code * code;
        products += weight * code * part->x[i];
    }
    const float determinant = part->sum_weights * squares - sum * sum;
    if (!(determinant > 0))
        return false;
    *scale = (part->sum_weights * products - part->sum_x * sum) / determinant;
    *minimum = (squares * part->sum_x - sum * products) / determinant;
    if (*minimum > 0) {
        *minimum = 0;
        *scale = products / squares;
    }
    return true;
}

static void search_minimum(const struct minima_search *row, struct part *part, uint8_t *codes) {
    weigh(row, part);
    part->scale = 0;
    part->minimum = -part->low;
    memset(codes, 0, (size_t)row->elements);
    if (part->high == part->low)
        return;
    const float inverse = (float)row->most / (part->high - part->low);
    part->scale = 1 / inverse;
    code_part(row, part, inverse, codes);
    float best = error_of(row, part, codes, part->scale, part->low);
    for (int try = 0; try <= row->tries; try++) {
        uint8_t tried[MOST_ELEMENTS_OF_SUB];
        float scale, low;
        const float steps = row->first + row->step * (float)try + (float)row->most;
        code_part(row, part, steps / (part->high - part->low), tried);
        if (!fit(row, part, tried, &scale, &low))
            continue;
        const float error = error_of(row, part, tried, scale, low);
        if (error < best) {
            memcpy(codes, tried, (size_t)row->elements);
            best = error;
            part->scale = scale;
            part->low = low; /* which the tries that follow start from */
        }
    }
    part->minimum = -part->low;
}

/* Stores positive numbers as integers of the largest of them. */
static void store_positive(const struct block_layout *layout, enum block_role role,
                           enum block_role sub, const struct minima_search *row,
                           const float *numbers, int count, uint8_t *bytes) {
    const uint32_t mask = (UINT32_C(1) << layout->fields[sub].width) - 1;
    float largest = 0;
    for (int j = 0; j < count; j++)
        largest = numbers[j] > largest ? numbers[j] : largest;
    const float most = (float)row->integers, inverse = largest > 0 ? most / largest : 0;
    store_half(layout, role, largest / most, bytes);
    for (int j = 0; j < count && largest > 0; j++) {
        const uint8_t integer = (uint8_t)nearest_integer(inverse * numbers[j]);
        block_set(layout, sub, bytes, (unsigned)j,
                  row->wraps                ? integer & mask
                  : integer > row->integers ? (uint32_t)row->integers
                                            : integer);
    }
}

static float number_of(const struct block_layout *layout, enum block_role role,
                       const uint8_t *bytes, int index) {
    return (float)block_number(&layout->fields[role],
                               block_get(layout, role, bytes, (unsigned)index));
}

static void search_minima(const struct block_layout *layout, const struct minima_search *row,
                          const float *x, uint8_t *bytes) {
    const int count = MOST_OF_BLOCK / row->elements;
    uint8_t codes[MOST_OF_BLOCK];
    float scales[MOST_SUBS], minima[MOST_SUBS];
    for (int j = 0; j < count; j++) {
        struct part part = {.x = x + j * row->elements};
        search_minimum(row, &part, codes + j * row->elements);
        scales[j] = part.scale;
        minima[j] = part.minimum;
    }
    store_positive(layout, BLOCK_SCALE, BLOCK_SUBSCALE, row, scales, count, bytes);
    store_positive(layout, BLOCK_MINIMUM, BLOCK_SUBMINIMUM, row, minima, count, bytes);
    for (int i = 0; i < MOST_OF_BLOCK; i++) {
        const int j = i / row->elements;
        if (i % row->elements == 0) {
            scales[j] = number_of(layout, BLOCK_SCALE, bytes, 0) *
                        number_of(layout, BLOCK_SUBSCALE, bytes, j);
            minima[j] = number_of(layout, BLOCK_MINIMUM, bytes, 0) *
                        number_of(layout, BLOCK_SUBMINIMUM, bytes, j);
        }
        if (scales[j] != 0)
            codes[i] = (uint8_t)held(nearest_integer((x[i] + minima[j]) / scales[j]), 0, row->most);
        block_set(layout, BLOCK_ELEMENT, bytes, (unsigned)i, codes[i]);
    }
}

/* ---- A scale alone: q3_K, q6_K ---- */

/* Changes one code at a time while that makes the fit better, five times at most. */
static float search_q3(const float *x, uint8_t *codes) {
    enum { COUNT = 16, MOST = 4, ROUNDS = 5 };
    const float largest = largest_of(x, COUNT);
    memset(codes, 0, COUNT);
    if (fabsf(largest) < too_small)
        return 0;
    int integers[COUNT];
    float products = 0, squares = 0;
    for (int i = 0; i < COUNT; i++) {
        integers[i] = held(nearest_integer(-MOST / largest * x[i]), -MOST, MOST - 1);
        const float weight = x[i] * x[i], integer = (float)integers[i];
        products += weight * x[i] * integer;
        squares += weight * integer * integer;
    }
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS; round++) {
        changed = false;
        for (int i = 0; i < COUNT; i++) {
            const float weight = x[i] * x[i], integer = (float)integers[i];
            float products_left = products - weight * x[i] * integer;
            if (!(products_left > 0))
                continue;
            float squares_left = squares - weight * integer * integer;
            const int other =
                held(nearest_integer(x[i] * squares_left / products_left), -MOST, MOST - 1);
            if (other == integers[i])
                continue;
            products_left += weight * x[i] * (float)other;
            squares_left += weight * (float)other * (float)other;
            if (squares_left > 0 &&
                products_left * products_left * squares > products * products * squares_left) {
                integers[i] = other;
                products = products_left;
                squares = squares_left;
                changed = true;
            }
        }
    }
    for (int i = 0; i < COUNT; i++)
        codes[i] = (uint8_t)(integers[i] + MOST);
    return squares > 0 ? products / squares : 0;
}

/* Tries 19 scales near the one by the largest magnitude. */
static float search_q6(const float *x, uint8_t *codes) {
    enum { COUNT = 16, MOST = 32, STEPS = 9 };
    const float largest = largest_of(x, COUNT);
    float scale = 0, best = 0;
    memset(codes, 0, COUNT);
    if (fabsf(largest) < too_small)
        return 0;
    for (int try = 0; try <= 2 * STEPS; try++) {
        const int step = try == 0 ? 0 : try <= STEPS ? try - STEPS - 1 : try - STEPS;
        const float inverse =
            step ? -((float)MOST + 0.1F * (float)step) / largest : -(float)MOST / largest;
        uint8_t tried[COUNT];
        float products = 0, squares = 0;
        for (int i = 0; i < COUNT; i++) {
            const int integer = held(nearest_integer(inverse * x[i]), -MOST, MOST - 1);
            const float weight = x[i] * x[i];
            tried[i] = (uint8_t)(integer + MOST);
            products += weight * x[i] * (float)integer;
            squares += weight * (float)integer * (float)integer;
        }
        if (step ? !(squares > 0 && products * products > best * squares) : false)
            continue;
        memcpy(codes, tried, COUNT);
        scale = squares != 0 ? products / squares : 0;
        best = scale * products;
    }
    return scale;
}

/* Signed sub-scales: the one of the largest magnitude becomes -`most`. */
static void search_signed(const struct block_layout *layout, bool is_q6, const float *x,
                          uint8_t *bytes) {
    enum { COUNT = 16 };
    const int most = is_q6 ? 128 : 32, half = is_q6 ? 32 : 4;
    uint8_t codes[MOST_OF_BLOCK];
    float scales[COUNT];
    for (int j = 0; j < COUNT; j++)
        scales[j] = (is_q6 ? search_q6 : search_q3)(x + j * COUNT, codes + j * COUNT);
    const float largest = largest_of(scales, COUNT), inverse = (float)-most / largest;
    if (is_q6 && fabsf(largest) < too_small)
        return;
    store_half(layout, BLOCK_SCALE, largest != 0 ? 1 / inverse : 0, bytes);
    for (int j = 0; j < COUNT; j++) {
        const int nearest = largest != 0 ? nearest_integer(inverse * scales[j]) : -most,
                  integer = is_q6 ? (nearest > 127 ? 127 : nearest)
                                  : held((int8_t)(uint8_t)(unsigned)nearest, -most, most - 1);
        block_set(layout, BLOCK_SUBSCALE, bytes, (unsigned)j,
                  (uint32_t)(integer + layout->fields[BLOCK_SUBSCALE].bias) &
                      ((UINT32_C(1) << layout->fields[BLOCK_SUBSCALE].width) - 1));
    }
    for (int i = 0; i < MOST_OF_BLOCK; i++) {
        const int j = i / COUNT;
        if (i % COUNT == 0)
            scales[j] = number_of(layout, BLOCK_SCALE, bytes, 0) *
                        number_of(layout, BLOCK_SUBSCALE, bytes, j);
        if (scales[j] != 0)
            codes[i] = (uint8_t)(held(nearest_integer(x[i] / scales[j]), -half, half - 1) + half);
        block_set(layout, BLOCK_ELEMENT, bytes, (unsigned)i, codes[i]);
    }
}

/* ---- One scale: q8_K, iq4_nl ---- */

static void code_q8(const struct block_layout *layout, const float *x, uint8_t *bytes) {
    const float largest = largest_of(x, MOST_OF_BLOCK), inverse = -127 / largest;
    int sum = 0;
    if (largest == 0)
        return;
    const struct real unit = real_from_double((double)(1 / inverse));
    block_set(
        layout, BLOCK_SCALE, bytes, 0,
        (uint32_t)format_encode(&formats[FORMAT_FP32], &unit, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    for (unsigned i = 0; i < MOST_OF_BLOCK; i++) {
        const int nearest = nearest_integer(inverse * x[i]);
        const uint8_t code = (uint8_t)(unsigned)(nearest > 127 ? 127 : nearest);
        block_set(layout, BLOCK_ELEMENT, bytes, i, code);
        sum += (int8_t)code;
        if (i % 16 == 15) {
            block_set(layout, BLOCK_SUM, bytes, i / 16, (uint32_t)sum & 0xffff);
            sum = 0;
        }
    }
}

/* The place in the table, by distances in fp32; of two equal ones, the larger number. */
static uint32_t table_place(const float *table, float x) {
    if (x <= table[0])
        return 0;
    if (x >= table[15])
        return 15;
    int low = 0, high = 15;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(x < table[middle] ? &high : &low) = middle;
    }
    return (uint32_t)(x - table[high - 1] < table[high] - x ? high - 1 : high);
}

/* The table's first number stands for the largest magnitude; the scale is then the one that fits the codes best. */
static void code_table(const struct block_layout *layout, const float *x, uint8_t *bytes) {
    const float *table = layout->fields[BLOCK_ELEMENT].table, largest = largest_of(x, 32);
    float products = 0, squares = 0;
    if (fabsf(largest) < too_small)
        return;
    const float inverse = 1 / (largest / table[0]);
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t place = table_place(table, inverse * x[i]);
        const float weight = x[i] * x[i];
        block_set(layout, BLOCK_ELEMENT, bytes, i, place);
        products += weight * table[place] * x[i];
        squares += weight * table[place] * table[place];
    }
    store_half(layout, BLOCK_SCALE, squares > 0 ? products / squares : 0, bytes);
}

static const struct minima_search *minima_search_of(const struct block_layout *layout) {
    for (size_t i = 0; i < sizeof minima_searches / sizeof *minima_searches; i++)
        if (strcmp(minima_searches[i].layout, layout->name) == 0)
            return &minima_searches[i];
    return NULL;
}

static bool is_named(const struct block_layout *layout, const char *name) {
    return strcmp(layout->name, name) == 0;
}

bool block_search_takes(const struct block_layout *layout) {
    return minima_search_of(layout) || is_named(layout, "q3_K") || is_named(layout, "q6_K") ||
           is_named(layout, "q8_K") || is_named(layout, "iq4_nl");
}

void block_search(const struct block_layout *layout, const float *x, uint8_t *bytes) {
    const struct minima_search *minima = minima_search_of(layout);
    memset(bytes, 0, layout->bytes);
    if (minima)
        search_minima(layout, minima, x, bytes);
    else if (is_named(layout, "iq4_nl"))
        code_table(layout, x, bytes);
    else if (is_named(layout, "q8_K"))
        code_q8(layout, x, bytes);
    else
        search_signed(layout, is_named(layout, "q6_K"), x, bytes);
}
