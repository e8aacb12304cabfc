/* The library's gradients of attention, of arrays of any strides: the heads that share the keys of one group, one after the other. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"

#include <stdint.h>
#include <stdlib.h>

enum { BATCH, HEAD, PLACE, WIDTH, DIMENSIONS };
enum { DQ, DK, DV, Q, K, V, G, BIAS, ARRAYS };

struct call {
    const struct detmath_strided *arrays[ARRAYS];
    struct detmath_places places[ARRAYS];
    const struct detmath_attention_options *options;
    struct detmath_attention_scoring scoring;
    size_t heads, groups, queries, keys, width, value_width, rows; /* queries of a group */
    float *q, *k, *v, *g, *bias, *scores, *sum, *low;
    struct detmath_attention_share *shares;
};

static void load(const struct call *call, int which, size_t first, size_t n, float *to) {
    for (size_t i = 0; i < n; i++)
        to[i] = detmath_float_of(call->arrays[which], call->arrays[DQ]->format,
                                 detmath_place(&call->places[which], first + i));
}

static void store(const struct call *call, int which, size_t first, size_t n, float scale) {
    for (size_t i = 0; i < n; i++)
        detmath_put_float(&call->places[which], first + i,
                          detmath_attention_gathered(call->sum[i], call->low[i], scale));
}

static void clear(const struct call *call, size_t n, float to) {
    for (size_t i = 0; i < n; i++) {
        call->sum[i] = to;
        call->low[i] = 0.0f;
    }
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

/* The bias of a key for row number `row` of a group: there are `rows` before it in all. */
static float bias_of(const struct call *call, size_t rows, size_t row, size_t key) {
    const size_t number = rows + row, place = number % call->queries;
    float bias = 0.0f;
    if (call->options->bias == DETMATH_BIAS_MASK)
        load(call, BIAS, number * call->keys + key, 1, &bias);
    else if (call->options->bias == DETMATH_BIAS_ALIBI) {
        load(call, BIAS, number / call->queries % call->heads, 1, &bias);
        bias = detmath_productf(
            bias, (float)((ptrdiff_t)(key + call->queries) - (ptrdiff_t)(place + call->keys)));
    }
    return bias;
}

static struct detmath_attention_row row_of(const struct call *call, size_t row, size_t first,
                                           size_t n) {
    return (struct detmath_attention_row){.q = call->q + row * call->width,
                                          .keys = call->k + first * call->width,
                                          .values = call->v + first * call->value_width,
                                          .bias = call->options->bias ? call->bias : NULL,
                                          .n = n,
                                          .width = call->width,
                                          .value_width = call->value_width,
                                          .value_step = call->value_width};
}

/* The gradient of a query; and what its keys share. */
static void run_query(const struct call *call, size_t rows, size_t row) {
    const float none = detmath_from_bits_f32(0xff800000u);
    const float *g = call->g + row * call->value_width;
    size_t first, last;
    keys_of(call, row % call->queries, &first, &last);
    for (size_t j = first; call->options->bias && j < last; j++)
        call->bias[j - first] = bias_of(call, rows, row, j);
    const struct detmath_attention_row own = row_of(call, row, first, last - first);
    struct detmath_attention_share *share = &call->shares[row];
    *share = detmath_attention_share_of(&call->scoring, &own, g, call->scores);
    clear(call, call->width, share->is_bad ? detmath_from_bits_f32(DETMATH_NAN_BITS) : 0.0f);
    for (size_t j = 0; share->counts && j < own.n; j++) {
        float a;
        if (call->scores[j] == none)
            continue;
        detmath_attention_slope(&call->scoring, &own, g, share, j, call->scores[j], &a);
        detmath_attention_gather(call->sum, call->low, a, own.keys + j * call->width, call->width);
    }
    store(call, DQ, (rows + row) * call->width, call->width, call->scoring.scale);
}

/* dk of a key, or dv. */
static void run_key(const struct call *call, size_t rows, size_t keys, size_t key, int is_value) {
    const float none = detmath_from_bits_f32(0xff800000u),
                cap_inverse = call->scoring.soft_cap != 0.0f
                                  ? detmath_inversef(call->scoring.soft_cap)
                                  : 0.0f;
    const size_t n = is_value ? call->value_width : call->width;
    clear(call, n, 0.0f);
    for (size_t row = 0; row < call->rows; row++) {
        const struct detmath_attention_share *share = &call->shares[row];
        const float *g = call->g + row * call->value_width;
        size_t first, last;
        keys_of(call, row % call->queries, &first, &last);
        if (key < first || key >= last || !(share->counts || share->is_bad))
            continue;
        const struct detmath_attention_row own = row_of(call, row, key, 1);
        const float score = detmath_attention_rounded_score(
            &call->scoring, detmath_attention_dot(own.q, own.keys, call->width, 1), cap_inverse,
            call->options->bias ? bias_of(call, rows, row, key) : 0.0f, call->options->bias != 0);
        float a, p;
        if (share->is_bad) {
            clear(call, n, detmath_from_bits_f32(DETMATH_NAN_BITS));
            continue;
        }
        if (score == none)
            continue;
        p = detmath_attention_slope(&call->scoring, &own, g, share, 0, score, &a);
        detmath_attention_gather(call->sum, call->low, is_value ? p : a, is_value ? g : own.q, n);
    }
    store(call, is_value ? DV : DK, (keys + key) * n, n, is_value ? 1.0f : call->scoring.scale);
}

static void run(const struct call *call, size_t batches) {
    for (size_t group = 0; group < batches * call->groups; group++) {
        const size_t rows = group * call->rows, keys = group * call->keys;
        load(call, Q, rows * call->width, call->rows * call->width, call->q);
        load(call, G, rows * call->value_width, call->rows * call->value_width, call->g);
        load(call, K, keys * call->width, call->keys * call->width, call->k);
        load(call, V, keys * call->value_width, call->keys * call->value_width, call->v);
        for (size_t row = 0; row < call->rows; row++)
            run_query(call, rows, row);
        for (size_t key = 0; key < call->keys; key++) {
            run_key(call, rows, keys, key, 0);
            run_key(call, rows, keys, key, 1);
        }
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

static float *room_of(size_t n, size_t each) {
    const size_t most = SIZE_MAX / sizeof(float) / 2;
    return each && n > most / each ? NULL : malloc((n * each + 1) * sizeof(float));
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
    const size_t most = call.width > call.value_width ? call.width : call.value_width;
    call.q = room_of(call.rows, call.width);
    call.g = room_of(call.rows, call.value_width);
    call.k = room_of(call.keys, call.width);
    call.v = room_of(call.keys, call.value_width);
    call.bias = room_of(call.keys, 1);
    call.scores = room_of(call.keys, 1);
    call.sum = room_of(most, 1);
    call.low = room_of(most, 1);
    call.shares = malloc((call.rows + 1) * sizeof *call.shares);
    const int room = call.q && call.g && call.k && call.v && call.bias && call.scores && call.sum &&
                     call.low && call.shares;
    if (room) {
        const uint64_t set = detmath_environment_enter();
        run(&call, q->extents[BATCH]);
        detmath_environment_leave(set);
    }
    float *const all[] = {call.q,    call.g,      call.k,   call.v,
                          call.bias, call.scores, call.sum, call.low};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(call.shares);
    return room ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_MEMORY;
}
