/* The library's embedding bags and their gradients, of arrays of any strides. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"

#include <stdlib.h>

/* `by_bag` is y or g: a line for each bag; `rows` is the table or its gradient. */
struct call {
    struct detmath_places by_bag, rows, weights;
    const struct detmath_bags *bags;
    size_t all, most, width; /* bags, and rows of the table */
    int which, cast;
};

static float element_of(const struct call *call, const struct detmath_places *places,
                        size_t number) {
    return detmath_float_of(places->array, call->cast, detmath_place(places, number));
}

static int is_padding(const struct detmath_bags *bags, size_t at) {
    return bags->padding && bags->indices[at] == *bags->padding;
}

static size_t start_of(const struct call *call, size_t bag) {
    return bag == call->all      ? call->bags->count
           : call->bags->offsets ? (size_t)call->bags->offsets[bag]
                                 : call->bags->count / call->all * bag;
}

/* How many rows a bag has; *is_bad: it has what is none. */
static size_t rows_of(const struct call *call, size_t bag, int *is_bad) {
    size_t counted = 0;
    *is_bad = 0;
    for (size_t at = start_of(call, bag); at < start_of(call, bag + 1); at++) {
        const int64_t row = call->bags->indices[at];
        *is_bad |= !is_padding(call->bags, at) && (row < 0 || (uint64_t)row >= call->most);
        counted += !is_padding(call->bags, at);
    }
    return counted;
}

static void run_bag(const struct call *call, size_t bag) {
    const struct detmath_bags *bags = call->bags;
    int is_bad;
    (void)rows_of(call, bag, &is_bad);
    for (size_t column = 0; column < call->width; column++) {
        struct detmath_pool pool = detmath_pool_of_none();
        for (size_t at = start_of(call, bag); !is_bad && at < start_of(call, bag + 1); at++)
            if (!is_padding(bags, at))
                pool = detmath_pool_add(
                    pool,
                    element_of(call, &call->rows, (size_t)bags->indices[at] * call->width + column),
                    bags->weights ? element_of(call, &call->weights, at) : 1.0f,
                    bags->weights != NULL, call->which);
        detmath_put_float(&call->by_bag, bag * call->width + column,
                          is_bad ? detmath_from_bits_f32(DETMATH_NAN_BITS)
                                 : detmath_pool_rounded(pool, pool.count, call->which));
    }
}

/* An index of a row, and its bag. */
struct use {
    size_t at, bag, counted;
    int is_bad;
};

/* The gradient of a row of the table. */
static void run_row(const struct call *call, size_t row, const struct use *uses, size_t count) {
    int is_bad = 0;
    for (size_t i = 0; i < count; i++)
        is_bad |= uses[i].is_bad;
    for (size_t column = 0; column < call->width; column++) {
        struct detmath_pool pool = detmath_pool_of_none();
        for (size_t i = 0; !is_bad && i < count; i++) {
            const float g = element_of(call, &call->by_bag, uses[i].bag * call->width + column);
            pool = call->which == DETMATH_POOL_MEAN
                       ? detmath_pool_add_share(pool, g, uses[i].counted)
                       : detmath_pool_add(pool, g,
                                          call->bags->weights
                                              ? element_of(call, &call->weights, uses[i].at)
                                              : 1.0f,
                                          call->bags->weights != NULL, call->which);
        }
        detmath_put_float(&call->rows, row * call->width + column,
                          is_bad ? detmath_from_bits_f32(DETMATH_NAN_BITS)
                                 : detmath_pool_rounded(pool, 1, DETMATH_POOL_SUM));
    }
}

/* Indices by their rows, those of a row in their order: `starts` has one more number than there are rows. */
static void sort_uses(const struct call *call, struct use *uses, size_t *starts) {
    const struct detmath_bags *bags = call->bags;
    for (size_t row = 0; row <= call->most; row++)
        starts[row] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t bag = 0; bag < call->all; bag++) {
            struct use use = {.bag = bag};
            use.counted = rows_of(call, bag, &use.is_bad);
            for (size_t at = start_of(call, bag); at < start_of(call, bag + 1); at++) {
                const int64_t row = bags->indices[at];
                use.at = at;
                if (is_padding(bags, at) || row < 0 || (uint64_t)row >= call->most)
                    continue;
                if (pass == 0)
                    starts[row]++;
                else
                    uses[starts[row]++] = use;
            }
        }
        /* where each row begins; after the second pass it is where it ends */
        for (size_t row = 0, sum = 0; pass == 0 && row <= call->most; row++) {
            const size_t own = starts[row];
            starts[row] = sum;
            sum += own;
        }
    }
}

static void run_weights(const struct call *call, size_t bag) {
    int is_bad;
    (void)rows_of(call, bag, &is_bad);
    for (size_t at = start_of(call, bag); at < start_of(call, bag + 1); at++) {
        struct detmath_pool pool = detmath_pool_of_none();
        for (size_t column = 0; !is_bad && !is_padding(call->bags, at) && column < call->width;
             column++)
            pool = detmath_pool_add(
                pool,
                element_of(call, &call->rows,
                           (size_t)call->bags->indices[at] * call->width + column),
                element_of(call, &call->by_bag, bag * call->width + column), 1, DETMATH_POOL_SUM);
        detmath_put_float(&call->weights, at,
                          is_bad && !is_padding(call->bags, at)
                              ? detmath_from_bits_f32(DETMATH_NAN_BITS)
                              : detmath_pool_rounded(pool, 1, DETMATH_POOL_SUM));
    }
}

