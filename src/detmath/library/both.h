/* Arrays of one operand and two results, in strips as strips.h has them. */
#ifndef DETMATH_LIBRARY_BOTH_H
#define DETMATH_LIBRARY_BOTH_H

#include "strips.h"

/* A strip and its results where they are, or copies of them. */
struct both_strip {
    struct strip strip;
    const float *x;
    float *a, *b;
    bool copied;
};
struct both_copies {
    _Alignas(64) float x[STRIP], a[STRIP], b[STRIP];
    bool direct;
};

static inline bool both_apart(void *const *to, const void *from, size_t n) {
    return strips_apart(to[0], from, n) && strips_apart(to[1], from, n) &&
           strips_apart(to[0], to[1], n);
}

static inline struct both_strip both_load(struct both_copies *copies, void *const *to,
                                          const void *from, struct strip strip) {
    bool copied = !copies->direct || strip.count < strip.lanes;
    if (!copied)
        return (struct both_strip){strip, (const float *)from + strip.at, (float *)to[0] + strip.at,
                                   (float *)to[1] + strip.at, false};
    strip_load(copies->x, from, strip);
    return (struct both_strip){strip, copies->x, copies->a, copies->b, true};
}

static inline void both_store(void *const *to, const struct both_strip *both) {
    if (both->copied) {
        strip_store(to[0], both->a, both->strip);
        strip_store(to[1], both->b, both->strip);
    }
}

/* Doubt is for the function of one number. */
typedef detmath_u32 both_quick(float *restrict a, float *restrict b, const float *restrict x,
                               size_t lanes);

static inline void fill_both(void *const *to, const void *from, size_t n, both_quick *quick,
                             void (*full)(float, float *, float *)) {
    struct both_copies copies;
    copies.direct = both_apart(to, from, n);
    for (size_t at = 0; at < n; at += STRIP) {
        struct both_strip both = both_load(&copies, to, from, strip_at(at, n));
        detmath_u32 any = quick(both.a, both.b, both.x, both.strip.lanes);
        for (size_t i = 0; any && i < both.strip.count; i++)
            full(both.x[i], &both.a[i], &both.b[i]);
        both_store(to, &both);
    }
}

/* As fill_quickly. FIRST, where there is one, has both results. Elements that are near in one of them take the other ways
 * of both. */
typedef detmath_u32 both_first(float *restrict a, float *restrict b, const float *restrict x,
                               size_t lanes, uint16_t *restrict near);
struct both_forms {
    both_first *first;
    struct strip_forms a, b;
};

static inline void near_fill_both(struct near_ones *ones, void *const *to,
                                  const struct both_forms *forms) {
    near_fill(ones, to[0], &forms->a);
    near_fill(ones, to[1], &forms->b);
    ones->count = 0;
}

static inline void fill_both_quickly(void *const *to, const void *from, size_t n,
                                     struct both_forms forms) {
    struct both_copies copies;
    struct near_ones ones;
    uint16_t near[STRIP / 16] = {0};
    size_t without = 0;
    ones.count = 0;
    copies.direct = both_apart(to, from, n);
    for (size_t at = 0; at < n; at += STRIP) {
        struct both_strip both = both_load(&copies, to, from, strip_at(at, n));
        size_t lanes = both.strip.lanes;
        if (lanes < STRIP)
            memset(near, 0, sizeof near);
        if (forms.first && !without && !forms.first(both.a, both.b, both.x, lanes, near)) {
            near_add(&ones, near, both.x, both.strip);
        } else {
            without = without ? without - 1 : 7;
            fill_lanes(both.a, both.x, lanes, &forms.a);
            fill_lanes(both.b, both.x, lanes, &forms.b);
        }
        both_store(to, &both);
        if (ones.count >= NEAR_ENOUGH)
            near_fill_both(&ones, to, &forms);
    }
    near_fill_both(&ones, to, &forms);
}

#endif
