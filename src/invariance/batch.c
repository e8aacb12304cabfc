/* Batch: the same line, or row of the first matrix, among others, in batches of many sizes. */
#include "invariance/lines.h"
#include "invariance/properties.h"
#include "invariance/rearranged.h"

#include "op/array/algorithms.h"

#include <stdio.h>

/* What a call may cost: numbers of a batch, or multiplications of a product. What costs more than EVERY is
 * tried in one call of EACH, unless the user has named the sizes; what costs more than MOST is not tried. */
struct cost {
    uint64_t every, most;
};
static const struct cost cost_of_lines = {1 << 19, 1 << 24}, cost_of_products = {1 << 22, 1 << 28},
                         cost_of_exact = {1 << 13, 1 << 16}; /* lines, a thousand times slower */
enum { EACH = 8 };

/* In larger ones the line stands at one of three places, call by call. */
enum { LARGEST_AT_ALL_PLACES = 33 };

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

/* Whether lines are computed by the oracle. */
static bool is_exact(const struct line_binding *line) {
    const struct array_algorithm *algorithm =
        array_algorithm_find(line->computed.operation->array, line->request->implementation->name);
    return algorithm && algorithm->run == run_exact;
}

/* The least batch of the usual sizes is always tried, since it is hardly more than the call itself. */
static bool is_tried(const struct line_binding *line, const struct line_source *source,
                     uint64_t size) {
    const struct array *operands = source->call->operands;
    const bool product = line->computed.operation->array->lines == LINES_PRODUCT,
               named = line->request->batch_sizes.count > 0;
    const struct cost *cost = product                    ? &cost_of_products
                              : is_exact(line) && !named ? &cost_of_exact
                                                         : &cost_of_lines;
    const uint64_t extent = product ? operands[0].shape.extents[1] : source->length;
    const uint64_t line_cost = product ? extent * operands[1].shape.extents[1] : extent;
    if (!named && (size == batch_sizes_of(line->request).sizes[0] || !line_cost))
        return true;
    const uint64_t most = named || line->number % EACH == 0 ? cost->most : cost->every;
    return size <= most / (line_cost + !line_cost);
}

/* Sizes after one that changes bits are left out: the tally says in how many calls each was compared. */
static bool compare_batches(struct line_binding *line, const struct line_source *source,
                            const struct line_results *reference, struct error *error) {
    const struct batch_sizes sizes = batch_sizes_of(line->request);
    struct property_tally *tally = line->tally;
    bool changed = false;
    tally->batch_sizes = sizes;
    for (size_t i = 0; i < sizes.count && !changed; i++) {
        uint64_t before = tally->comparisons;
        if (!is_tried(line, source, sizes.sizes[i]))
            continue;
        if (!try_size(line, source, reference, sizes.sizes[i], &changed, error))
            return false;
        tally->batch_calls[i] += tally->comparisons > before;
    }
    return true;
}

/* A size that the user has named is not passed over in silence. */
static bool check_named(const struct invariance_request *request,
                        const struct property_tally *tally, struct error *error) {
    if (!request->batch_sizes.count || shard_is_part(&request->shard) || tally->unanswered ||
        tally->results[0].changed || tally->results[1].changed || (request->stop && *request->stop))
        return true;
    for (size_t i = 0; i < tally->batch_sizes.count; i++)
        if (!tally->batch_calls[i])
            return error_set(
                error,
                "no call has a batch of %llu lines: that is more than 2^24 numbers, or "
                "than 2^28 multiplications of a product; name a smaller one in --sizes",
                (unsigned long long)tally->batch_sizes.sizes[i]);
    return true;
}

static bool run_batch(const struct invariance_request *request, struct property_tally *tally,
                      struct error *error) {
    if (rearranged_has(request, property_batch.name))
        return rearranged_run(request, tally, property_batch.name, error);
    return lines_try_calls(request, tally, compare_batches, NULL, false, error) &&
           check_named(request, tally, error);
}

static bool batch_applies(const struct invariance_request *request, const struct binding *binding,
                          struct error *why) {
    if (!rearranged_has(request, property_batch.name))
        return lines_apply(request, binding, why);
    if (request->batch_sizes.count)
        return error_set(why, "--shape, and not --sizes, sets the number of samples of %s",
                         request->computed.operation->name);
    return rearranged_applies(request, property_batch.name, why);
}

const struct property property_batch = {
    .name = "batch",
    .summary = "the same row alone, or in batches of many sizes, at any place (--sizes)",
    .of[CALL_ON_ARRAYS] = {.applies = batch_applies, .run = run_batch},
};
