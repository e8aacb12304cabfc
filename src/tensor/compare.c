/* Comparing two tensors, a buffer of elements at a time. */
#include "tensor/compare.h"

#include "base/vector.h"
#include "base/wide.h"
#include "tensor/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOGETHER = 1 << 15 }; /* components of a buffer */

int tensor_distance_row(uint64_t distance) {
    int row = 1;
    if (!distance)
        return 0;
    for (uint64_t rest = distance - 1; rest; rest >>= 1)
        row++;
    return row;
}

const char *tensor_distance_text(int row, char text[TENSOR_DISTANCE_TEXT]) {
    const uint64_t most = row > 64 ? 0 : row ? UINT64_C(1) << (row - 1) : 0;
    const uint64_t least = row > 1 ? (UINT64_C(1) << (row - 2)) + 1 : most;
    if (row == 65)
        snprintf(text, TENSOR_DISTANCE_TEXT, "%" PRIu64 " and more", least);
    else if (least == most)
        snprintf(text, TENSOR_DISTANCE_TEXT, "%" PRIu64, most);
    else
        snprintf(text, TENSOR_DISTANCE_TEXT, "%" PRIu64 " to %" PRIu64, least, most);
    return text;
}

const char *tensor_index_text(const struct tensor *tensor, uint64_t index,
                              char text[TENSOR_INDEX_TEXT]) {
    uint64_t places[TENSOR_DIMENSIONS], left = index / tensor->type->components;
    size_t used = 0;
    for (int i = tensor->dimensions; i-- > 0; left /= tensor->extents[i])
        places[i] = left % tensor->extents[i];
    text[0] = '\0';
    for (int i = 0; i < tensor->dimensions; i++)
        used += (size_t)snprintf(text + used, TENSOR_INDEX_TEXT - used, "%s%" PRIu64 "%s",
                                 i ? ", " : "[", places[i], i + 1 == tensor->dimensions ? "]" : "");
    if (tensor->type->components > 1)
        snprintf(text + used, TENSOR_INDEX_TEXT - used, ".%s", index % 2 ? "imag" : "real");
    return text;
}

/* The place in C's order of a component that stands at `index` in Fortran's. */
static uint64_t c_index(const struct tensor *tensor, uint64_t index) {
    const uint64_t components = tensor->type->components;
    uint64_t left = index / components, place = 0, stride = tensor->count;
    for (int i = 0; i < tensor->dimensions; i++) {
        stride /= tensor->extents[i];
        place += stride * (left % tensor->extents[i]);
        left /= tensor->extents[i];
    }
    return components * place + index % components;
}

/* Keeps the pair in `kept` where it is the first there, or else where its index is lower, as those of a file in
 * Fortran's order may be. */
static void keep(const struct tensor_difference *difference, struct tensor_pair_element *kept,
                 bool is_first, uint64_t index, uint64_t a, uint64_t b) {
    const uint64_t at = difference->fortran ? c_index(difference->fortran, index) : index;
    if (is_first || at < kept->index)
        *kept = (struct tensor_pair_element){at, a, b};
}

/* One that differs. */
INLINED void count_one(struct tensor_difference *difference, uint64_t index, uint64_t a,
                       uint64_t b) {
    const bool is_first = !difference->differ++;
    if (is_first || difference->fortran)
        keep(difference, &difference->first, is_first, index, a, b);
}

/* How codes of a format are compared, out of the loop. */
struct codes_shape {
    uint64_t sign, finite; /* magnitudes above it are infinities and NaNs */
    bool is_integer;
    bool has_nan_zero; /* the code of -0 is NaN */
};

static struct codes_shape shape_of(const struct format *format) {
    struct codes_shape shape = {.sign = format->sign_bit, .finite = format->max_finite};
    shape.is_integer = format->is_integer;
    shape.has_nan_zero = format->sign_bit && !format->is_integer && !format->has_negative_zero;
    return shape;
}

/* What is no number on one side at least, or NaN on both. */
static void take_special(struct tensor_difference *difference, uint64_t index, uint64_t a,
                         uint64_t b) {
    const struct format *format = difference->format;
    const bool nan_a = format_is_nan(format, a), nan_b = format_is_nan(format, b);
    if (nan_a && nan_b) {
        difference->nans++;
        return;
    }
    if (nan_a || nan_b)
        difference->nan_in[nan_b]++;
    else
        difference->infinite++;
    count_one(difference, index, a, b);
}

/* A monotone integer for each number, in unsigned arithmetic. */
INLINED uint64_t place_of(const struct codes_shape *shape, uint64_t code) {
    /* The sign of integers counts -2^(width - 1): turned over, the order is that of unsigned ones. */
    if (shape->is_integer)
        return code ^ shape->sign;
    const uint64_t magnitude = code & (shape->sign - 1);
    return code & shape->sign && shape->sign ? shape->sign - magnitude : shape->sign + magnitude;
}

INLINED bool is_special(const struct codes_shape *shape, uint64_t code) {
    return !shape->is_integer && ((code & (shape->sign - 1)) > shape->finite ||
                                  (shape->has_nan_zero && code == shape->sign));
}

