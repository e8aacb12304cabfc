/* Hypotheses held against digests of blocks: a block is explained where the outputs that a hypothesis
 * predicts for it have its digest. */
#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

/* Blocks that differ, and others, that are looked into. */
enum { LOOKED_DIFFERENT = 24, LOOKED_EQUAL = 8 };

struct blocks {
    const struct domain *domain;
    uint64_t *numbers;
    uint64_t count;
};

static struct input_block block_block(const struct pass *pass, uint64_t at) {
    const struct blocks *blocks = pass->context;
    uint64_t first = blocks->numbers[at] * FINGERPRINT_BLOCK, left = blocks->domain->count - first;
    return (struct input_block){first, left < FINGERPRINT_BLOCK ? (size_t)left : FINGERPRINT_BLOCK};
}

static struct input_block each_block(const struct pass *pass, uint64_t at) {
    uint64_t first = at * FINGERPRINT_BLOCK, left = pass->request->domain->count - first;
    return (struct input_block){first, left < FINGERPRINT_BLOCK ? (size_t)left : FINGERPRINT_BLOCK};
}

static bool same(const struct block_digest *a, const struct block_digest *b) {
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* As many of the blocks that differ, or do not, as may be looked into, evenly spread. */
static void choose(struct blocks *blocks, const struct recorded_blocks *recorded,
                   const struct block_digest *here, bool differ, uint64_t most) {
    uint64_t all = 0, seen = 0, taken = 0;
    for (uint64_t i = 0; i < recorded->count; i++)
        all += same(&recorded->digests[i], &here[i]) != differ;
    for (uint64_t i = 0; i < recorded->count; i++) {
        if (same(&recorded->digests[i], &here[i]) == differ)
            continue;
        if (all <= most || seen * most / all >= taken) {
            blocks->numbers[blocks->count++] = i;
            taken++;
        }
        seen++;
    }
}

/* What came of the blocks that were looked into, row by row; by row and block, whether it explains it. */
static void judge(const struct pass *pass, const struct recorded_blocks *recorded,
                  const struct block_digest *here, const struct blocks *blocks, uint64_t looked,
                  struct explain_outcome *outcome, uint8_t *explained) {
    const size_t rows = hypothesis_rows(pass->request), own = hypothesis_own_rows(pass->request);
    for (size_t row = 0; row < rows; row++) {
        struct hypothesis one = hypothesis_of(pass->request, row);
        if (!(pass->alive & hypothesis_bit(row, recorded->side)) || one.source == FROM_BOTH)
            continue;
        struct explanation *reported = &outcome->explanations[outcome->count++];
        *reported = (struct explanation){.name = one.name,
                                         .says = one.source == FROM_REBUILD
                                                     ? pass->request->rebuilds[row - own]->detail
                                                     : one.says,
                                         .order = (int)row,
                                         .side = recorded->side,
                                         .tested = blocks->count,
                                         .verdict = EXPLAINS_NONE};
        for (uint64_t i = 0; i < blocks->count; i++) {
            const struct block_digest *predicted = &pass->predicted[row * blocks->count + i];
            uint64_t number = blocks->numbers[i];
            if (same(predicted, &here[number]))
                continue;
            explained[row * blocks->count + i] = same(predicted, &recorded->digests[number]);
            if (explained[row * blocks->count + i])
                reported->explains++;
            else
                reported->wrong++;
        }
        if (explain_is_credible(reported->explains, reported->wrong))
            reported->verdict =
                reported->explains == looked && !reported->wrong ? EXPLAINS_ALL : EXPLAINS_PART;
    }
}

/* Blocks that a row explains and those in `covered` are not. */
static uint64_t adds(const uint8_t *explained, const uint8_t *covered, uint64_t count) {
    uint64_t more = 0;
    for (uint64_t i = 0; i < count; i++)
        more += explained[i] && !covered[i];
    return more;
}

/* The causes: each explains most of the blocks that those before it leave. What explains the same blocks as
 * well cannot be told from it. `covered` has a byte for each block, 0 before. */
static void choose_causes(struct explain_outcome *outcome, const uint8_t *explained,
                          uint8_t *covered, uint64_t count, uint64_t looked) {
    outcome->unexplained = looked;
    for (int cause = 1;; cause++) {
        struct explanation *best = NULL;
        uint64_t most = 0;
        for (size_t i = 0; i < outcome->count; i++) {
            struct explanation *one = &outcome->explanations[i];
            uint64_t more = adds(&explained[(size_t)one->order * count], covered, count);
            if (explain_is_credible(more, one->wrong) &&
                (more > most || (best && more == most && one->wrong < best->wrong))) {
                best = one;
                most = more;
            }
        }
        if (!best)
            break;
        const uint8_t *by_best = &explained[(size_t)best->order * count];
        best->cause = cause;
        best->adds = most;
        outcome->unexplained -= most;
        for (size_t i = 0; i < outcome->count; i++) {
            struct explanation *one = &outcome->explanations[i];
            if (one != best && !one->cause && !one->same_as && one->wrong == best->wrong &&
                one->verdict != EXPLAINS_NONE &&
                memcmp(&explained[(size_t)one->order * count], by_best, count) == 0)
                one->same_as = cause;
        }
        for (uint64_t i = 0; i < count; i++)
            covered[i] |= by_best[i];
    }
    explain_sort(outcome);
}

bool explain_recorded(const struct explain_request *request, const struct recorded_blocks *recorded,
                      struct explain_outcome *outcome, struct error *error) {
    size_t rows = hypothesis_rows(request);
    struct blocks blocks = {.domain = request->domain};
    struct counts counts = {0};
    struct pass here = {.block = each_block, .block_count = recorded->count, .request = request};
    struct pass pass = {.block = block_block,
                        .request = request,
                        .alive = explain_hypotheses(request),
                        .predicted_side = recorded->side,
                        .context = &blocks};
    here.digests[0] = calloc(recorded->count, sizeof **here.digests);
    blocks.numbers = calloc(LOOKED_DIFFERENT + LOOKED_EQUAL + 2, sizeof *blocks.numbers);
    pass.predicted = calloc(rows * (LOOKED_DIFFERENT + LOOKED_EQUAL + 2), sizeof *pass.predicted);
    uint8_t *explained = calloc(rows + 1, LOOKED_DIFFERENT + LOOKED_EQUAL + 2);
    bool good = here.digests[0] && blocks.numbers && pass.predicted && explained;
    good = good || error_set(error, "out of memory");
    *outcome = (struct explain_outcome){.of_blocks = true, .tested = recorded->count};
    good = good && pass_run(&here, &counts, error);
    counts_free(&counts);
    if (good) {
        choose(&blocks, recorded, here.digests[0], true, LOOKED_DIFFERENT);
        uint64_t looked = blocks.count;
        choose(&blocks, recorded, here.digests[0], false, LOOKED_EQUAL);
        for (uint64_t i = 0; i < recorded->count; i++)
            outcome->differ += !same(&recorded->digests[i], &here.digests[0][i]);
        pass.block_count = blocks.count;
        good = pass_run(&pass, &counts, error);
        counts_free(&counts);
        if (good) {
            judge(&pass, recorded, here.digests[0], &blocks, looked, outcome, explained);
            choose_causes(outcome, explained, explained + rows * blocks.count, blocks.count,
                          looked);
        }
    }
    free(explained);
    free(here.digests[0]);
    free(blocks.numbers);
    free(pass.predicted);
    return good;
}
