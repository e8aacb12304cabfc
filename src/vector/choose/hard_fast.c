/* The fast pass over all inputs of a function of one operand, by the blocks of the fast oracle. */
#include "vector/choose/hard.h"

#include "base/bits.h"
#include "base/vector.h"
#include "oracle/boundary.h"
#include "oracle/fast/decide.h"
#include "oracle/fast/filter.h"

#include <stdlib.h>
#include <string.h>

enum { ASYMPTOTE_ENDS = 4, FEW = 1 << 12 };

static int by_most(const void *a, const void *b) {
    double x = ((const struct hard_candidate *)a)->most;
    double y = ((const struct hard_candidate *)b)->most;
    return (x > y) - (x < y);
}

void hard_shrink(struct hard_candidates *candidates) {
    if (candidates->count <= candidates->keep)
        return;
    qsort(candidates->items, candidates->count, sizeof *candidates->items, by_most);
    size_t kept = 0;
    candidates->limit = candidates->items[candidates->keep - 1].most;
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates->items[i].least <= candidates->limit)
            candidates->items[kept++] = candidates->items[i];
    candidates->count = kept;
}

bool hard_add(struct hard_candidates *candidates, const struct hard_candidate *candidate) {
    if (candidate->least > candidates->limit)
        return true;
    if (candidates->count == candidates->capacity) {
        hard_shrink(candidates);
        if (2 * candidates->count >= candidates->capacity) {
            size_t capacity = candidates->capacity ? 2 * candidates->capacity : FEW;
            struct hard_candidate *items = realloc(candidates->items, capacity * sizeof *items);
            if (!items)
                return false;
            candidates->items = items;
            candidates->capacity = capacity;
        }
    }
    candidates->items[candidates->count++] = *candidate;
    return true;
}

/* In ulps: what is smaller, boundary_is_near does not take. */
#define SMALLEST 0.25

/* What turns a value into a distance. */
struct measure {
    uint64_t least;     /* emin, biased as in a double */
    uint64_t ulp_scale; /* less a biased exponent, that of 1 / ulp */
    double end, beyond; /* of values from `end` on nothing is said, and from `beyond` on no more */
    double middle;      /* the boundary's place between two numbers: 0.5, or 0 */
    double most;        /* a distance that other boundaries than those two may have */
    bool has_rules;
    struct decision_rules rules; /* of the quick look */
};

/* An enclosure of the distance for each value; without branches, so that it vectorises. Values in
 * the binade above or below by their error have a number of the format as neighbour either way, so
 * only their ulp is in doubt, by a factor of 2, which the doubled margin covers where the boundary
 * is a number. Where it is a middle, the one below a power of two is 0.25 ulp away, so no more is
 * claimed of any. Returns the least of `least`. */
FOR_EACH_CPU
static double measure_strip(const struct measure *measure, const struct fit *fit, const double *p,
                            size_t count, double *least, double *most) {
    /* As integers, positive doubles are in their order, and negative ones are negative. */
    int64_t lowest = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = bits_of(p[i]) & (UINT64_MAX >> 1), binade = bits >> 52;
        double size = from_bits(bits);
        binade = binade > measure->least ? binade : measure->least;
        binade = binade < measure->ulp_scale ? binade : measure->ulp_scale;
        double scale = from_bits((measure->ulp_scale - binade) << 52);
        double margin = 2 * (fit->bound + fit->relative * size) * scale + 0x1p-50;
        double ulps = size * scale;
        double off = ulps - ((ulps + 0x1p52) - 0x1p52);
        double distance = measure->middle - from_bits(bits_of(off) & (UINT64_MAX >> 1));
        distance = from_bits(bits_of(distance) & (UINT64_MAX >> 1));
        double low = (distance < measure->most ? distance : measure->most) - margin;
        low = size < measure->end ? low : size < measure->beyond ? 0 : 1;
        low = ulps + margin < SMALLEST ? 1 : low;
        int64_t order = (int64_t)bits_of(low);
        least[i] = low;
        most[i] = size < measure->end ? distance + margin : 1;
        lowest = order < lowest ? order : lowest;
    }
    return from_bits((uint64_t)lowest);
}

static struct measure measure_for(const struct binding_request *computed) {
    const struct format *format = computed->format;
    bool nearest =
        computed->rounding == ROUND_NEAREST_EVEN || computed->rounding == ROUND_NEAREST_AWAY;
    double top = power_of_two(format->emax + 1);
    struct measure measure = {.least = (uint64_t)(1023 + format->emin),
                              .ulp_scale = (uint64_t)(1023 + 1023 + format->precision - 1),
                              .end = top - 2 * power_of_two(format->emax - format->precision + 1),
                              .beyond = top,
                              .middle = nearest ? 0.5 : 0,
                              .most = nearest ? 0.25 : 1};
    measure.has_rules =
        decision_rules_for(format, computed->rounding, computed->overflow, NULL, 0, &measure.rules);
    return measure;
}