/* `count` components from `first` on; `bytes` is a constant where this is called. */
INLINED void take_codes(struct tensor_difference *difference, const struct codes_shape *shape,
                        const void *a, const void *b, size_t bytes, size_t count, uint64_t first) {
    for (size_t i = 0; i < count; i++) {
        const uint64_t x = code_load(a, bytes, i), y = code_load(b, bytes, i);
        if (x == y)
            continue;
        if (is_special(shape, x) || is_special(shape, y)) {
            take_special(difference, first + i, x, y);
            continue;
        }
        const uint64_t p = place_of(shape, x), q = place_of(shape, y);
        const uint64_t distance = p > q ? p - q : q - p;
        const unsigned row = distance < 2 ? (unsigned)distance : 65 - leading_zeros(distance - 1);
        difference->distances[row]++;
        count_one(difference, first + i, x, y);
        const bool is_larger = distance > difference->largest;
        if (is_larger || (difference->fortran && distance && distance == difference->largest))
            keep(difference, &difference->worst, is_larger, first + i, x, y);
        if (is_larger)
            difference->largest = distance;
    }
}

static void take_bits(struct tensor_difference *difference, const char *a, const char *b,
                      size_t bytes, size_t count, uint64_t first) {
    for (size_t i = 0; i < count; i++) {
        const uint64_t x = code_load(a, bytes, i), y = code_load(b, bytes, i);
        if (x != y)
            count_one(difference, first + i, x, y);
    }
}

static void take(struct tensor_difference *difference, const void *a, const void *b, size_t bytes,
                 size_t count, uint64_t first) {
    difference->elements += count;
    if (memcmp(a, b, bytes * count) == 0)
        return;
    if (!difference->format) {
        take_bits(difference, a, b, bytes, count, first);
        return;
    }
    const struct codes_shape shape = shape_of(difference->format);
    switch (bytes) {
    case 1:
        take_codes(difference, &shape, a, b, 1, count, first);
        return;
    case 2:
        take_codes(difference, &shape, a, b, 2, count, first);
        return;
    case 4:
        take_codes(difference, &shape, a, b, 4, count, first);
        return;
    default:
        take_codes(difference, &shape, a, b, 8, count, first);
    }
}

/* What one side reads, and what it is made into. */
struct side {
    struct tensor_stream stream;
    void *codes;                /* of TOGETHER components of up to 8 bytes */
    const struct format *wider; /* to be rounded to the format of the comparison, or NULL */
};

static bool read_side(struct side *side, const struct format *format, size_t count,
                      struct error *error) {
    if (!tensor_stream_read(&side->stream, side->codes, count, error))
        return false;
    if (!side->wider)
        return true;
    /* From the first on: what is written is never longer than what was read. */
    const size_t from = format_bytes(side->wider), to = format_bytes(format);
    for (size_t i = 0; i < count; i++) {
        const struct real value = format_decode(side->wider, code_load(side->codes, from, i));
        code_store(side->codes, to, i,
                   format_encode(format, &value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    }
    return true;
}

static bool compare_sides(struct side sides[2], const volatile sig_atomic_t *stop,
                          struct tensor_difference *difference, struct error *error) {
    const uint64_t all = tensor_components(sides[0].stream.tensor);
    const size_t bytes = difference->format ? format_bytes(difference->format)
                                            : tensor_component_bytes(sides[0].stream.tensor->type);
    for (uint64_t done = 0; done < all;) {
        const size_t count = all - done < TOGETHER ? (size_t)(all - done) : TOGETHER;
        if (stop && *stop)
            return error_set(error, "interrupted");
        for (int i = 0; i < 2; i++)
            if (!read_side(&sides[i], difference->format, count, error))
                return false;
        take(difference, sides[0].codes, sides[1].codes, bytes, count, done);
        done += count;
    }
    return true;
}

/* The format in which two types are compared: that of both, or the narrower one. False where there is none. */
static bool settle_formats(struct side sides[2], const struct tensor_type *a,
                           const struct tensor_type *b, struct tensor_difference *difference) {
    difference->format = a->format;
    if (a->components != b->components)
        return false;
    if (a->format == b->format)
        return a->format || a->bytes == b->bytes;
    if (!a->format || !b->format || a->format->is_integer || b->format->is_integer)
        return false;
    const int wider = format_is_within(b->format, a->format) ? 0 : 1;
    if (wider && !format_is_within(a->format, b->format))
        return false;
    sides[wider].wider = difference->rounded = wider ? b->format : a->format;
    difference->format = wider ? a->format : b->format;
    return true;
}

bool tensor_compare(const struct tensor_file *file_a, const struct tensor *a,
                    const struct tensor_file *file_b, const struct tensor *b,
                    const volatile sig_atomic_t *stop, struct tensor_difference *difference,
                    enum tensor_mismatch *mismatch, struct error *error) {
    struct side sides[2] = {{.codes = NULL}, {.codes = NULL}};
    *difference = (struct tensor_difference){0};
    *mismatch = !tensor_same_shape(a, b)                               ? TENSOR_OTHER_SHAPE
                : !settle_formats(sides, a->type, b->type, difference) ? TENSOR_OTHER_TYPE
                                                                       : TENSOR_COMPARED;
    if (*mismatch != TENSOR_COMPARED)
        return true;
    /* Where both have Fortran's order, elements pair in the order of the files, which is quicker. */
    const bool in_c_order = a->is_fortran != b->is_fortran;
    difference->fortran = a->is_fortran && b->is_fortran ? a : NULL;
    bool good = true;
    for (int i = 0; i < 2; i++) {
        sides[i].codes = malloc(8 * (size_t)TOGETHER);
        good = (sides[i].codes || error_set(error, "out of memory")) &&
               tensor_stream_open(&sides[i].stream, i ? file_b : file_a, i ? b : a, in_c_order,
                                  error) &&
               good;
    }
    good = good && compare_sides(sides, stop, difference, error);
    for (int i = 0; i < 2; i++) {
        tensor_stream_close(&sides[i].stream);
        free(sides[i].codes);
    }
    return good;
}
