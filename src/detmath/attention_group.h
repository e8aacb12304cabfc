/* Attention by work groups of 64, blocks of a GPU or as many threads, in the order of attention.h, to the bit: a lane has a key of
 * each block, and columns 64 apart of the values. Lanes meet in the folds of a block alone; what the tree says of blocks each
 * of them keeps for itself.
 *
 * DETMATH_GROUP_BARRIER() is where all lanes wait for each other, and see what the others wrote; OpenCL, CUDA, HIP and Metal have
 * it. */
#ifndef DETMATH_ATTENTION_GROUP_H
#define DETMATH_ATTENTION_GROUP_H

#include "attention.h"
#include "attention_odd.h"

#include "shield.inc"

#if !defined(DETMATH_GROUP_BARRIER)
#if defined(__CUDACC__) || defined(DETMATH_HIP)
#define DETMATH_GROUP_BARRIER() __syncthreads()
#elif defined(DETMATH_OPENCL)
#define DETMATH_GROUP_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#elif defined(DETMATH_METAL)
#define DETMATH_GROUP_BARRIER()                                                                    \
    (metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup),                                \
     metal::threadgroup_barrier(metal::mem_flags::mem_device))
#endif
#endif

#if defined(DETMATH_GROUP_BARRIER)

/* What the lanes share: DETMATH_ATTENTION_SHARED numbers in fast memory; and room: a score in two parts for each key, and sums of
 * each lane's columns at each level of the tree. */
enum { DETMATH_ATTENTION_SHARED = 3 * DETMATH_KEYS };
struct detmath_attention_group {
    DETMATH_SHARED float *s, *low, *fold;
    DETMATH_ARRAY float *scores, *lows, *sums;
};

/* How many numbers of room a group needs. */
DETMATH_FUNCTION detmath_u64 detmath_attention_group_room(detmath_u64 n, detmath_u64 value_width) {
    detmath_u64 columns = (value_width + DETMATH_KEYS - 1u) / DETMATH_KEYS;
    return 2u * n + 2u * columns * DETMATH_KEYS * (DETMATH_ATTENTION_LEVELS + 1u);
}

DETMATH_FUNCTION struct detmath_attention_group
detmath_attention_group_of(DETMATH_SHARED float *shared, DETMATH_ARRAY float *room, detmath_u64 n) {
    struct detmath_attention_group group;
    group.s = shared;
    group.low = shared + DETMATH_KEYS;
    group.fold = shared + 2 * DETMATH_KEYS;
    group.scores = room;
    group.lows = room + n;
    group.sums = room + 2u * n;
    return group;
}

/* The largest of all lanes' numbers, or their sum: all lanes get the same. */
DETMATH_FUNCTION float detmath_attention_group_fold(DETMATH_SHARED float *fold, int lane, float own,
                                                    int adds) {
    float result;
    fold[lane] = own;
    DETMATH_GROUP_BARRIER();
    for (int distance = DETMATH_KEYS / 2; distance; distance /= 2) {
        if (lane < distance) {
            float a = fold[lane], b = fold[lane + distance];
            fold[lane] = adds ? a + b : a > b ? a : b;
        }
        DETMATH_GROUP_BARRIER();
    }
    result = fold[0];
    DETMATH_GROUP_BARRIER();
    return result;
}

/* The part of the block of keys from `at` on, whose weights are in s and low; all lanes get the same. */
DETMATH_FUNCTION struct detmath_attention_part
detmath_attention_group_weights(DETMATH_PRIVATE const struct detmath_attention_scoring *all,
                                DETMATH_PRIVATE const struct detmath_attention_row *row,
                                struct detmath_attention_group group, int lane, detmath_u64 at) {
    const float most = detmath_from_bits_f32(DETMATH_INFINITY_BITS);
    const detmath_u64 j = at + (detmath_u64)lane;
    struct detmath_parts score = detmath_parts_of(detmath_attention_none()), w, coarse;
    struct detmath_attention_part part;
    int is_good;
    if (j < row->n) {
        score = detmath_attention_score_of(all, row, j);
        group.scores[j] = score.high;
        group.lows[j] = score.low;
    }
    part.m = detmath_attention_group_fold(group.fold, lane, score.high < most ? score.high : most,
                                          0); /* NaN, too */
    is_good = part.m != most && part.m != detmath_attention_none();
    w = detmath_attention_weight(score, is_good ? part.m : 0.0f);
    group.s[lane] = w.high = is_good ? w.high : 0.0f;
    group.low[lane] = w.low = is_good ? w.low : 0.0f;
    coarse = detmath_attention_coarse(w);
    part.total.high = detmath_attention_group_fold(group.fold, lane, coarse.high, 1);
    part.total.low = detmath_attention_group_fold(group.fold, lane, coarse.low, 1);
    part.m = part.m == most ? detmath_from_bits_f32(DETMATH_NAN_BITS) : part.m;
    return part;
}

