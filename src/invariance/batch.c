/* Batch: the same line, or row of the first matrix, among others, in batches of many sizes. */
#include "invariance/lines.h"
#include "invariance/properties.h"

#include <stdio.h>
#include <string.h>

/* Kernels change their order at sizes of blocks, so that these and their neighbours are tried. */
static const uint64_t usual_sizes[] = {
    2,   3,   4,   5,   7,   8,   9,   15,  16,   17,   31,   32,   33,   63,   64,   65,  127,
    128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096};
_Static_assert(sizeof usual_sizes / sizeof *usual_sizes <= BATCH_SIZES, "a tally has no room");

/* Numbers of a batch of those, at most: they are many. */
enum { USUAL_MOST_NUMBERS = 1 << 19 };

/* In larger ones the line stands at one of three places, call by call. */
enum { LARGEST_AT_ALL_PLACES = 33 };

static struct batch_sizes sizes_of(const struct invariance_request *request) {
    struct batch_sizes sizes = {.count = sizeof usual_sizes / sizeof *usual_sizes};
    if (request->batch_sizes.count)
        return request->batch_sizes;
    memcpy(sizes.sizes, usual_sizes, sizeof usual_sizes);
    return sizes;
}

static bool try_size(struct line_binding *line, const struct line_source *source,
                     const struct line_results *reference, uint64_t size, bool *changed,
                     struct error *error) {
    const uint64_t rows[] = {0, size / 2, size - 1};
    for (uint64_t k = 0; k < 3 && !*changed; k++) {
        const struct line_place place = {.count = size, .at = rows[k]};
        char where[CHANGE_WHERE];
        snprintf(where, sizeof where, "row %llu of a batch of %llu, and not alone",
                 (unsigned long long)rows[k], (unsigned long long)size);
        if ((size <= LARGEST_AT_ALL_PLACES || k == (line->number + size) % 3) &&
            !lines_try(line, source, &place, reference, 0, where, changed, error))
            return false;
    }
    return true;
}

/* Sizes that make too much of a long line are left out, and so are those after one that changes bits: how
 * many calls each was compared in is told. */
static bool compare_batches(struct line_binding *line, const struct line_source *source,
                            const struct line_results *reference, struct error *error) {
    const struct batch_sizes sizes = sizes_of(line->request);
    struct property_tally *tally = line->tally;
    const uint64_t most =
        line->request->batch_sizes.count ? LINES_MOST_NUMBERS : USUAL_MOST_NUMBERS;
    bool changed = false;
    tally->batch_sizes = sizes;
    for (size_t i = 0; i < sizes.count && !changed; i++) {
        uint64_t before = tally->comparisons;
        if (sizes.sizes[i] * source->length > most)
            continue;
        if (!try_size(line, source, reference, sizes.sizes[i], &changed, error))
            return false;
        tally->batch_calls[i] += tally->comparisons > before;
    }
    return true;
}

static bool run_batch(const struct invariance_request *request, struct property_tally *tally,
                      struct error *error) {
    return lines_try_calls(request, tally, compare_batches, NULL, false, error);
}

const struct property property_batch = {
    .name = "batch",
    .summary = "the same row alone, or in batches of many sizes, at any place (--sizes)",
    .group = PROPERTY_OF_ARRAYS,
    .applies = lines_apply,
    .run = run_batch,
};
