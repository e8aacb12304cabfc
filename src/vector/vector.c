/* Lists of tests. */
#include "vector/vector.h"

#include <stdlib.h>

const char *const vector_flag_names[VECTOR_FLAGS] = {"special", "boundary", "hard", "worst",
                                                     "random",  "every",    "drawn"};
const char *const vector_expect_names[VECTOR_EXPECTS] = {"correctly_rounded", "det"};

bool vector_tests_add(struct vector_tests *tests, const struct vector_test *test) {
    if (tests->count == tests->capacity) {
        size_t capacity = tests->capacity ? 2 * tests->capacity : 256;
        struct vector_test *items = realloc(tests->items, capacity * sizeof *items);
        if (!items)
            return false;
        tests->items = items;
        tests->capacity = capacity;
    }
    tests->items[tests->count++] = *test;
    return true;
}

void vector_tests_free(struct vector_tests *tests) {
    for (size_t i = 0; i < tests->count; i++)
        free(tests->items[i].elements);
    free(tests->items);
    *tests = (struct vector_tests){0};
}

static int compare_inputs(const struct vector_test *a, const struct vector_test *b) {
    for (int i = 0; i < MAX_OPERANDS; i++)
        if (a->in[i] != b->in[i])
            return a->in[i] < b->in[i] ? -1 : 1;
    return 0;
}

static int by_input(const void *a, const void *b) {
    return compare_inputs(a, b);
}

/* The lowest bit set is the first flag. */
static unsigned first_flag(const struct vector_test *test) {
    return test->flags & (~test->flags + 1);
}

static int by_flag(const void *a, const void *b) {
    const struct vector_test *x = a, *y = b;
    unsigned p = first_flag(x), q = first_flag(y);
    if (p != q)
        return p < q ? -1 : 1;
    if (p == 1u << VECTOR_HARD && (x->distance < y->distance || x->distance > y->distance))
        return x->distance < y->distance ? -1 : 1;
    return compare_inputs(x, y);
}

void vector_tests_unite(struct vector_tests *tests, int operands) {
    size_t kept = 0;
    for (size_t i = 0; i < tests->count; i++)
        for (int j = operands; j < MAX_OPERANDS; j++)
            tests->items[i].in[j] = 0;
    if (tests->count)
        qsort(tests->items, tests->count, sizeof *tests->items, by_input);
    for (size_t i = 0; i < tests->count; i++) {
        const struct vector_test *test = &tests->items[i];
        if (!kept || compare_inputs(test, &tests->items[kept - 1]) != 0) {
            tests->items[kept++] = *test;
            continue;
        }
        tests->items[kept - 1].flags |= test->flags;
        if (test->flags & 1u << VECTOR_HARD)
            tests->items[kept - 1].distance = test->distance;
    }
    tests->count = kept;
}

void vector_tests_arrange(struct vector_tests *tests) {
    if (tests->count)
        qsort(tests->items, tests->count, sizeof *tests->items, by_flag);
}
