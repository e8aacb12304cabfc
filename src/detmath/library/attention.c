/* The library's attention: which keys each query has, and where all of them lie in arrays of any strides. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"
#include "reduction_list.h"

#include <stdint.h>
#include <stdlib.h>

enum { BATCH, HEAD, PLACE, WIDTH, DIMENSIONS };
enum { Y, Q, K, V, BIAS, ARRAYS };

struct call {
    const struct detmath_strided *arrays[ARRAYS];
    struct detmath_places places[ARRAYS];
    const struct detmath_attention_options *options;
    struct detmath_attention_scoring scoring;
    struct detmath_attention_room room;
    size_t queries, keys, width, value_width, value_step;
    float *key_floats, *values, *q, *bias, *y;
    /* Queries of one first key that wait to be done. */
    struct detmath_attention_row rows[DETMATH_ATTENTION_ROWS];
    float *results[DETMATH_ATTENTION_ROWS];
    size_t numbers[DETMATH_ATTENTION_ROWS], waiting; /* their numbers among all queries */
};

/* How many pages a batch has. */
static size_t pages_of(const struct detmath_attention_options *options) {
    return options->keys / options->page + (options->keys % options->page != 0);
}

static size_t padded(size_t n, size_t to) {
    return (n / to + (n % to != 0)) * to;
}

/* n elements that lie beside each other in the order of the array. */
static void load(const struct call *call, int which, size_t first, size_t n, float *to,
                 size_t step) {
    const float *there = detmath_floats_at(&call->places[which], call->arrays[Y]->format, first);
    for (size_t i = 0; i < n; i++)
        to[i * step] = there ? there[i]
                             : detmath_float_of(call->arrays[which], call->arrays[Y]->format,
                                                detmath_place(&call->places[which], first + i));
}

/* Key j of those that are worked on, where it stands in its block, and behind the block before. */
static void load_key(const struct call *call, size_t key, size_t j) {
    const size_t block = call->width * DETMATH_ATTENTION_STEP;
    float *to = call->key_floats + j / DETMATH_KEYS * block + j % DETMATH_KEYS;
    load(call, K, key * call->width, call->width, to, DETMATH_ATTENTION_STEP);
    if (j >= DETMATH_KEYS && j % DETMATH_KEYS < DETMATH_ATTENTION_PAD)
        for (size_t d = 0; d < block; d += DETMATH_ATTENTION_STEP)
            to[d + DETMATH_KEYS - block] = to[d];
    detmath_u32 most = 0;
    for (size_t d = 0; d < block; d += DETMATH_ATTENTION_STEP) {
        const detmath_u32 size = detmath_magnitude_f32(to[d]);
        most = size > most ? size : most;
    }
    call->room.key_sizes[j] = most;
}

static void finish_rows(struct call *call) {
    detmath_reductions()->attention(&call->scoring, call->rows, call->waiting, &call->room,
                                    call->results);
    for (size_t row = 0; row < call->waiting; row++)
        for (size_t i = 0; i < call->value_width; i++)
            detmath_put_float(&call->places[Y], call->numbers[row] * call->value_width + i,
                              call->results[row][i]);
    call->waiting = 0;
}

/* The biases of the row's keys, the first of which is `first`. */
static void load_bias(struct call *call, struct detmath_attention_row *row, size_t number,
                      size_t head, size_t place, size_t first) {
    float *bias = call->bias + 2 * call->waiting * call->keys, *low = bias + call->keys, slope;
    if (call->options->bias == DETMATH_BIAS_NONE)
        return;
    row->bias = bias;
    if (call->options->bias == DETMATH_BIAS_MASK) {
        load(call, BIAS, number * call->keys + first, row->n, bias, 1);
        return;
    }
    row->bias_low = low;
    load(call, BIAS, head, 1, &slope, 1);
    for (size_t j = 0; j < row->n; j++) {
        const struct detmath_parts product = detmath_attention_alibi(
            slope, (ptrdiff_t)(first + j + call->queries) - (ptrdiff_t)(place + call->keys));
        bias[j] = product.high;
        low[j] = product.low;
    }
}

