/* Scaled arrays with room of their own, drawn at random, for the tests of calls on any shape. */
#ifndef DETCHECK_TESTS_DETMATH_SCALED_HELD_H
#define DETCHECK_TESTS_DETMATH_SCALED_HELD_H

#include "detmath/scaled_tensors.h"

#include "scaled.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

static uint64_t seed = 21;

enum { MOST = 4096 };

/* An array with room. */
struct held {
    uint32_t codes[MOST];
    float scales[MOST];
    size_t extents[2][DETMATH_MOST_DIMENSIONS];
    struct detmath_scaled_tensor tensor;
};

static inline size_t set(struct detmath_strided *array, size_t *extents, int dimensions,
                         const size_t *given) {
    size_t count = 1;
    array->dimensions = dimensions;
    array->extents = extents;
    for (int i = 0; i < dimensions; i++)
        count *= extents[i] = given[i];
    return count;
}

static inline void hold(struct held *held, int format, int dimensions, const size_t *data,
                        int scale_dimensions, const size_t *places_of) {
    held->tensor = (struct detmath_scaled_tensor){{.codes = held->codes, .format = format},
                                                  {.codes = held->scales, .format = DETMATH_F32},
                                                  NULL};
    size_t count = set(&held->tensor.data, held->extents[0], dimensions, data);
    size_t places = set(&held->tensor.scales, held->extents[1], scale_dimensions, places_of);
    assert_true(count <= MOST && places <= MOST);
    for (size_t i = 0; i < count; i++) {
        double value = ((double)(random_bits(&seed) >> 40) - 0x1p23) * 0x1p-22;
        code_store(held->codes, format_bytes(format_of(format)), i,
                   detmath_encode(value, detmath_formats[format]));
    }
    for (size_t i = 0; i < places; i++)
        held->scales[i] = (float)((double)(random_bits(&seed) >> 40) + 1) * 0x1p-20f;
}

#define HOLD(HELD, FORMAT, DATA, SCALES)                                                           \
    hold(HELD, FORMAT, (int)(sizeof(DATA) / sizeof *(DATA)), DATA,                                 \
         (int)(sizeof(SCALES) / sizeof *(SCALES)), SCALES)
#define EXTENTS(...) ((const size_t[]){__VA_ARGS__})

static inline struct real number(const struct held *held, size_t at) {
    const struct format *format = format_of(held->tensor.data.format);
    return format_decode(format, code_load(held->codes, format_bytes(format), at));
}

static inline struct scaled_scale scale_at(const struct held *held, size_t at) {
    return (struct scaled_scale){held->scales[at], 0, false};
}

#endif