/* Whether a quick look shows that no input of the strip is to be kept, as it does for nearly all. */
static bool is_far(const struct measure *measure, const struct block *block, size_t at,
                   size_t count, double limit) {
    return measure->has_rules && limit < measure->most &&
           fit_least_distance(&block->fit, block->log2_count, &measure->rules, measure->middle, at,
                              count) > limit;
}

/* Whether the function is known to be 0, 1, -1 or infinite there, for its period: at a boundary
 * between roundings, as half of all large numbers are, and no hard case. */
static bool is_known(struct filter *filter, uint64_t code) {
    struct real y;
    return filter_period_value(filter, code, &y) && !y.inexact;
}

static bool scan_fit(struct filter *filter, const struct block *block,
                     const struct measure *measure, struct hard_candidates *candidates) {
    size_t size = (size_t)1 << block->log2_count, count;
    double p[DECISION_STRIP], least[DECISION_STRIP], most[DECISION_STRIP];
    for (size_t at = 0; at < size; at += count) {
        count = size - at < DECISION_STRIP ? size - at : DECISION_STRIP;
        if (is_far(measure, block, at, count, candidates->limit))
            continue;
        fit_values(&block->fit, block->log2_count, at, count, p, NULL);
        if (measure_strip(measure, &block->fit, p, count, least, most) > candidates->limit)
            continue;
        for (size_t i = 0; i < count; i++) {
            struct hard_candidate candidate = {least[i], most[i], block->first + at + i};
            if (least[i] < 1 && least[i] <= candidates->limit &&
                !is_known(filter, candidate.code) && !hard_add(candidates, &candidate))
                return false;
        }
    }
    return true;
}

/* The distance from the line is monotone, so the nearest lie at an end of the block. Rounding to
 * nearest, only half of an odd number of smallest units lies at a boundary. */
static bool scan_asymptote(const struct block *block, bool nearest,
                           struct hard_candidates *asymptote) {
    const struct asymptote *row = block->asymptote;
    bool half = row->slope > 0 && row->slope < 1;
    if (row->side == ASYMPTOTE_EXACT || row->side == ASYMPTOTE_ALTERNATING || (nearest && !half))
        return true;
    uint64_t size = (uint64_t)1 << block->log2_count;
    for (uint64_t i = 0; i < ASYMPTOTE_ENDS; i++) {
        struct hard_candidate low = {0, 0.5, block->first + (2 * i + 1)};
        struct hard_candidate high = {0, 0.5, block->first + size - (2 * i + 1)};
        if (!hard_add(asymptote, &low) || !hard_add(asymptote, &high))
            return false;
    }
    return true;
}

static bool scan_exact(const struct block *block, const struct binding_request *computed,
                       struct hard_candidates *candidates, struct hard_candidates *asymptote,
                       struct error *error) {
    struct oracle oracle;
    bool done = true;
    oracle_open(&oracle, computed->operation, computed->format, &computed->parameters,
                ORACLE_MOST_BITS);
    oracle.rounding = computed->rounding;
    for (uint64_t i = 0; i < (uint64_t)1 << block->log2_count && done; i++) {
        const uint64_t codes[MAX_OPERANDS] = {block->first + i};
        double distance;
        bool measured;
        done = hard_distance(&oracle, computed, codes, &distance, &measured, error);
        struct hard_candidate candidate = {distance, distance, codes[0]};
        bool tiny = distance > 0 && distance <= boundary_resolution(computed->format);
        if (done && measured && !hard_add(tiny ? asymptote : candidates, &candidate))
            done = error_set(error, "out of memory");
    }
    oracle_close(&oracle);
    return done;
}

bool hard_scan(struct filter *filter, const struct binding_request *computed, uint64_t first,
               uint64_t last, struct hard_candidates *candidates, struct hard_candidates *asymptote,
               struct error *error) {
    struct measure measure = measure_for(computed);
    bool nearest = measure.middle > 0;
    for (uint64_t code = first; code <= last;) {
        const struct block *block = filter_block(filter, NULL, code);
        code = block->first + ((uint64_t)1 << block->log2_count);
        if (block->kind == BLOCK_FIT && !scan_fit(filter, block, &measure, candidates))
            return error_set(error, "out of memory");
        if (block->kind == BLOCK_ASYMPTOTE && !scan_asymptote(block, nearest, asymptote))
            return error_set(error, "out of memory");
        if (block->kind == BLOCK_EXACT &&
            !scan_exact(block, computed, candidates, asymptote, error))
            return false;
    }
    return true;
}
