/* The inputs of a sweep of an operation on arrays: calls drawn from a family, for each of a few
 * shapes. They are numbered shape by shape; a call is made again from its number alone. */
#ifndef DETCHECK_SWEEP_ARRAY_CASES_H
#define DETCHECK_SWEEP_ARRAY_CASES_H

#include "op/operation.h"

enum { MOST_SHAPES = 32 };

struct cases {
    const struct array_family *family;
    struct shape shapes[MOST_SHAPES];
    size_t shape_count;
    uint64_t draws; /* of each shape */
    uint64_t seed;
    struct own_calls *own; /* calls that were given and are not drawn: what the family draws from */
    bool shaped;           /* they are arrays with that shape, which no option gives */
};

/* The family that --distribution names, the shape that --shape gives or those of the row; `draws`
 * calls of each, unless the family has a number of its own. All are checked. */
bool cases_make(struct cases *cases, const struct operation *operation, const struct format *format,
                const struct parameters *parameters, uint64_t draws, uint64_t seed,
                struct error *error);

/* Calls of one's own, one after the other: the elements of all operands of each, codes from malloc, which
 * are taken over. `planned` has the shapes of all. cases_free when done. */
bool cases_take(struct cases *cases, const struct array_call *planned, const struct shape *shape,
                int operands, uint64_t *codes, uint64_t draws, struct error *error);
void cases_free(struct cases *cases);

/* All codes of calls of one's own; NULL where calls are drawn. */
const uint64_t *cases_codes(const struct cases *cases, uint64_t *count);

static inline uint64_t cases_count(const struct cases *cases) {
    return cases->shape_count * cases->draws;
}

static inline const struct shape *case_shape(const struct cases *cases, uint64_t number) {
    return &cases->shapes[number / cases->draws];
}

static inline uint64_t case_draw(const struct cases *cases, uint64_t number) {
    return number % cases->draws;
}

/* Plans, allocates and draws that call; array_call_free when done. */
bool case_open(struct array_call *call, const struct cases *cases, uint64_t number,
               const struct operation *operation, const struct format *format, struct error *error);

#endif
