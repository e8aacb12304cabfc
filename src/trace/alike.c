/* Shuffled operands: numbers as the recorded ones are, in other places. */
#include "trace/alike.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { UNITS = 256, SHUFFLES = 8, TERMS = 1 << 16 };

static uint64_t draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static void shuffle(struct trace_codes *codes, uint64_t *state) {
    const size_t bytes = format_bytes(codes->format);
    for (uint64_t i = codes->count; i > 1; i--) {
        const size_t k = (size_t)(draw(state) % i), last = (size_t)i - 1;
        const uint64_t one = code_load(codes->codes, bytes, k),
                       other = code_load(codes->codes, bytes, last);
        code_store(codes->codes, bytes, k, other);
        code_store(codes->codes, bytes, last, one);
    }
}

/* The results of each way that stands, hashed onto what it had before. */
static void hash_results(const struct trace_trial *trial, const struct trace_call *part,
                         void *results, size_t size, uint64_t *hashes) {
    struct error unused;
    for (size_t i = 0; i < trial->ways->count; i++) {
        if (!trial_stands(trial, i, 0) && !trial_stands(trial, i, 1))
            continue;
        memset(results, 0, size);
        const bool good = trace_way_run(&trial->ways->items[i], part, results, &unused);
        hashes[i] = good ? XXH3_64bits_withSeed(results, size, hashes[i]) : i;
    }
}

static bool compare(struct trace_alike *alike, const struct trace_trial *trial, uint64_t *hashes) {
    const size_t cost = (size_t)(trial->units.cost ? trial->units.cost : 1),
                 most = TERMS / cost < UNITS ? TERMS / cost + 1 : UNITS,
                 count = most < trial->count ? most : trial->count,
                 outputs = count * (size_t)trial->units.results,
                 size = outputs * format_bytes(trial->outputs->format);
    struct trace_call part;
    struct error unused;
    uint64_t state = 1;
    void *results = malloc(size + 1);
    const bool good = trace_part_open(&part, trial->call, trial->order, count, &unused) && results;
    for (int turn = 0; good && turn < SHUFFLES; turn++) {
        for (int i = 0; i < part.operands; i++)
            if (part.operand[i].format)
                shuffle(&part.operand[i], &state);
        hash_results(trial, &part, results, size, hashes);
        alike->outputs += outputs;
    }
    trace_call_close(&part);
    free(results);
    return good;
}

/* Whether two ways may be one under several names. Orders are one where their trees are the same: results do not show how the
 * sums of a wider format came about. Of narrow results as little is seen. */
static bool may_be_one(const struct trace_trial *trial, const struct trace_way *a,
                       const struct trace_way *b) {
    if (trial->outputs->format->precision < formats[FORMAT_FP32].precision ||
        a->change != b->change)
        return false;
    if (a->tree || b->tree) /* revealed */
        return (a->tree    ? order_tree_hash(a->tree)
                : a->order ? a->order->hash
                           : 0) == (b->tree    ? order_tree_hash(b->tree)
                                    : b->order ? b->order->hash
                                               : 1);
    return !a->order && !b->order;
}

/* Whether there are two such ways of a side, without which nothing has to be computed. */
static bool any_may_be_one(const struct trace_trial *trial, int side) {
    const struct trace_way *ways = trial->ways->items;
    bool found = false;
    for (size_t i = 0; i < trial->ways->count; i++)
        for (size_t k = 0; !found && trial_stands(trial, i, side) && k < i; k++)
            found = trial_stands(trial, k, side) && may_be_one(trial, &ways[k], &ways[i]);
    return found;
}

bool trace_alike_open(struct trace_alike *alike, const struct trace_trial *trial) {
    const size_t count = trial->ways->count;
    uint64_t *hashes = calloc(count + 1, sizeof *hashes);
    *alike = (struct trace_alike){malloc((count + 1) * sizeof *alike->first), 0};
    bool good = hashes && alike->first;
    for (size_t i = 0; good && i < count; i++)
        alike->first[i] = i;
    if (good && (any_may_be_one(trial, 0) || any_may_be_one(trial, 1)))
        good = compare(alike, trial, hashes);
    for (size_t i = 0; good && alike->outputs && i < count; i++)
        for (size_t k = 0; k < i && alike->first[i] == i; k++)
            if (hashes[k] && hashes[k] == hashes[i] &&
                may_be_one(trial, &trial->ways->items[k], &trial->ways->items[i]) &&
                trial_stands(trial, k, 0) == trial_stands(trial, i, 0) &&
                trial_stands(trial, k, 1) == trial_stands(trial, i, 1))
                alike->first[i] = k;
    free(hashes);
    return good;
}

void trace_alike_close(struct trace_alike *alike) {
    free(alike->first);
}

size_t trace_alike_fits(const struct trace_alike *alike, const struct trace_trial *trial,
                        int side) {
    size_t fits = 0;
    for (size_t i = 0; i < trial->ways->count; i++)
        fits += trial_stands(trial, i, side) && alike->first[i] == i;
    return fits;
}
