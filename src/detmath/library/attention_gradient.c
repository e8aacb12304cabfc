/* The library's gradients of attention, of arrays of any strides: the heads that share the keys of one group, one after the other. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"
#include "reduction_list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH, HEAD, PLACE, WIDTH, DIMENSIONS };
enum { DQ, DK, DV, Q, K, V, G, BIAS, ARRAYS };

struct call {
    const struct detmath_strided *arrays[ARRAYS];
    struct detmath_places places[ARRAYS];
    const struct detmath_attention_options *options;
    struct detmath_attention_scoring scoring;
    size_t heads, groups, queries, keys, width, value_width, rows; /* queries of a group */
    float *q, *g, *bias;
    struct detmath_attention_gradient_room room;
};

static void load(const struct call *call, int which, size_t first, size_t n, float *to) {
    for (size_t i = 0; i < n; i++)
        to[i] = detmath_float_of(call->arrays[which], call->arrays[DQ]->format,
                                 detmath_place(&call->places[which], first + i));
}

static void store(const struct call *call, int which, size_t first, size_t n, const float *sum,
                  const float *low) {
    for (size_t i = 0; i < n; i++)
        detmath_put_float(
            &call->places[which], first + i,
            detmath_attention_gathered(sum[i], low[i], which == DV ? 1.0f : call->scoring.scale));
}

/* The keys that a query has. */
static void keys_of(const struct call *call, size_t place, size_t *first, size_t *last) {
    const ptrdiff_t keys = (ptrdiff_t)call->keys, queries = (ptrdiff_t)call->queries,
                    at = (ptrdiff_t)place + keys - queries,
                    window =
                        call->options->window && call->options->window < call->keys + call->queries
                            ? (ptrdiff_t)call->options->window
                            : keys + queries;
    ptrdiff_t from = at - window + 1, to = call->options->causal ? at + 1 : at + window;
    from = from < 0 ? 0 : from;
    to = to > keys ? keys : to;
    *first = (size_t)from;
    *last = (size_t)(to < from ? from : to);
}

/* The biases of the keys of query number `number` of all. */
static void load_bias(const struct call *call, size_t number, size_t first, size_t last) {
    const size_t place = number % call->queries;
    float slope;
    if (call->options->bias == DETMATH_BIAS_MASK)
        load(call, BIAS, number * call->keys + first, last - first, call->bias + first);
    if (call->options->bias != DETMATH_BIAS_ALIBI)
        return;
    load(call, BIAS, number / call->queries % call->heads, 1, &slope);
    for (size_t j = first; j < last; j++) {
        const struct detmath_parts product = detmath_attention_alibi(
            slope, (ptrdiff_t)(j + call->queries) - (ptrdiff_t)(place + call->keys));
        call->bias[j] = product.high;
        call->bias[call->keys + j] = product.low;
    }
}

/* Row number `row` of a group; there are `rows` before it in all. */
static void run_query(const struct call *call, size_t rows, size_t row) {
    const int bias = call->options->bias;
    struct detmath_attention_gradient_query query = {
        .q = call->q + row * call->width,
        .g = call->g + row * call->value_width,
        .bias = bias ? call->bias : NULL,
        .bias_low = bias == DETMATH_BIAS_ALIBI ? call->bias + call->keys : NULL};
    keys_of(call, row % call->queries, &query.first, &query.last);
    load_bias(call, rows + row, query.first, query.last);
    detmath_reductions()->attention_gradient(&call->scoring, &query, &call->room);
    store(call, DQ, (rows + row) * call->width, call->width, call->room.dq, call->room.dq_low);
}

/* Lines of keys or values in blocks. */
static void lay_lines(const struct detmath_attention_lines *lines, const float *from, size_t n) {
    for (size_t j = 0; j < n; j++) {
        float *to =
            lines->blocks + j / DETMATH_KEYS * lines->width * DETMATH_KEYS + j % DETMATH_KEYS;
        lines->sizes[j] = 0;
        for (size_t d = 0; d < lines->width; d++) {
            const float x = from[j * lines->width + d];
            const detmath_u32 size = detmath_magnitude_f32(x);
            to[d * DETMATH_KEYS] = x;
            lines->sizes[j] = size > lines->sizes[j] ? size : lines->sizes[j];
        }
    }
}

