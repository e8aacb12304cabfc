/* Calls on arrays for sharing_test.c: a call is drawn as a list of arrays, which are then placed so that some
 * are one, or overlap. */
#ifndef DETCHECK_TESTS_DETMATH_SHARING_H
#define DETCHECK_TESTS_DETMATH_SHARING_H

#include "detmath/strided.h"

#include "../base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_ARRAYS = 6, MOST_NUMBERS = 8, DIMENSIONS = 5 };
/* What elements are, so that memory can be filled with some: numbers of the format, scales, integers. */
enum contents { NUMBERS, SCALES, INTEGERS };

struct array {
    struct detmath_strided at; /* codes are NULL until it is placed */
    size_t bytes;              /* of an element */
    enum contents contents;
    bool is_written;
    bool is_flat;      /* elements beside each other, in row-major order */
    bool is_forward;   /* strides are not negative */
    bool never_shared; /* an operand that no result may be in place of */
    size_t extents[DIMENSIONS];
    ptrdiff_t strides[DIMENSIONS];
};

struct call;
typedef int run_call(const struct call *call, const struct detmath_strided *at);

struct call {
    const char *name;
    run_call *run;
    int refusal;      /* what run() returns where arrays overlap, else 0; -1: it has no status */
    bool in_place;    /* a result may be an operand of its format */
    bool is_by_width; /* or of any format of its width */
    int count;
    struct array arrays[MOST_ARRAYS];
    uint64_t *random;
    int numbers[MOST_NUMBERS];
    const void *of; /* what a family needs to know of its operation */
    float *result;  /* one that is no array */
};

/* An array more. `format` is one of strided.h's, or DETMATH_POWERS; or else only tells arrays apart. */
struct array *add_array(struct call *call, bool is_written, int format, size_t bytes,
                        enum contents contents, int dimensions, const size_t *extents);
struct array *add_flat(struct call *call, bool is_written, int format, size_t bytes,
                       enum contents contents, size_t n);

static inline int draw(const struct call *call, int low, int high) {
    return random_between(call->random, low, high);
}
static inline bool chance(const struct call *call, int percent) {
    return draw(call, 1, 100) <= percent;
}
/* 0 now and then. */
size_t draw_extent(const struct call *call);

/* Families: each draws a call. */
typedef void draw_call(struct call *call);
draw_call draw_function, draw_reduction, draw_matmul, draw_cast, draw_blocks, draw_quantise,
    draw_dyadic, draw_dyadic_product, draw_dyadic_step, draw_log_sum, draw_scaled_line,
    draw_scaled_softmax, draw_scaled_each, draw_scaled_contraction, draw_scaled_along,
    draw_scaled_rebalance;

#endif
