/* Arrays in strips, which array forms go through in one way after another, each quicker than the next and not always
 * enough. */
#ifndef DETMATH_LIBRARY_STRIPS_H
#define DETMATH_LIBRARY_STRIPS_H

#include "kernels.h"
#include "lanes.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Strips are padded to whole vectors, so that every element takes the same path: by the last one again, since
 * zeros would be in doubt for logarithms, and take all of the strip another way. */
enum { STRIP = 512, LANES = 16 };

struct strip {
    size_t at, count, lanes;
};

static inline struct strip strip_at(size_t at, size_t n) {
    size_t count = n - at < STRIP ? n - at : STRIP;
    return (struct strip){at, count, (count + LANES - 1) / LANES * LANES};
}

static inline void strip_load(float *x, const void *from, struct strip strip) {
    memcpy(x, (const char *)from + strip.at * sizeof *x, strip.count * sizeof *x);
    for (size_t i = strip.count; i < strip.lanes; i++)
        x[i] = x[strip.count - 1];
}

static inline void strip_store(void *to, const float *y, struct strip strip) {
    memcpy((char *)to + strip.at * sizeof *y, y, strip.count * sizeof *y);
}

/* Whether results can be written where they belong while operands stay as they are: in place, the
 * first pass would spoil what a second one needs. */
static inline bool strips_apart(const void *to, const void *from, size_t n) {
    uintptr_t a = (uintptr_t)to, b = (uintptr_t)from, bytes = n * sizeof(float);
    return (a | b) % sizeof(float) == 0 && (a < b ? b - a : a - b) >= bytes;
}

/* y[i] = f(x[i]) for every element, of which few need what makes f slow. QUICK is the loop without
 * that, which sets doubt where it was needed; FULL the loop that can do everything. Both are to
 * vectorise: they see whole vectors, and arrays that do not overlap. Elements are copied in and out
 * only at the end and where arrays overlap or are not aligned. */
#define STRIP_LOOP(EXPRESSION)                                                                     \
    for (size_t i = 0; i < lanes; i++)                                                             \
    y[i] = EXPRESSION

/* Where there is no quick loop, it is NULL. FIRST, where there is one, is quicker still: it says by a bit of `near`
 * for each element which ones QUICK has to do. Where its result is not 0, QUICK has to do all of them. */
typedef detmath_u32 strip_quick(float *restrict y, const float *restrict x, size_t lanes);
typedef void strip_full(float *restrict y, const float *restrict x, size_t lanes);
typedef detmath_u32 strip_first(float *restrict y, const float *restrict x, size_t lanes,
                                uint16_t *restrict near);
struct strip_forms {
    strip_first *first;
    strip_quick *quick;
    strip_full *full;
};

static inline void fill_lanes(float *restrict y, const float *restrict x, size_t lanes,
                              const struct strip_forms *forms) {
    if (!forms->quick || forms->quick(y, x, lanes))
        forms->full(y, x, lanes);
}

/* Elements that are near, of one strip after another, until they are worth going through the others together. */
enum { NEAR_ENOUGH = 32 };
struct near_ones {
    _Alignas(64) float x[NEAR_ENOUGH + STRIP];
    size_t at[NEAR_ENOUGH + STRIP];
    size_t count;
};

/* Bits are looked for in words of 64. */
static inline void near_add(struct near_ones *ones, const uint16_t *near, const float *x,
                            struct strip strip) {
    size_t count = ones->count;
    for (size_t i = 0; i < strip.count; i += 64) {
        uint64_t bits;
        memcpy(&bits, near + i / 16, sizeof bits);
        if (strip.count - i < 64)
            bits &=
                ((uint64_t)1 << (strip.count - i)) - 1; /* those after them repeat the last one */
        for (; bits; bits &= bits - 1) {
            size_t at = i + (size_t)__builtin_ctzll(bits);
            ones->at[count] = strip.at + at;
            ones->x[count++] = x[at];
        }
    }
    ones->count = count;
}

/* The elements stay in `ones`, for a second result. */
static inline void near_fill(struct near_ones *ones, void *to, const struct strip_forms *forms) {
    _Alignas(64) float results[NEAR_ENOUGH + STRIP];
    size_t padded = (ones->count + LANES - 1) / LANES * LANES;
    for (size_t i = ones->count; i < padded; i++)
        ones->x[i] = ones->x[0];
    if (ones->count)
        fill_lanes(results, ones->x, padded, forms);
    for (size_t i = 0; i < ones->count; i++)
        memcpy((char *)to + ones->at[i] * sizeof *results, results + i, sizeof *results);
}

static inline void fill_quickly(void *to, const void *from, size_t n, struct strip_forms forms) {
    _Alignas(64) float x[STRIP], y[STRIP];
    struct near_ones ones;
    uint16_t near[STRIP / 16] = {0};
    size_t without = 0; /* strips that FIRST is not tried on, once it was in vain */
    bool direct = strips_apart(to, from, n);
    ones.count = 0;
    for (size_t at = 0; at < n; at += STRIP) {
        struct strip strip = strip_at(at, n);
        bool copied = !direct || strip.count < strip.lanes;
        const float *in = copied ? x : (const float *)from + at;
        float *out = copied ? y : (float *)to + at;
        if (copied)
            strip_load(x, from, strip);
        if (strip.lanes < STRIP)
            memset(near, 0, sizeof near);
        bool first = forms.first && !without && !forms.first(out, in, strip.lanes, near);
        if (first) {
            near_add(&ones, near, in, strip);
        } else {
            without = without ? without - 1 : 7;
            fill_lanes(out, in, strip.lanes, &forms);
        }
        if (copied)
            strip_store(to, y, strip);
        if (ones.count >= NEAR_ENOUGH) {
            near_fill(&ones, to, &forms);
            ones.count = 0;
        }
    }
    near_fill(&ones, to, &forms);
}

/* By kernels of lanes (lanes.h). */
#define LANES_LOOP(NAME, STEPS)                                                                    \
    lanes_u most = {0};                                                                            \
    for (size_t i = 0; i < lanes; i += DETMATH_LANES) {                                            \
        lanes_f v = lanes_load(x + i);                                                             \
        most = lanes_larger(most, detmath_##NAME##_away_lanes(v));                                 \
        STEPS;                                                                                     \
    }                                                                                              \
    return lanes_reach(most, DETMATH_REACH_##NAME)

#endif
