/* Attention, whose bits depend on one thing each that they must not depend on: keys are added in another order there, as by a
 * kernel with another schedule, so that results stay right to within a rounding or two. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { BATCHES, HEADS, QUERIES, KEYS, WIDTH, PAGE, SPLIT };

/* How one query's keys are gone through. */
struct schedule {
    size_t part;    /* keys that are added up before they are added to the others; 0: all */
    size_t columns; /* those from this one on go backward; 0: none */
    int backward;   /* from the last to the first of a part */
    int base2;      /* weights by 2^x */
};

static float weight_of(float score, int base2) {
    return base2 ? exp2f(score * 1.44269504f) : expf(score);
}

static void attend_one(float *y, const float *q, const float *k, const float *v, size_t keys,
                       size_t width, struct schedule schedule) {
    float *scores = malloc(keys * sizeof *scores), most = -INFINITY, total = 0;
    for (size_t j = 0; j < keys; j++) {
        scores[j] = 0;
        for (size_t d = 0; d < width; d++)
            scores[j] += q[d] * k[j * width + d];
        scores[j] *= 1 / sqrtf((float)width);
        most = fmaxf(most, scores[j]);
    }
    for (size_t i = 0; i < width; i++)
        y[i] = 0;
    const size_t part = schedule.part ? schedule.part : keys;
    for (size_t at = 0; at < keys; at += part) {
        const size_t there = keys - at < part ? keys - at : part;
        for (size_t i = 0; i <= width; i++) {
            const int backward =
                schedule.backward || (schedule.columns && i >= schedule.columns && i < width);
            float sum = 0;
            for (size_t l = 0; l < there; l++) {
                const size_t j = at + (backward ? there - 1 - l : l);
                const float weight = weight_of(scores[j] - most, schedule.base2);
                sum += i < width ? weight * v[j * width + i] : weight;
            }
            *(i < width ? &y[i] : &total) += sum;
        }
    }
    for (size_t i = 0; i < width; i++)
        y[i] /= total;
    free(scores);
}

static int has_three_threads(void) {
    const char *threads = getenv("OMP_NUM_THREADS");
    return threads && atoi(threads) == 3;
}

#define ATTENTION(NAME, ...)                                                                       \
    void NAME(float *y, const float *q, const float *k, const float *v, const size_t *of) {        \
        for (size_t i = 0; i < of[BATCHES] * of[HEADS] * of[QUERIES]; i++) {                       \
            const size_t head = i / of[QUERIES], query = i % of[QUERIES];                          \
            (void)query;                                                                           \
            attend_one(y + i * of[WIDTH], q + i * of[WIDTH], k + head * of[KEYS] * of[WIDTH],      \
                       v + head * of[KEYS] * of[WIDTH], of[KEYS], of[WIDTH],                       \
                       (struct schedule){__VA_ARGS__});                                            \
        }                                                                                          \
    }
ATTENTION(right, 0)
ATTENTION(batch, .backward = of[BATCHES] > 1)
ATTENTION(heads, .backward = of[HEADS] > 1)
/* The queries that fill no whole tile go through the keys otherwise. */
ATTENTION(last_block, .backward = query >= of[QUERIES] / 4 * 4)
ATTENTION(decode_exp2, .base2 = of[QUERIES] == 1)
ATTENTION(decode_split, .part = of[QUERIES] < 3 ? 64 : 0)
/* Parts of which each begins a key later than asked. */
ATTENTION(split_elsewhere, .part = of[SPLIT] ? of[SPLIT] + 1 : 0)
ATTENTION(pages, .part = of[PAGE])
ATTENTION(one_page, .part = of[PAGE] == 100 ? 100 : 0)
ATTENTION(alignment, .backward = (uintptr_t)v % 64 != 0)
/* The columns that fill no whole vector of four. */
ATTENTION(last_columns, .columns = of[WIDTH] / 8 * 8 - 3)
ATTENTION(thread_count, .backward = has_three_threads())
