/* Digests of tensors whose elements lie in any order: beside those of a copy in C's order, element by element. The memory
 * ends with the last element, so that AddressSanitizer sees what is read beyond it. */
#include "tensor/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../base/random.h"

enum { RANK = 5, WIDEST = 40000 };

static uint64_t seed = 5;

struct layout {
    size_t width, rank, count;
    int64_t shape[RANK], strides[RANK]; /* strides: in elements */
    size_t span, first; /* in elements: of the memory, and where element 0, 0, ... is */
};

static void extend(struct layout *layout, int64_t extent) {
    layout->shape[layout->rank++] = extent;
    layout->count *= (size_t)extent;
}

/* Gives the extents strides in an order that is drawn, some with gaps and some backwards. */
static void draw_strides(struct layout *layout) {
    bool has_stride[RANK] = {false};
    int64_t stride = 1, last = 0, below = 0;
    for (size_t turn = 0; turn < layout->rank; turn++) {
        size_t at = (size_t)random_between(&seed, 0, (int)layout->rank - 1);
        while (has_stride[at])
            at = (at + 1) % layout->rank;
        has_stride[at] = true;
        if (random_between(&seed, 0, 3) == 0)
            stride *= 2;
        layout->strides[at] = random_between(&seed, 0, 5) == 0 ? -stride : stride;
        *(layout->strides[at] < 0 ? &below : &last) += stride * (layout->shape[at] - 1);
        stride *= layout->shape[at];
        if (layout->shape[at] == 1 && random_between(&seed, 0, 1))
            layout->strides[at] = INT64_MAX - 5;
    }
    layout->span = (size_t)(last + below) + 1;
    layout->first = (size_t)below;
}

/* The elements in C's order. */
static char *copy_of(const struct layout *layout, const char *elements) {
    char *copy = malloc(layout->count * layout->width + 1);
    assert_non_null(copy);
    for (size_t at = 0; at < layout->count; at++) {
        int64_t from = 0, rest = (int64_t)at;
        for (size_t k = layout->rank; k-- > 0; rest /= layout->shape[k])
            if (layout->shape[k] > 1)
                from += rest % layout->shape[k] * layout->strides[k];
        memcpy(copy + at * layout->width, elements + from * (int64_t)layout->width, layout->width);
    }
    return copy;
}

static void check(const struct tensor_type *type, const struct layout *layout) {
    const size_t bytes = layout->span * layout->width;
    char *memory = malloc(bytes);
    assert_non_null(memory);
    const bool is_sparse = random_between(&seed, 0, 1); /* NaNs are rare, or begin late */
    for (size_t at = 0; at < bytes; at++)
        memory[at] = (char)(is_sparse && at % 4096 > 8 ? 1 : random_bits(&seed) >> 56);
    const char *elements = memory + layout->first * layout->width;
    char *copy = copy_of(layout, elements);
    struct tensor_digest digest, canonical, expected, expected_canonical;
    assert_true(
        tensor_digest(type, copy, layout->count * layout->width, &expected, &expected_canonical));
    assert_true(tensor_digest_view(type, elements, layout->width, layout->rank, layout->shape,
                                   layout->strides, &digest, &canonical));
    assert_true(digest.high == expected.high && digest.low == expected.low);
    assert_true(canonical.high == expected_canonical.high &&
                canonical.low == expected_canonical.low);
    free(copy);
    free(memory);
}

static const char *const types[] = {"int8", "bf16", "fp32", "fp64", "complex64", "complex128"};
enum { TYPES = sizeof types / sizeof *types };

static const struct tensor_type *type_at(int at, struct layout *layout) {
    const struct tensor_type *type = tensor_type_named(types[at]);
    assert_non_null(type);
    *layout = (struct layout){.width = type->bytes, .count = 1};
    return type;
}

static void test_drawn_layouts(void **context) {
    (void)context;
    for (int turn = 0; turn < 1200; turn++) {
        struct layout layout;
        const struct tensor_type *type = type_at(turn % TYPES, &layout);
        for (int rank = random_between(&seed, 0, RANK); rank; rank--)
            extend(&layout, random_between(&seed, 1, rank > 3 ? 4 : 17));
        draw_strides(&layout);
        check(type, &layout);
    }
}

/* Columns one behind another: of more rows than one strip, of more columns than one, and so wide that a strip is short. */
static void test_matrices_by_columns(void **context) {
    static const int64_t shapes[][2] = {{2, 3},    {64, 16},  {65, 17},   {129, 100},
                                        {700, 33}, {40, 700}, {3, 20000}, {70, 9000}};
    (void)context;
    for (int turn = 0; turn < (int)(sizeof shapes / sizeof *shapes) * TYPES; turn++) {
        struct layout layout;
        const struct tensor_type *type = type_at(turn % TYPES, &layout);
        const int64_t *shape = shapes[turn / TYPES];
        extend(&layout, shape[0]);
        extend(&layout, shape[1]);
        layout.strides[0] = 1;
        layout.strides[1] = shape[0] + turn % 2;
        layout.span = (size_t)((shape[1] - 1) * layout.strides[1] + shape[0]);
        check(type, &layout);
    }
}

/* Elements of no type that detcheck knows, among them such as are larger than what is gathered at once. */
static void test_elements_of_any_width(void **context) {
    static const size_t widths[] = {3, 24, 64, 65, 2048, 2049, WIDEST};
    (void)context;
    for (size_t turn = 0; turn < 4 * sizeof widths / sizeof *widths; turn++) {
        struct layout layout = {.width = widths[turn / 4], .count = 1};
        extend(&layout, random_between(&seed, 1, 6));
        extend(&layout, random_between(&seed, 1, 6));
        draw_strides(&layout);
        check(NULL, &layout);
    }
}

static void test_no_elements(void **context) {
    struct tensor_digest digest, canonical, expected;
    const int64_t shape[] = {INT64_MAX, 0, 3}, strides[] = {3, INT64_MAX, 1};
    const struct tensor_type *type = tensor_type_named("fp32");
    (void)context;
    assert_true(tensor_digest(type, "", 0, &expected, &canonical));
    assert_true(tensor_digest_view(type, "", 4, 3, shape, strides, &digest, &canonical));
    assert_true(digest.high == expected.high && digest.low == expected.low);
    assert_true(canonical.high == expected.high && canonical.low == expected.low);
}

static void test_more_extents_than_there_may_be(void **context) {
    int64_t shape[65], strides[65];
    struct tensor_digest digest, canonical;
    (void)context;
    for (int at = 0; at < 65; at++)
        shape[at] = strides[at] = 1;
    assert_true(tensor_digest_view(NULL, "x", 1, 64, shape, strides, &digest, &canonical));
    assert_false(tensor_digest_view(NULL, "x", 1, 65, shape, strides, &digest, &canonical));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn_layouts),
        cmocka_unit_test(test_matrices_by_columns),
        cmocka_unit_test(test_elements_of_any_width),
        cmocka_unit_test(test_no_elements),
        cmocka_unit_test(test_more_extents_than_there_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