static int check_bags(const struct detmath_bags *bags, size_t all,
                      const struct detmath_strided *weights) {
    size_t count = 1;
    for (int i = 0; weights && i < weights->dimensions; i++)
        count *= weights->extents[i];
    if ((weights && count != bags->count) ||
        (!bags->offsets && (all ? bags->count % all : bags->count)))
        return DETMATH_TROUBLE_EXTENTS;
    for (size_t bag = 0; bags->offsets && bag < all; bag++)
        if (bags->offsets[bag] < (bag ? bags->offsets[bag - 1] : 0) ||
            (uint64_t)bags->offsets[bag] > bags->count)
            return DETMATH_TROUBLE_OFFSETS;
    return bags->offsets && all && bags->offsets[0] ? DETMATH_TROUBLE_OFFSETS : DETMATH_NO_TROUBLE;
}

/* Sets up a call; `result` is one of the arrays. */
static int open_call(struct call *call, int which, const struct detmath_strided *by_bag,
                     const struct detmath_strided *rows, const struct detmath_strided *weights,
                     const struct detmath_bags *bags, const struct detmath_strided *result) {
    const struct detmath_strided *const arrays[] = {by_bag, rows, weights};
    int trouble = DETMATH_NO_TROUBLE;
    for (int i = 0; !trouble && i < 3; i++)
        trouble = arrays[i] ? detmath_check_array(arrays[i], arrays[i] == result) : trouble;
    if (trouble)
        return trouble;
    if (by_bag->dimensions != 2 || rows->dimensions != 2)
        return DETMATH_TROUBLE_DIMENSIONS;
    if (which < DETMATH_POOL_SUM || which > DETMATH_POOL_MAX ||
        (weights && which != DETMATH_POOL_SUM))
        return DETMATH_TROUBLE_OPTIONS;
    if (by_bag->extents[1] != rows->extents[1])
        return DETMATH_TROUBLE_EXTENTS;
    trouble = check_bags(bags, by_bag->extents[0], weights);
    if (!trouble && !detmath_has_own_places(result))
        trouble = DETMATH_TROUBLE_OVERLAP;
    for (int i = 0; !trouble && i < 3; i++)
        trouble = arrays[i] && arrays[i] != result ? detmath_check_overlap(result, arrays[i], 0)
                                                   : trouble;
    *call = (struct call){.by_bag = detmath_places_of(by_bag),
                          .rows = detmath_places_of(rows),
                          .bags = bags,
                          .all = by_bag->extents[0],
                          .most = rows->extents[0],
                          .width = rows->extents[1],
                          .which = which,
                          .cast = result->format};
    if (weights)
        call->weights = detmath_places_of(weights);
    return trouble;
}

int detmath_embedding_bag(enum detmath_pooling which, const struct detmath_strided *y,
                          const struct detmath_strided *table, const struct detmath_bags *bags) {
    struct call call;
    const int trouble = open_call(&call, (int)which, y, table, bags->weights, bags, y);
    if (trouble)
        return trouble;
    const uint64_t set = detmath_environment_enter();
    for (size_t bag = 0; bag < call.all; bag++)
        run_bag(&call, bag);
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

int detmath_embedding_bag_gradient(enum detmath_pooling which, const struct detmath_strided *dtable,
                                   const struct detmath_strided *g,
                                   const struct detmath_bags *bags) {
    struct call call;
    int trouble = which == DETMATH_POOL_MAX ? DETMATH_TROUBLE_OPTIONS : DETMATH_NO_TROUBLE;
    trouble =
        trouble ? trouble : open_call(&call, (int)which, g, dtable, bags->weights, bags, dtable);
    if (trouble)
        return trouble;
    struct use *uses = malloc((bags->count + 1) * sizeof *uses);
    size_t *starts = malloc((call.most + 1) * sizeof *starts);
    if (uses && starts) {
        const uint64_t set = detmath_environment_enter();
        sort_uses(&call, uses, starts);
        for (size_t row = 0; row < call.most; row++) {
            const size_t first = row ? starts[row - 1] : 0;
            run_row(&call, row, uses + first, starts[row] - first);
        }
        detmath_environment_leave(set);
    }
    trouble = uses && starts ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_MEMORY;
    free(uses);
    free(starts);
    return trouble;
}

int detmath_embedding_bag_weight_gradient(const struct detmath_strided *dweights,
                                          const struct detmath_strided *table,
                                          const struct detmath_strided *g,
                                          const struct detmath_bags *bags) {
    struct call call;
    const int trouble = open_call(&call, DETMATH_POOL_SUM, g, table, dweights, bags, dweights);
    if (trouble)
        return trouble;
    const uint64_t set = detmath_environment_enter();
    for (size_t bag = 0; bag < call.all; bag++)
        run_weights(&call, bag);
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}
