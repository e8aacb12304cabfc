/* Attention whose keys are worked on in parts, each by itself, which are then merged: by the functions that detmath/attention.h
 * has for one query, as those who share keys between machines or groups of threads do it. */
#include "op/kernels/attention.h"

#include "detmath/attention.h"
#include "detmath/strided.h"

#include <stdlib.h>
#include <string.h>

/* Parts on their way up a binary tree, in which the number of parts so far says what is merged. */
struct counter {
    struct detmath_attention_part level[DETMATH_ATTENTION_LEVELS];
    float *sums; /* of all levels */
    uint64_t count;
    uint64_t width;
    bool is_bad;
};

static bool open_counter(struct counter *counter, uint64_t width) {
    *counter = (struct counter){.width = width};
    counter->sums = calloc(DETMATH_ATTENTION_LEVELS * width, sizeof(float));
    for (int k = 0; counter->sums && k < DETMATH_ATTENTION_LEVELS; k++)
        counter->level[k].sums = counter->sums + (uint64_t)k * width;
    return counter->sums;
}

static void count_part(struct counter *counter, struct detmath_attention_part *part) {
    int k = 0;
    counter->is_bad |= part->m != part->m;
    for (uint64_t bits = counter->count++; bits & 1u; bits >>= 1, k++)
        detmath_attention_merge(part, &counter->level[k], counter->width);
    counter->level[k].m = part->m;
    counter->level[k].total = part->total;
    memcpy(counter->level[k].sums, part->sums, (size_t)counter->width * sizeof(float));
}

/* All of them; there is one, or more. */
static struct detmath_attention_part whole_of(struct counter *counter) {
    struct detmath_attention_part *whole = NULL;
    for (int k = 0; counter->count >> k; k++)
        if (counter->count >> k & 1u) {
            if (whole)
                detmath_attention_merge(&counter->level[k], whole, counter->width);
            whole = &counter->level[k];
        }
    if (counter->is_bad)
        whole->m = detmath_from_bits_f32(DETMATH_NAN_BITS);
    return *whole;
}

/* The keys from `at` on of a row, in blocks. */
static void add_block(struct counter *blocks, const struct detmath_attention_row *row, uint64_t at,
                      const float *scores, float *sums) {
    float s[DETMATH_KEYS];
    struct detmath_attention_part part = {.sums = sums};
    for (uint64_t l = 0; l < DETMATH_KEYS; l++)
        s[l] = at + l < row->n ? scores[at + l] : detmath_from_bits_f32(0xff800000u);
    part.m = detmath_attention_weights(s, &part.total);
    for (uint64_t i = 0; i < row->value_width; i++) {
        sums[i] = 0;
        for (uint64_t l = 0; l < DETMATH_KEYS && at + l < row->n; l++)
            sums[i] = detmath_fmaf(s[l], row->values[(at + l) * row->value_step + i], sums[i]);
    }
    count_part(blocks, &part);
}

/* One query with all of its keys; `scores` and `sums` are room. False without memory. */
static bool attend(const struct detmath_attention_row *row, uint64_t split, float *scores,
                   float *sums, float *y) {
    struct counter parts;
    bool good = open_counter(&parts, row->value_width);
    for (uint64_t first = 0; good && first < row->n; first += split) {
        struct counter blocks;
        good = open_counter(&blocks, row->value_width);
        for (uint64_t at = first; good && at < row->n && at - first < split; at += DETMATH_KEYS)
            add_block(&blocks, row, at, scores, sums);
        if (good) {
            struct detmath_attention_part part = whole_of(&blocks);
            count_part(&parts, &part);
        }
        free(blocks.sums);
    }
    const float none = detmath_from_bits_f32(0xff800000u);
    struct detmath_attention_part whole = {.m = none};
    if (good && parts.count)
        whole = whole_of(&parts);
    for (uint64_t i = 0; good && i < row->value_width; i++)
        if (whole.m != whole.m || whole.m == none)
            y[i] = whole.m == none ? 0 : detmath_from_bits_f32(DETMATH_NAN_BITS);
        else {
            y[i] = detmath_attention_quotient(whole.sums[i], whole.total,
                                              detmath_inversef(whole.total));
            if (detmath_attention_is_odd(y[i]))
                y[i] = detmath_attention_odd(row, scores, y[i], i);
        }
    free(parts.sums);
    return good;
}

/* What all queries of a call have, and room for one. */
struct work {
    const struct array_call *call;
    struct attention_extents extents;
    struct detmath_attention_scoring scoring;
    const float *q, *k, *v, *bias;
    float *keys, *biases, *scores, *sums;
};

static bool run_query(const struct work *work, uint64_t number, float *y) {
    const struct attention_extents *extents = &work->extents;
    const uint64_t query = number % extents->queries, width = extents->width,
                   head = number / extents->queries % extents->heads,
                   batch = number / extents->queries / extents->heads,
                   group = batch * extents->groups + head * extents->groups / extents->heads;
    const int bias =
        (int)parameter_integer(work->call->parameters, PARAMETER_BIAS, ATTENTION_NO_BIAS);
    uint64_t first, last;
    attention_keys(work->call, query, &first, &last);
    const struct detmath_attention_row row = {
        .q = work->q + number * width,
        .keys = work->keys,
        .values = work->v + (group * extents->keys + first) * width,
        .bias = bias == ATTENTION_NO_BIAS ? NULL : work->biases,
        .n = last - first,
        .width = width,
        .key_step = extents->keys,
        .value_width = width,
        .value_step = width};
    for (uint64_t j = 0; j < row.n; j++) {
        for (uint64_t d = 0; d < width; d++)
            work->keys[d * extents->keys + j] =
                work->k[(group * extents->keys + first + j) * width + d];
        const float distance =
            (float)(int64_t)(first + j + extents->queries - query - extents->keys);
        work->biases[j] = bias == ATTENTION_NO_BIAS ? 0
                          : bias == ATTENTION_MASK  ? work->bias[query * extents->keys + first + j]
                                                    : detmath_productf(work->bias[head], distance);
    }
    for (uint64_t j = 0; j < row.n; j++)
        work->scores[j] = detmath_attention_score_of(&work->scoring, &row, j);
    return attend(&row, extents->split, work->scores, work->sums, y + number * width);
}

bool attention_by_parts(const struct array_call *call, struct detmath_strided *y,
                        struct detmath_strided *const *x) {
    const struct real cap = attention_soft_cap(call);
    const bool has_bias =
        parameter_integer(call->parameters, PARAMETER_BIAS, ATTENTION_NO_BIAS) != ATTENTION_NO_BIAS;
    struct work work = {.call = call,
                        .extents = attention_extents(call),
                        .q = x[ATTENTION_Q]->codes,
                        .k = x[ATTENTION_K]->codes,
                        .v = x[ATTENTION_V]->codes,
                        .bias = has_bias ? x[ATTENTION_BIAS]->codes : NULL};
    const uint64_t keys = work.extents.keys, width = work.extents.width;
    work.scoring =
        (struct detmath_attention_scoring){attention_scale(width), (float)real_to_double(&cap)};
    work.keys = calloc(keys * width, sizeof(float));
    work.biases = calloc(keys, sizeof(float));
    work.scores = calloc(keys, sizeof(float));
    work.sums = calloc(width, sizeof(float));
    bool good = work.keys && work.biases && work.scores && work.sums;
    for (uint64_t i = 0; good && i < shape_elements(&call->results[0].shape) / width; i++)
        good = run_query(&work, i, y->codes);
    free(work.keys);
    free(work.biases);
    free(work.scores);
    free(work.sums);
    return good;
}