static void run(const struct call *call, size_t batches) {
    const struct detmath_attention_gradient_room *room = &call->room;
    const size_t width = call->width, value_width = call->value_width, keys = call->keys;
    for (size_t group = 0; group < batches * call->groups; group++) {
        const size_t rows = group * call->rows, first = group * keys;
        load(call, Q, rows * width, call->rows * width, call->q);
        load(call, G, rows * value_width, call->rows * value_width, call->g);
        load(call, K, first * width, keys * width, room->keys);
        load(call, V, first * value_width, keys * value_width, room->values);
        lay_lines(&room->key_lines, room->keys, keys);
        lay_lines(&room->value_lines, room->values, keys);
        memset(room->dk, 0, keys * width * sizeof *room->dk);
        memset(room->dk_low, 0, keys * width * sizeof *room->dk);
        memset(room->dv, 0, keys * value_width * sizeof *room->dv);
        memset(room->dv_low, 0, keys * value_width * sizeof *room->dv);
        memset(room->counts, 0, keys * sizeof *room->counts);
        for (size_t row = 0; row < call->rows; row++)
            run_query(call, rows, row);
        store(call, DK, first * width, keys * width, room->dk, room->dk_low);
        store(call, DV, first * value_width, keys * value_width, room->dv, room->dv_low);
    }
}

static int are_equal(const struct detmath_strided *a, const struct detmath_strided *b) {
    int equal = 1;
    for (int i = 0; i < DIMENSIONS; i++)
        equal = equal && a->extents[i] == b->extents[i];
    return equal;
}

static int check_extents(const struct call *call) {
    const struct detmath_strided *const *arrays = call->arrays, *bias = arrays[BIAS];
    const size_t *q = arrays[Q]->extents, *k = arrays[K]->extents, *v = arrays[V]->extents,
                 *g = arrays[G]->extents;
    if (!are_equal(arrays[DQ], arrays[Q]) || !are_equal(arrays[DK], arrays[K]) ||
        !are_equal(arrays[DV], arrays[V]) || g[BATCH] != q[BATCH] || g[HEAD] != q[HEAD] ||
        g[PLACE] != q[PLACE] || g[WIDTH] != v[WIDTH] || k[BATCH] != q[BATCH] ||
        k[WIDTH] != q[WIDTH] || v[BATCH] != q[BATCH] || v[HEAD] != k[HEAD] || v[PLACE] != k[PLACE])
        return DETMATH_TROUBLE_EXTENTS;
    if (bias && (call->options->bias == DETMATH_BIAS_ALIBI
                     ? bias->extents[0] != q[HEAD]
                     : bias->extents[BATCH] != q[BATCH] || bias->extents[HEAD] != q[HEAD] ||
                           bias->extents[PLACE] != q[PLACE] || bias->extents[WIDTH] != k[PLACE]))
        return DETMATH_TROUBLE_EXTENTS;
    return !k[HEAD] || q[HEAD] % k[HEAD] ? DETMATH_TROUBLE_GROUPS : DETMATH_NO_TROUBLE;
}

static int check(const struct call *call) {
    const struct detmath_strided *const *arrays = call->arrays;
    const int bias = call->options->bias;
    if (bias < DETMATH_BIAS_NONE || bias > DETMATH_BIAS_ALIBI || !arrays[BIAS] != !bias ||
        call->options->page)
        return DETMATH_TROUBLE_OPTIONS;
    for (int i = DQ; i < ARRAYS; i++) {
        const int trouble = arrays[i] ? detmath_check_array(arrays[i], i <= DV) : 0;
        if (trouble)
            return trouble;
        if (i <= DV && arrays[i]->format != arrays[DQ]->format)
            return DETMATH_TROUBLE_FORMAT;
        if (arrays[i] &&
            arrays[i]->dimensions != (i == BIAS && bias == DETMATH_BIAS_ALIBI ? 1 : DIMENSIONS))
            return DETMATH_TROUBLE_DIMENSIONS;
    }
    int trouble = check_extents(call);
    for (int i = DQ; i <= DV && !trouble; i++) {
        trouble = detmath_has_own_places(arrays[i]) ? trouble : DETMATH_TROUBLE_OVERLAP;
        for (int k = DQ; k < ARRAYS && !trouble; k++)
            trouble =
                k != i && arrays[k] ? detmath_check_overlap(arrays[i], arrays[k], 0) : trouble;
    }
    return trouble;
}

