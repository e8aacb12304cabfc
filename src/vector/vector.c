/* Lists of tests and of what they are made of. */
#include "vector/vector.h"

#include <stdlib.h>

const char *const vector_flag_names[VECTOR_FLAGS] = {"mutant", "special", "boundary", "hard",
                                                     "worst",  "random",  "every",    "drawn"};
const char *const vector_expect_names[VECTOR_EXPECTS] = {"correctly_rounded", "det"};

/* Room for one more item of `size` bytes; the items, where they may have moved to, or NULL. */
static void *room_for_one(void *items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity)
        return items;
    size_t wanted = *capacity ? 2 * *capacity : 256;
    void *more = realloc(items, wanted * size);
    if (more)
        *capacity = wanted;
    return more;
}

bool vector_tests_add(struct vector_tests *tests, const struct vector_test *test) {
    void *items = room_for_one(tests->items, tests->count, &tests->capacity, sizeof *tests->items);
    if (!items)
        return false;
    tests->items = items;
    tests->items[tests->count++] = *test;
    return true;
}

bool vector_choices_add(struct vector_choices *choices, const struct vector_choice *choice) {
    void *items =
        room_for_one(choices->items, choices->count, &choices->capacity, sizeof *choices->items);
    if (!items)
        return false;
    choices->items = items;
    choices->items[choices->count++] = *choice;
    return true;
}

void vector_tests_free(struct vector_tests *tests) {
    for (size_t i = 0; i < tests->count; i++)
        free(tests->items[i].elements);
    free(tests->items);
    *tests = (struct vector_tests){0};
}

void vector_choices_free(struct vector_choices *choices) {
    free(choices->items);
    *choices = (struct vector_choices){0};
}

static int compare_inputs(const struct vector_choice *a, const struct vector_choice *b) {
    for (int i = 0; i < MAX_OPERANDS; i++)
        if (a->in[i] != b->in[i])
            return a->in[i] < b->in[i] ? -1 : 1;
    return 0;
}

static int by_input(const void *a, const void *b) {
    return compare_inputs(a, b);
}

/* The lowest bit set is the first flag. */
static unsigned first_flag(const struct vector_choice *test) {
    return test->flags & (~test->flags + 1);
}

static int by_flag(const void *a, const void *b) {
    const struct vector_choice *x = a, *y = b;
    unsigned p = first_flag(x), q = first_flag(y);
    if (p != q)
        return p < q ? -1 : 1;
    if (p == 1u << VECTOR_HARD && (x->distance < y->distance || x->distance > y->distance))
        return x->distance < y->distance ? -1 : 1;
    return compare_inputs(x, y);
}

void vector_choices_unite(struct vector_choices *choices, int operands) {
    size_t kept = 0;
    for (size_t i = 0; i < choices->count; i++)
        for (int j = operands; j < MAX_OPERANDS; j++)
            choices->items[i].in[j] = 0;
    if (choices->count)
        qsort(choices->items, choices->count, sizeof *choices->items, by_input);
    for (size_t i = 0; i < choices->count; i++) {
        const struct vector_choice *test = &choices->items[i];
        if (!kept || compare_inputs(test, &choices->items[kept - 1]) != 0) {
            choices->items[kept++] = *test;
            continue;
        }
        choices->items[kept - 1].flags |= test->flags;
        if (test->flags & 1u << VECTOR_HARD)
            choices->items[kept - 1].distance = test->distance;
    }
    choices->count = kept;
}

void vector_choices_arrange(struct vector_choices *choices) {
    if (choices->count)
        qsort(choices->items, choices->count, sizeof *choices->items, by_flag);
}