/* The sum of column i of a block's values, which has `there` keys. */
DETMATH_FUNCTION struct detmath_parts
detmath_attention_group_column(DETMATH_PRIVATE const struct detmath_attention_row *row,
                               struct detmath_attention_group group, detmath_u64 at, int there,
                               detmath_u64 i) {
    DETMATH_ARRAY const float *values = row->values + at * row->value_step + i;
    struct detmath_parts sum = detmath_parts_of(0.0f);
    detmath_u32 most = 0u;
    float anchor;
    for (int l = 0; l < there; l++) {
        detmath_u32 size = detmath_magnitude_f32(values[(detmath_u64)l * row->value_step]);
        most = group.s[l] != 0.0f && size > most ? size : most;
    }
    sum.high = anchor = detmath_attention_value_anchor(most);
    for (int l = 0; l < there; l++)
        detmath_attention_count_value(&sum, group.s[l], group.low[l],
                                      values[(detmath_u64)l * row->value_step]);
    sum.high = sum.high - anchor;
    return sum;
}

/* Sums of a lane: of its columns, the high parts and then the low ones. */
DETMATH_FUNCTION struct detmath_parts detmath_attention_group_sum(DETMATH_ARRAY const float *sums,
                                                                  detmath_u64 columns,
                                                                  detmath_u64 column) {
    struct detmath_parts sum;
    sum.high = sums[column];
    sum.low = sums[columns + column];
    return sum;
}

/* A part and its sums become those of both. */
DETMATH_FUNCTION void
detmath_attention_group_merge(DETMATH_PRIVATE struct detmath_attention_part *b,
                              DETMATH_ARRAY float *b_sums, struct detmath_attention_part a,
                              DETMATH_ARRAY const float *a_sums, detmath_u64 columns) {
    const struct detmath_attention_joint joint = detmath_attention_merge(b, a);
    for (detmath_u64 column = 0; column < columns; column++) {
        struct detmath_parts sum =
            detmath_attention_joined(&joint, detmath_attention_group_sum(b_sums, columns, column),
                                     detmath_attention_group_sum(a_sums, columns, column));
        b_sums[column] = sum.high;
        b_sums[columns + column] = sum.low;
    }
}

/* The results of the lane's columns. */
DETMATH_FUNCTION void
detmath_attention_group_finish(DETMATH_PRIVATE const struct detmath_attention_row *row,
                               struct detmath_attention_group group,
                               struct detmath_attention_part whole, DETMATH_ARRAY const float *sums,
                               detmath_u64 columns, int lane, DETMATH_ARRAY float *y) {
    const struct detmath_parts total = detmath_attention_settled(whole.total);
    const float inverse = detmath_recipf(total.high);
    const int is_bad = whole.m != whole.m;
    struct detmath_attention_scores scores;
    detmath_u64 column = 0;
    scores.high = group.scores;
    scores.low = group.lows;
    for (detmath_u64 i = (detmath_u64)lane; i < row->value_width; i += DETMATH_KEYS, column++) {
        float x;
        if (is_bad || whole.m == detmath_attention_none()) {
            y[i] = is_bad ? detmath_from_bits_f32(DETMATH_NAN_BITS) : 0.0f;
            continue;
        }
        x = detmath_attention_quotient(detmath_attention_group_sum(sums, columns, column), total,
                                       inverse);
        y[i] = detmath_attention_is_odd(x) ? detmath_attention_odd(row, scores, x, i) : x;
    }
}

