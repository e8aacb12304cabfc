/* All non-negative finite numbers of a small format in order of value, found by evaluating every
 * code and sorting: what rounding can be checked against by looking for the nearest. */
#ifndef DETCHECK_TESTS_FORMAT_LADDER_H
#define DETCHECK_TESTS_FORMAT_LADDER_H

#include "layout.h"

struct rung {
    double value;
    uint64_t code;
};

struct ladder {
    const struct layout *layout;
    const struct format *format;
    size_t count;
    /* rung[0] is zero; rung[count] is the number that would follow the largest one if the exponent
     * had no upper bound (its code means nothing). */
    struct rung *rung;
};

static inline int rung_compare(const void *a, const void *b) {
    double x = ((const struct rung *)a)->value, y = ((const struct rung *)b)->value;
    return (x > y) - (x < y);
}

static inline struct ladder ladder_make(const struct layout *layout) {
    uint64_t codes = UINT64_C(1) << layout_width(layout);
    struct ladder ladder = {.layout = layout, .format = layout_format(layout)};
    ladder.rung = malloc((codes + 1) * sizeof *ladder.rung);
    if (!ladder.rung)
        abort();
    for (uint64_t code = 0; code < codes; code++) {
        double value = layout_value(layout, code);
        if (isfinite(value) && !signbit(value))
            ladder.rung[ladder.count++] = (struct rung){value, code};
    }
    qsort(ladder.rung, ladder.count, sizeof *ladder.rung, rung_compare);
    double largest = ladder.rung[ladder.count - 1].value;
    ladder.rung[ladder.count].value = 2 * largest - ladder.rung[ladder.count - 2].value;
    ladder.rung[ladder.count].code = 0;
    return ladder;
}

static inline void ladder_free(struct ladder *ladder) {
    free(ladder->rung);
}

/* The greatest index (at most count) whose value does not exceed `value`, which is not negative. */
static inline size_t ladder_floor(const struct ladder *ladder, double value) {
    size_t low = 0, high = ladder->count;
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (ladder->rung[middle].value <= value)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The index that a magnitude rounds to, `count` for overflow. The magnitude is `value`, or just
 * beyond it (by less than any distance that matters) when `beyond`. */
static inline size_t ladder_round(const struct ladder *ladder, double value, bool beyond,
                                  bool negative, enum rounding rounding) {
    size_t low = ladder_floor(ladder, value);
    if (low == ladder->count || (value == ladder->rung[low].value && !beyond))
        return low;
    double below = value - ladder->rung[low].value, above = ladder->rung[low + 1].value - value;
    switch (rounding) {
    case ROUND_TOWARD_ZERO:
        return low;
    case ROUND_UP:
        return negative ? low : low + 1;
    case ROUND_DOWN:
        return negative ? low + 1 : low;
    default:
        if (below < above)
            return low;
        if (below > above || beyond || rounding == ROUND_NEAREST_AWAY)
            return low + 1;
        return ladder->rung[low].code % 2 == 0 ? low : low + 1;
    }
}

/* The code of that rung with a sign; overflow as the comment on enum overflow promises. */
static inline uint64_t ladder_code(const struct ladder *ladder, size_t index, bool negative,
                                   enum rounding rounding, enum overflow overflow) {
    const struct layout *layout = ladder->layout;
    uint64_t sign = negative ? UINT64_C(1) << (layout_width(layout) - 1) : 0;
    if (index == 0 && layout->kind == LAYOUT_FNUZ)
        return 0;
    if (index < ladder->count)
        return sign | ladder->rung[index].code;
    bool inward = rounding == ROUND_TOWARD_ZERO || (rounding == ROUND_UP && negative) ||
                  (rounding == ROUND_DOWN && !negative);
    if (overflow == OVERFLOW_SATURATE || inward || layout->kind == LAYOUT_ALL)
        return sign | ladder->rung[ladder->count - 1].code;
    if (layout->kind != LAYOUT_IEEE)
        return layout_nan(layout);
    return sign | (ladder->rung[ladder->count - 1].code + 1);
}

#endif
