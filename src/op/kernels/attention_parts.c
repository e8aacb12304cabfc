/* Attention whose keys are worked on in parts, each by itself, which are then merged: by the functions that detmath/attention.h
 * has for one query, as those who share keys between machines or groups of threads do it. */
#include "op/kernels/attention.h"

#include "detmath/attention_odd.h"
#include "detmath/strided.h"

#include <stdlib.h>
#include <string.h>

/* A part and the sums of its values. */
struct counted {
    struct detmath_attention_part part;
    struct detmath_parts *sums;
};

/* Parts on their way up a binary tree, in which the number of parts so far says what is merged. */
struct counter {
    struct counted level[DETMATH_ATTENTION_LEVELS];
    struct detmath_parts *sums; /* of all levels */
    uint64_t count;
    uint64_t width;
    bool is_bad;
};

static bool open_counter(struct counter *counter, uint64_t width) {
    *counter = (struct counter){.width = width};
    counter->sums = calloc(DETMATH_ATTENTION_LEVELS * width, sizeof *counter->sums);
    for (int k = 0; counter->sums && k < DETMATH_ATTENTION_LEVELS; k++)
        counter->level[k].sums = counter->sums + (uint64_t)k * width;
    return counter->sums;
}

/* b becomes both. */
static void merge(struct counted *b, const struct counted *a, uint64_t width) {
    const struct detmath_attention_joint joint = detmath_attention_merge(&b->part, a->part);
    for (uint64_t i = 0; i < width; i++)
        b->sums[i] = detmath_attention_joined(&joint, b->sums[i], a->sums[i]);
}

static void count_part(struct counter *counter, struct counted *part) {
    int k = 0;
    counter->is_bad |= part->part.m != part->part.m;
    for (uint64_t bits = counter->count++; bits & 1u; bits >>= 1, k++)
        merge(part, &counter->level[k], counter->width);
    counter->level[k].part = part->part;
    memcpy(counter->level[k].sums, part->sums, (size_t)counter->width * sizeof *part->sums);
}

/* All of them; there is one, or more. */
static struct counted whole_of(struct counter *counter) {
    struct counted *whole = NULL;
    for (int k = 0; counter->count >> k; k++)
        if (counter->count >> k & 1u) {
            if (whole)
                merge(&counter->level[k], whole, counter->width);
            whole = &counter->level[k];
        }
    if (counter->is_bad)
        whole->part.m = detmath_from_bits_f32(DETMATH_NAN_BITS);
    return *whole;
}

/* The keys from `at` on of a row, in blocks. */
static void add_block(struct counter *blocks, const struct detmath_attention_row *row, uint64_t at,
                      struct detmath_attention_scores scores, struct detmath_parts *sums) {
    const uint64_t there = row->n - at < DETMATH_KEYS ? row->n - at : DETMATH_KEYS;
    float s[DETMATH_KEYS], low[DETMATH_KEYS];
    struct counted part = {.sums = sums};
    for (uint64_t l = 0; l < DETMATH_KEYS; l++) {
        s[l] = l < there ? scores.high[at + l] : detmath_attention_none();
        low[l] = l < there ? scores.low[at + l] : 0;
    }
    part.part = detmath_attention_weights(s, low);
    for (uint64_t i = 0; i < row->value_width; i++)
        sums[i] = detmath_attention_column(s, low, row->values + at * row->value_step + i,
                                           row->value_step, (int)there, 1.0f);
    count_part(blocks, &part);
}

/* The results of a query whose parts are merged. */
static void finish(const struct detmath_attention_row *row, const struct counted *whole,
                   struct detmath_attention_scores scores, float *y) {
    const struct detmath_parts total = detmath_attention_settled(whole->part.total);
    const float m = whole->part.m;
    for (uint64_t i = 0; i < row->value_width; i++)
        if (m != m || m == detmath_attention_none())
            y[i] = m != m ? detmath_from_bits_f32(DETMATH_NAN_BITS) : 0;
        else {
            y[i] = detmath_attention_quotient(whole->sums[i], total, detmath_recipf(total.high));
            if (detmath_attention_is_odd(y[i]))
                y[i] = detmath_attention_odd(row, scores, y[i], i);
        }
}

/* One query with all of its keys; `sums` is room. False without memory. */
static bool attend(const struct detmath_attention_row *row, uint64_t split,
                   struct detmath_attention_scores scores, struct detmath_parts *sums, float *y) {
    struct counter parts;
    bool good = open_counter(&parts, row->value_width);
    for (uint64_t first = 0; good && first < row->n; first += split) {
        struct counter blocks;
        good = open_counter(&blocks, row->value_width);
        for (uint64_t at = first; good && at < row->n && at - first < split; at += DETMATH_KEYS)
            add_block(&blocks, row, at, scores, sums);
        if (good) {
            struct counted part = whole_of(&blocks);
            count_part(&parts, &part);
        }
        free(blocks.sums);
    }
    struct counted whole = {.part = {.m = detmath_attention_none()}};
    if (good && parts.count)
        whole = whole_of(&parts);
    if (good)
        finish(row, &whole, scores, y);
    free(parts.sums);
    return good;
}

/* What all queries of a call have, and room for one. */
struct work {
    const struct array_call *call;
    struct attention_extents extents;
    struct detmath_attention_scoring scoring;
    const float *q, *k, *v, *bias;
    float *keys, *biases, *bias_lows, *scores, *lows;
    struct detmath_parts *sums;
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
        .bias_low = bias == ATTENTION_ALIBI ? work->bias_lows : NULL,
        .n = last - first,
        .width = width,
        .key_step = extents->keys,
        .value_width = width,
        .value_step = width};
    for (uint64_t j = 0; j < row.n; j++) {
        for (uint64_t d = 0; d < width; d++)
            work->keys[d * extents->keys + j] =
                work->k[(group * extents->keys + first + j) * width + d];
        const struct detmath_parts added =
            bias == ATTENTION_NO_BIAS ? detmath_parts_of(0)
            : bias == ATTENTION_MASK
                ? detmath_parts_of(work->bias[query * extents->keys + first + j])
                : detmath_attention_alibi(work->bias[head], (int64_t)(first + j + extents->queries -
                                                                      query - extents->keys));
        work->biases[j] = added.high;
        work->bias_lows[j] = added.low;
    }
    for (uint64_t j = 0; j < row.n; j++) {
        const struct detmath_parts score = detmath_attention_score_of(&work->scoring, &row, j);
        work->scores[j] = score.high;
        work->lows[j] = score.low;
    }
    return attend(&row, extents->split, (struct detmath_attention_scores){work->scores, work->lows},
                  work->sums, y + number * width);
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
    work.bias_lows = calloc(keys, sizeof(float));
    work.scores = calloc(keys, sizeof(float));
    work.lows = calloc(keys, sizeof(float));
    work.sums = calloc(width, sizeof *work.sums);
    bool good = work.keys && work.biases && work.bias_lows && work.scores && work.lows && work.sums;
    for (uint64_t i = 0; good && i < shape_elements(&call->results[0].shape) / width; i++)
        good = run_query(&work, i, y->codes);
    free(work.keys);
    free(work.biases);
    free(work.bias_lows);
    free(work.scores);
    free(work.lows);
    free(work.sums);
    return good;
}
