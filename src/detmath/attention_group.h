/* Attention of one query by a work group of 64, a block of a GPU or as many threads, in the order of attention.h, to the bit: a lane
 * has a key of each block, and columns 64 apart of the values. Lanes meet in the folds of a block alone; what the tree says
 * of blocks each of them keeps for itself.
 *
 * DETMATH_GROUP_BARRIER() is where all lanes wait for each other; CUDA and HIP have it. */
#ifndef DETMATH_ATTENTION_GROUP_H
#define DETMATH_ATTENTION_GROUP_H

#include "attention.h"

#include "shield.inc"

#if !defined(DETMATH_GROUP_BARRIER) && (defined(__CUDACC__) || defined(__HIPCC__))
#define DETMATH_GROUP_BARRIER() __syncthreads()
#endif

#if defined(DETMATH_GROUP_BARRIER)

/* What the lanes share, s and fold of 64 numbers in fast memory; and room: a score for each key, and for each lane sums of
 * its columns at each level of the tree, 49 (value_width + 63) / 64 numbers for a lane. */
struct detmath_attention_group {
    float *s, *fold, *scores, *sums;
};

/* fold[0] becomes the largest of all lanes, or their sum. */
DETMATH_FUNCTION void detmath_attention_fold(float *fold, int lane, int adds) {
    DETMATH_GROUP_BARRIER();
    for (int distance = DETMATH_KEYS / 2; distance; distance /= 2) {
        if (lane < distance) {
            float a = fold[lane], b = fold[lane + distance];
            fold[lane] = adds ? a + b : a > b ? a : b;
        }
        DETMATH_GROUP_BARRIER();
    }
}

/* m and the sum of weights of the block of keys from `at` on, whose weights are in s; all lanes get the same. */
DETMATH_FUNCTION float detmath_attention_group_weights(const struct detmath_attention_scoring *all,
                                                       const struct detmath_attention_row *row,
                                                       const struct detmath_attention_group *group,
                                                       int lane, detmath_u64 at, float *total) {
    const float none = detmath_from_bits_f32(0xff800000u),
                most = detmath_from_bits_f32(DETMATH_INFINITY_BITS);
    const detmath_u64 j = at + (detmath_u64)lane;
    float score = none, m;
    if (j < row->n)
        group->scores[j] = score = detmath_attention_score_of(all, row, j);
    group->fold[lane] = score < most ? score : most; /* NaN, too */
    detmath_attention_fold(group->fold, lane, 0);
    m = group->fold[0];
    DETMATH_GROUP_BARRIER();
    *total = 0.0f;
    if (m == most)
        return detmath_from_bits_f32(DETMATH_NAN_BITS);
    if (m == none)
        return m;
    group->fold[lane] = group->s[lane] = detmath_powerf(score, m);
    detmath_attention_fold(group->fold, lane, 1);
    *total = group->fold[0];
    return m;
}

/* The results of the lane's columns. */
DETMATH_FUNCTION void detmath_attention_group_finish(const struct detmath_attention_row *row,
                                                     const struct detmath_attention_group *group,
                                                     const struct detmath_attention_part *whole,
                                                     int lane, int is_bad, float *y) {
    const float none = detmath_from_bits_f32(0xff800000u);
    detmath_u64 column = 0;
    for (detmath_u64 i = (detmath_u64)lane; i < row->value_width; i += DETMATH_KEYS, column++) {
        if (is_bad || whole->m == none) {
            y[i] = is_bad ? detmath_from_bits_f32(DETMATH_NAN_BITS) : 0.0f;
            continue;
        }
        y[i] = detmath_attention_quotient(whole->sums[column], whole->total,
                                          detmath_inversef(whole->total));
        if (detmath_attention_is_odd(y[i]))
            y[i] = detmath_attention_odd(row, group->scores, y[i], i);
    }
}

/* Called by each of 64 lanes; y has value_width numbers. */
DETMATH_FUNCTION void detmath_attention_group_run(const struct detmath_attention_scoring *all,
                                                  const struct detmath_attention_row *row,
                                                  const struct detmath_attention_group *group,
                                                  int lane, float *y) {
    struct detmath_attention_part level[DETMATH_ATTENTION_LEVELS], part;
    const detmath_u64 columns = (row->value_width + DETMATH_KEYS - 1) / DETMATH_KEYS;
    float *sums = group->sums + (detmath_u64)lane * (DETMATH_ATTENTION_LEVELS + 1) * columns;
    detmath_u64 count = 0;
    int is_bad = 0, has_any = 0;
    for (detmath_u64 at = 0; at < row->n && !is_bad; at += DETMATH_KEYS, count++) {
        const int there = (int)detmath_at_most(row->n - at, DETMATH_KEYS);
        int k = 0;
        part.m = detmath_attention_group_weights(all, row, group, lane, at, &part.total);
        part.sums = sums + DETMATH_ATTENTION_LEVELS * columns;
        is_bad = part.m != part.m;
        for (detmath_u64 i = (detmath_u64)lane, column = 0; i < row->value_width;
             i += DETMATH_KEYS, column++) {
            float sum = 0.0f;
            for (int l = 0; l < there && part.total != 0.0f; l++)
                sum = detmath_fmaf(group->s[l],
                                   row->values[(at + (detmath_u64)l) * row->value_step + i], sum);
            part.sums[column] = sum;
        }
        DETMATH_GROUP_BARRIER(); /* the next block's weights take the place of these */
        for (detmath_u64 bits = count; bits & 1u; bits >>= 1, k++)
            detmath_attention_merge(&part, &level[k], columns);
        level[k].m = part.m;
        level[k].total = part.total;
        level[k].sums = sums + (detmath_u64)k * columns;
        for (detmath_u64 column = 0; column < columns; column++)
            level[k].sums[column] = part.sums[column];
    }
    part.m = detmath_from_bits_f32(0xff800000u);
    part.total = 0.0f;
    part.sums = sums;
    for (int k = 0; count >> k; k++)
        if (count >> k & 1u) {
            if (has_any)
                detmath_attention_merge(&level[k], &part, columns);
            part = level[k];
            has_any = 1;
        }
    detmath_attention_group_finish(row, group, &part, lane, is_bad, y);
}

#endif

#include "shield_end.inc"

#endif