/* Room for n x each numbers, zeros. */
static float *room_of(size_t n, size_t each) {
    const size_t most = SIZE_MAX / sizeof(float) / 2;
    return each && n > most / each ? NULL : calloc(n * each + 1, sizeof(float));
}

/* All rooms of a call, by which they are made and freed. */
enum { ROOMS = 19 };
static void list_rooms(struct call *call, float **rooms[ROOMS], size_t n[ROOMS],
                       size_t each[ROOMS]) {
    struct detmath_attention_gradient_room *room = &call->room;
    struct detmath_attention_slopes *slopes = &room->slopes;
    const size_t keys = call->keys, rows = call->rows, padded = keys + DETMATH_KEYS,
                 width = call->width, value_width = call->value_width;
    const struct {
        float **room;
        size_t n, each;
    } all[ROOMS] = {{&call->q, rows, width},
                    {&call->g, rows, value_width},
                    {&call->bias, keys, 2},
                    {&room->keys, keys, width},
                    {&room->values, keys, value_width},
                    {&room->key_lines.blocks, padded, width},
                    {&room->value_lines.blocks, padded, value_width},
                    {&room->dq, 1, width},
                    {&room->dq_low, 1, width},
                    {&room->dk, keys, width},
                    {&room->dk_low, keys, width},
                    {&room->dv, keys, value_width},
                    {&room->dv_low, keys, value_width},
                    {&slopes->s, padded, 1},
                    {&slopes->s_low, padded, 1},
                    {&slopes->d, padded, 1},
                    {&slopes->d_low, padded, 1},
                    {&slopes->slope, padded, 1},
                    {&slopes->slope_low, padded, 1}};
    for (int i = 0; i < ROOMS; i++) {
        rooms[i] = all[i].room;
        n[i] = all[i].n;
        each[i] = all[i].each;
    }
}

static int run_in_room(struct call *call, size_t batches) {
    struct detmath_attention_gradient_room *room = &call->room;
    float **rooms[ROOMS];
    size_t n[ROOMS], each[ROOMS];
    int good;
    list_rooms(call, rooms, n, each);
    room->key_lines.sizes = calloc(call->keys + DETMATH_KEYS, sizeof *room->key_lines.sizes);
    room->value_lines.sizes = calloc(call->keys + DETMATH_KEYS, sizeof *room->value_lines.sizes);
    room->counts = calloc(call->keys + 1, sizeof *room->counts);
    good = room->key_lines.sizes && room->value_lines.sizes && room->counts;
    for (int i = 0; i < ROOMS; i++)
        good = (*rooms[i] = room_of(n[i], each[i])) && good;
    if (good) {
        const uint64_t set = detmath_environment_enter();
        run(call, batches);
        detmath_environment_leave(set);
    }
    for (int i = 0; i < ROOMS; i++)
        free(*rooms[i]);
    free(room->key_lines.sizes);
    free(room->value_lines.sizes);
    free(room->counts);
    return good ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_MEMORY;
}

int detmath_attention_gradient(const struct detmath_strided *dq, const struct detmath_strided *dk,
                               const struct detmath_strided *dv, const struct detmath_strided *q,
                               const struct detmath_strided *k, const struct detmath_strided *v,
                               const struct detmath_strided *g, const struct detmath_strided *bias,
                               const struct detmath_attention_options *options) {
    struct call call = {.arrays = {dq, dk, dv, q, k, v, g, bias},
                        .options = options,
                        .scoring = {options->scale, options->soft_cap}};
    const int trouble = check(&call);
    if (trouble)
        return trouble;
    for (int i = DQ; i < ARRAYS; i++)
        if (call.arrays[i])
            call.places[i] = detmath_places_of(call.arrays[i]);
    call.heads = q->extents[HEAD];
    call.groups = k->extents[HEAD];
    call.queries = q->extents[PLACE];
    call.keys = k->extents[PLACE];
    call.width = q->extents[WIDTH];
    call.value_width = v->extents[WIDTH];
    call.rows = call.heads / call.groups * call.queries;
    call.room.key_lines.width = call.width;
    call.room.value_lines.width = call.value_width;
    return run_in_room(&call, q->extents[BATCH]);
}