/* A query, by each of 64 lanes; y has value_width numbers. */
DETMATH_FUNCTION void
detmath_attention_group_run(DETMATH_PRIVATE const struct detmath_attention_scoring *all,
                            DETMATH_PRIVATE const struct detmath_attention_row *row,
                            struct detmath_attention_group group, int lane,
                            DETMATH_ARRAY float *y) {
    struct detmath_attention_part level[DETMATH_ATTENTION_LEVELS], part;
    const detmath_u64 columns = (row->value_width + DETMATH_KEYS - 1u) / DETMATH_KEYS;
    DETMATH_ARRAY float *sums =
        group.sums + (detmath_u64)lane * 2u * columns * (DETMATH_ATTENTION_LEVELS + 1u);
    DETMATH_ARRAY float *own = sums + 2u * columns * DETMATH_ATTENTION_LEVELS, *whole = own;
    detmath_u64 count = 0;
    int is_bad = 0, has_any = 0;
    part.m = detmath_attention_none();
    part.total = detmath_parts_of(0.0f);
    for (detmath_u64 at = 0; at < row->n && !is_bad; at += DETMATH_KEYS, count++) {
        const int there = row->n - at < DETMATH_KEYS ? (int)(row->n - at) : DETMATH_KEYS;
        detmath_u64 column = 0;
        int k = 0;
        part = detmath_attention_group_weights(all, row, group, lane, at);
        is_bad = part.m != part.m;
        for (detmath_u64 i = (detmath_u64)lane; i < row->value_width; i += DETMATH_KEYS, column++) {
            struct detmath_parts sum = detmath_attention_group_column(row, group, at, there, i);
            own[column] = sum.high;
            own[columns + column] = sum.low;
        }
        DETMATH_GROUP_BARRIER(); /* the next block's weights take the place of these */
        for (detmath_u64 bits = count; bits & 1u; bits >>= 1, k++)
            detmath_attention_group_merge(&part, own, level[k],
                                          sums + 2u * columns * (detmath_u64)k, columns);
        level[k] = part;
        for (column = 0; column < 2u * columns; column++)
            sums[2u * columns * (detmath_u64)k + column] = own[column];
    }
    for (int k = 0; count >> k && !is_bad; k++)
        if (count >> k & 1u) {
            DETMATH_ARRAY float *there = sums + 2u * columns * (detmath_u64)k;
            if (has_any)
                detmath_attention_group_merge(&level[k], there, part, whole, columns);
            part = level[k];
            whole = there;
            has_any = 1;
        }
    detmath_attention_group_finish(row, group, part, whole, columns, lane, y);
    DETMATH_GROUP_BARRIER(); /* the next query's scores take the place of these */
}

/* Queries of one head that share keys. Query i is at q + i width, its result at y + i value_width, and element d of key j at
 * keys[d n + j]. With `causal` the last query has all n keys, and one before it a key less. bias is 0, or has n numbers for
 * each query. */
struct detmath_attention_head {
    DETMATH_ARRAY const float *q, *keys, *values, *bias;
    DETMATH_ARRAY float *y;
    detmath_u64 queries, n, width, value_width;
    int causal;
};

/* Every `step`-th query from `first` on, by each of 64 lanes; queries are no more than n where it is causal. */
DETMATH_FUNCTION void
detmath_attention_group_queries(DETMATH_PRIVATE const struct detmath_attention_scoring *all,
                                DETMATH_PRIVATE const struct detmath_attention_head *head,
                                struct detmath_attention_group group, int lane, detmath_u64 first,
                                detmath_u64 step) {
    struct detmath_attention_row row;
    row.keys = head->keys;
    row.values = head->values;
    row.width = head->width;
    row.value_width = row.value_step = head->value_width;
    row.key_step = head->n;
    for (detmath_u64 i = first; i < head->queries; i += step) {
        row.q = head->q + i * head->width;
        row.bias = head->bias ? head->bias + i * head->n : 0;
        row.bias_low = 0;
        row.n = head->causal ? head->n - head->queries + i + 1u : head->n;
        detmath_attention_group_run(all, &row, group, lane, head->y + i * head->value_width);
    }
}

#endif

#include "shield_end.inc"

#endif
