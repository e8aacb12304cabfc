/* Arrays of one operand and two results, in chunks as chunks.h has them. */
#ifndef DETMATH_LIBRARY_BOTH_H
#define DETMATH_LIBRARY_BOTH_H

#include "chunks.h"

/* A chunk and its results where they are, or copies of them. */
struct both_chunk {
    struct chunk chunk;
    const float *x;
    float *a, *b;
    bool copied;
};
struct both_copies {
    _Alignas(64) float x[CHUNK], a[CHUNK], b[CHUNK];
    bool direct;
};

static inline bool both_apart(void *const *to, const void *from, size_t n) {
    return chunks_apart(to[0], from, n) && chunks_apart(to[1], from, n) &&
           chunks_apart(to[0], to[1], n);
}

static inline struct both_chunk both_load(struct both_copies *copies, void *const *to,
                                          const void *from, struct chunk chunk) {
    bool copied = !copies->direct || chunk.count < chunk.lanes;
    if (!copied)
        return (struct both_chunk){chunk, (const float *)from + chunk.at, (float *)to[0] + chunk.at,
                                   (float *)to[1] + chunk.at, false};
    chunk_load(copies->x, from, chunk);
    return (struct both_chunk){chunk, copies->x, copies->a, copies->b, true};
}

static inline void both_store(void *const *to, const struct both_chunk *both) {
    if (both->copied) {
        chunk_store(to[0], both->a, both->chunk);
        chunk_store(to[1], both->b, both->chunk);
    }
}

/* Doubt is for the function of one number. */
typedef detmath_u32 both_quick(float *restrict a, float *restrict b, const float *restrict x,
                               size_t lanes);

static inline void fill_both(void *const *to, const void *from, size_t n, both_quick *quick,
                             void (*full)(float, float *, float *)) {
    struct both_copies copies;
    copies.direct = both_apart(to, from, n);
    for (size_t at = 0; at < n; at += CHUNK) {
        struct both_chunk both = both_load(&copies, to, from, chunk_at(at, n));
        detmath_u32 any = quick(both.a, both.b, both.x, both.chunk.lanes);
        for (size_t i = 0; any && i < both.chunk.count; i++)
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
    struct chunk_forms a, b;
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
    uint16_t near[CHUNK / 16] = {0};
    size_t without = 0;
    ones.count = 0;
    copies.direct = both_apart(to, from, n);
    for (size_t at = 0; at < n; at += CHUNK) {
        struct both_chunk both = both_load(&copies, to, from, chunk_at(at, n));
        size_t lanes = both.chunk.lanes;
        if (lanes < CHUNK)
            memset(near, 0, sizeof near);
        if (forms.first && !without && !forms.first(both.a, both.b, both.x, lanes, near)) {
            near_add(&ones, near, both.x, both.chunk);
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