/* Query `place` of a head: it has the keys from `first` to before `last`. */
static void add_row(struct call *call, size_t number, size_t head, size_t place) {
    const struct detmath_attention_options *options = call->options;
    const ptrdiff_t keys = (ptrdiff_t)call->keys,
                    at = (ptrdiff_t)place + keys - (ptrdiff_t)call->queries,
                    window = options->window && options->window < call->keys + call->queries
                                 ? (ptrdiff_t)options->window
                                 : keys + (ptrdiff_t)call->queries;
    ptrdiff_t first = at - window + 1, last = options->causal ? at + 1 : at + window;
    first = first < 0 ? 0 : first;
    last = last > keys ? keys : last;
    last = last < first ? first : last;
    if (call->waiting == DETMATH_ATTENTION_ROWS ||
        (call->waiting && (size_t)first != call->room.first))
        finish_rows(call);
    float *q = call->q + call->waiting * call->width;
    load(call, Q, number * call->width, call->width, q, 1);
    call->room.first = (size_t)first;
    call->numbers[call->waiting] = number;
    call->results[call->waiting] = call->y + call->waiting * call->value_step;
    struct detmath_attention_row *row = &call->rows[call->waiting];
    *row = (struct detmath_attention_row){.q = q,
                                          .keys = call->key_floats,
                                          .values = call->values + (size_t)first * call->value_step,
                                          .n = (size_t)(last - first),
                                          .width = call->width,
                                          .key_step = DETMATH_ATTENTION_STEP,
                                          .value_width = call->value_width,
                                          .value_step = call->value_step};
    load_bias(call, row, number, head, place, (size_t)first);
    call->waiting++;
}

/* Where key j of a batch lies among its places. */
static size_t place_of(const struct detmath_attention_options *options, size_t batch, size_t j) {
    return options->page
               ? options->pages[batch * pages_of(options) + j / options->page] * options->page +
                     j % options->page
               : j;
}

static void run(struct call *call) {
    const size_t batches = call->arrays[Q]->extents[BATCH], heads = call->arrays[Q]->extents[HEAD],
                 groups = call->arrays[K]->extents[HEAD], places = call->arrays[K]->extents[PLACE];
    for (size_t pair = 0; pair < batches * groups; pair++) {
        for (size_t j = 0; j < call->keys; j++) {
            const size_t key = pair * places + place_of(call->options, pair / groups, j);
            load_key(call, key, j);
            load(call, V, key * call->value_width, call->value_width,
                 call->values + j * call->value_step, 1);
        }
        for (size_t i = 0; i < heads / groups * call->queries; i++) {
            const size_t head = pair % groups * (heads / groups) + i / call->queries;
            add_row(call, (pair / groups * heads + head) * call->queries + i % call->queries, head,
                    i % call->queries);
        }
        finish_rows(call);
    }
}

/* Room for a x b numbers, zeros, some beyond the end. */
static float *room_of(size_t a, size_t b) {
    return b && a > SIZE_MAX / sizeof(float) / 2 / b ? NULL : calloc(a * b + 1, sizeof(float));
}

static int prepare(struct call *call) {
    size_t blocks = call->keys / DETMATH_KEYS + 1;
    for (call->room.levels = 1; blocks; blocks /= 2)
        call->room.levels++;
    call->value_step = padded(call->value_width, DETMATH_ATTENTION_PAD);
    call->key_floats =
        room_of((call->keys / DETMATH_KEYS + 2) * call->width, DETMATH_ATTENTION_STEP);
    call->values = room_of(call->keys, call->value_step);
    call->q = room_of(DETMATH_ATTENTION_ROWS, call->width);
    call->bias = room_of(call->options->bias ? 2 * DETMATH_ATTENTION_ROWS : 1, call->keys);
    call->y = room_of(DETMATH_ATTENTION_ROWS, call->value_step);
    call->room.scores = room_of(1, call->keys);
    call->room.lows = room_of(1, call->keys);
    call->room.key_sizes = calloc(call->keys + 2 * DETMATH_KEYS, sizeof *call->room.key_sizes);
    call->room.anchors = room_of(DETMATH_ATTENTION_ROWS + 1, call->value_step);
    call->room.queries = room_of(DETMATH_ATTENTION_ROWS, call->width);
    call->room.sums =
        room_of(2 * DETMATH_ATTENTION_ROWS * (call->room.levels + 1), call->value_step);
    return call->key_floats && call->values && call->q && call->bias && call->y &&
                   call->room.scores && call->room.lows && call->room.key_sizes &&
                   call->room.anchors && call->room.queries && call->room.sums
               ? DETMATH_NO_TROUBLE
               : DETMATH_TROUBLE_MEMORY;
}

/* All keys lie in pages that are there. */
static int has_pages(const struct call *call) {
    const struct detmath_attention_options *options = call->options;
    const size_t there = options->page ? call->arrays[K]->extents[PLACE] / options->page : 0;
    if (!options->page || !options->pages)
        return !options->page;
    for (size_t i = 0; i < call->arrays[Q]->extents[BATCH] * pages_of(options); i++)
        if (options->pages[i] >= there)
            return 0;
    return 1;
}

static int check_extents(const struct call *call) {
    const struct detmath_strided *const *arrays = call->arrays, *bias = arrays[BIAS];
    const size_t *y = arrays[Y]->extents, *q = arrays[Q]->extents, *k = arrays[K]->extents,
                 *v = arrays[V]->extents;
    if (y[BATCH] != q[BATCH] || y[HEAD] != q[HEAD] || y[PLACE] != q[PLACE] ||
        k[BATCH] != q[BATCH] || k[WIDTH] != q[WIDTH] || v[BATCH] != q[BATCH] ||
        v[HEAD] != k[HEAD] || v[PLACE] != k[PLACE] || v[WIDTH] != y[WIDTH])
        return DETMATH_TROUBLE_EXTENTS;
    if (bias && call->options->bias == DETMATH_BIAS_ALIBI && bias->extents[0] != q[HEAD])
        return DETMATH_TROUBLE_EXTENTS;
    if (bias && call->options->bias == DETMATH_BIAS_MASK &&
        (bias->extents[BATCH] != q[BATCH] || bias->extents[HEAD] != q[HEAD] ||
         bias->extents[PLACE] != q[PLACE] || bias->extents[WIDTH] != call->keys))
        return DETMATH_TROUBLE_EXTENTS;
    return !k[HEAD] || q[HEAD] % k[HEAD] ? DETMATH_TROUBLE_GROUPS : DETMATH_NO_TROUBLE;
}

static int check(const struct call *call) {
    const struct detmath_strided *const *arrays = call->arrays;
    const int bias = call->options->bias;
    if (bias < DETMATH_BIAS_NONE || bias > DETMATH_BIAS_ALIBI || !arrays[BIAS] != !bias)
        return DETMATH_TROUBLE_OPTIONS;
    for (int i = Y; i < ARRAYS; i++) {
        const int trouble = arrays[i] ? detmath_check_array(arrays[i], i == Y) : 0;
        if (trouble)
            return trouble;
        if (arrays[i] &&
            arrays[i]->dimensions != (i == BIAS && bias == DETMATH_BIAS_ALIBI ? 1 : DIMENSIONS))
            return DETMATH_TROUBLE_DIMENSIONS;
    }
    const int trouble = check_extents(call);
    if (trouble)
        return trouble;
    if (!has_pages(call))
        return DETMATH_TROUBLE_OPTIONS;
    if (!detmath_has_own_places(arrays[Y]))
        return DETMATH_TROUBLE_OVERLAP;
    for (int i = Q; i < ARRAYS; i++)
        if (arrays[i] && detmath_check_overlap(arrays[Y], arrays[i], 0))
            return DETMATH_TROUBLE_OVERLAP;
    return DETMATH_NO_TROUBLE;
}

int detmath_attention(const struct detmath_strided *y, const struct detmath_strided *q,
                      const struct detmath_strided *k, const struct detmath_strided *v,
                      const struct detmath_strided *bias,
                      const struct detmath_attention_options *options) {
    struct call call = {.arrays = {y, q, k, v, bias},
                        .options = options,
                        .scoring = {options->scale, options->soft_cap}};
    if (k->dimensions == DIMENSIONS)
        call.keys = options->page ? options->keys : k->extents[PLACE];
    int trouble = check(&call);
    if (trouble)
        return trouble;
    call.queries = q->extents[PLACE];
    call.width = q->extents[WIDTH];
    call.value_width = v->extents[WIDTH];
    for (int i = Y; i < ARRAYS; i++)
        if (call.arrays[i])
            call.places[i] = detmath_places_of(call.arrays[i]);
    trouble = prepare(&call);
    if (!trouble) {
        const uint64_t set = detmath_environment_enter();
        run(&call);
        detmath_environment_leave(set);
    }
    free(call.key_floats);
    free(call.values);
    free(call.q);
    free(call.bias);
    free(call.y);
    free(call.room.scores);
    free(call.room.lows);
    free(call.room.key_sizes);
    free(call.room.anchors);
    free(call.room.queries);
    free(call.room.sums);
    return trouble;
}
