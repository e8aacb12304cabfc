/* Inputs in evenly spread runs, and ever fewer of them. */
#include "bench/errors.h"

#include "base/clock.h"

#include <string.h>

enum { LEAST_INPUTS_LOG2 = 4, LEAST_SHIFT = 4 };

/* How many runs of neighbours there are, and how long one is. */
struct extent {
    unsigned runs_log2, run_log2;
};

static const struct extent extent_of_all = {8, 18}, extent_of_pairs = {14, 10},
                           extent_of_fp64 = {10, 14}, extent_of_range = {7, 14}; /* of each sign */

static struct extent whole_extent(const struct bench_request *request) {
    return request->operation->operands > 1 ? extent_of_pairs
           : request->format->width == 64   ? extent_of_fp64
           : request->has_errors            ? extent_of_range
                                            : extent_of_all;
}

/* Runs of bit patterns from one value to another, evenly spread or end to end. */
static bool make_set_between(struct code_set *set, const struct bench_request *request,
                             struct extent extent, struct error *error) {
    const struct format *format = request->format;
    uint64_t signs = (uint64_t)1 << (format->width - 1), length = (uint64_t)1 << extent.run_log2;
    float ends[2] = {(float)request->errors_low, (float)request->errors_high};
    uint32_t codes[2];
    memcpy(codes, ends, sizeof codes);
    for (unsigned sign = 0; sign < 2; sign++) {
        /* From 0 or the end that is nearer to it outwards. */
        bool inside = ends[0] <= 0 && ends[1] >= 0, negative = sign == 1;
        if (!inside && negative != (ends[1] < 0))
            continue;
        uint64_t near = inside ? 0 : codes[negative] & (signs - 1);
        uint64_t far = codes[!negative] & (signs - 1), count = far - near + 1;
        uint64_t runs = (count + length - 1) / length,
                 most = request->exhaustive ? runs : (uint64_t)1 << extent.runs_log2;
        for (uint64_t run = 0; run < runs && run < most; run++) {
            uint64_t first = near + (runs > most ? run * runs / most : run) * length;
            uint64_t last = first + length - 1 < far ? first + length - 1 : far;
            if (!code_set_append(set, sign * signs + first, sign * signs + last, error))
                return false;
        }
    }
    return true;
}

/* Those of fp32; all of them where each run begins where the one before ends. */
static bool make_set_of_runs(struct code_set *set, struct extent extent, struct error *error) {
    uint64_t stride = (uint64_t)1 << (32 - extent.runs_log2);
    bool made = true;
    for (uint64_t first = 0; made && first >> 32 == 0; first += stride)
        made = code_set_append(set, first, first + ((uint64_t)1 << extent.run_log2) - 1, error);
    return made;
}

/* All codes of each operand, or those that are swept of it where nobody names a range. */
static bool make_whole_sets(struct code_set sets[MAX_OPERANDS], size_t *set_count,
                            const struct operation *operation, const struct format *format,
                            struct error *error) {
    bool made = true;
    for (*set_count = 0; made && *set_count < (size_t)operation->operands; ++*set_count) {
        const char *range = operation->ranges[*set_count];
        struct code_set *set = &sets[*set_count];
        made = range ? code_set_range(set, format, range, NULL, error)
                     : code_set_all(set, format, error);
    }
    return made && code_sets_keep_calls(sets, set_count, operation, format, error);
}

static bool make_domain(const struct bench_request *request, struct extent extent,
                        struct domain *domain, struct error *error) {
    const struct format *format = request->format;
    const struct operation *operation = request->operation;
    const struct sampling sampling = {.samples = (uint64_t)1
                                                 << (extent.runs_log2 + extent.run_log2),
                                      .seed = 1,
                                      .run_length = (uint64_t)1 << extent.run_log2,
                                      .operation = operation};
    struct code_set sets[MAX_OPERANDS] = {{0}};
    size_t set_count;
    if (operation->operands > 1 || format->width == 64)
        return make_whole_sets(sets, &set_count, operation, format, error) &&
               domain_samples(domain, format, operation->operands, sets, set_count, &sampling,
                              error);
    if (!request->has_errors && request->exhaustive)
        extent.run_log2 = 32 - extent.runs_log2;
    return (request->has_errors ? make_set_between(sets, request, extent, error)
                                : make_set_of_runs(sets, extent, error)) &&
           domain_product(domain, DOMAIN_RANGE, format, 1, sets, 1, error);
}

/* When a sweep has taken long enough. */
struct patience {
    double start, most; /* seconds of the process's threads together */
    volatile sig_atomic_t over;
};

static void look_at_clock(void *context, uint64_t done) {
    struct patience *patience = context;
    (void)done;
    if (clock_process_seconds() - patience->start > patience->most)
        patience->over = 1;
}

static void look_within_slice(void *context, uint64_t first, double seconds) {
    (void)seconds;
    look_at_clock(context, first);
}

/* What came of one sweep. */
struct attempt {
    uint64_t inputs, covered,
        by_filter; /* of the domain; those that it came to, and that the filter decided */
};

static void note_errors(const struct bench_request *request, const struct sweep_outcome *swept,
                        struct bench_errors *errors) {
    for (size_t i = 0; i < request->implementation_count; i++)
        for (int j = 0; swept->implementations[i].provided && j < request->operation->results;
             j++) {
            const struct tally *tally = &swept->implementations[i].tallies[j];
            errors->of[i].inputs = tally->tested;
            if (tally->has_max && tally->max.error > errors->of[i].largest)
                errors->of[i].largest = tally->max.error;
        }
}

/* The errors are there where it came to all inputs. */
static bool attempt_sweep(const struct bench_request *request, struct extent extent,
                          struct attempt *attempt, struct bench_errors *errors,
                          struct error *error) {
    struct domain domain;
    struct sweep_outcome swept;
    if (!make_domain(request, extent, &domain, error))
        return false;
    struct patience patience = {clock_process_seconds(), request->seconds * request->threads, 0};
    struct sweep_request sweep = {.computed = {.operation = request->operation,
                                               .format = domain.format,
                                               .rounding = ROUND_NEAREST_EVEN,
                                               .overflow = OVERFLOW_IEEE},
                                  .recheck = 1,
                                  .domain = &domain,
                                  .implementations = request->implementations,
                                  .implementation_count = request->implementation_count,
                                  .threads = request->threads};
    if (!request->exhaustive || request->operation->operands > 1) {
        sweep.stop = &patience.over;
        sweep.progress = look_at_clock;
        sweep.slow = look_within_slice;
        sweep.progress_context = sweep.slow_context = &patience;
        sweep.patience = request->seconds * 1.25; /* then they are over where nothing else runs */
    }
    bool ran = sweep_run(&sweep, &swept, error);
    *attempt = (struct attempt){.inputs = domain.count};
    domain_free(&domain);
    if (!ran)
        return false;
    attempt->covered = swept.covered;
    attempt->by_filter = swept.oracle[0].fast;
    if (swept.complete)
        note_errors(request, &swept, errors);
    sweep_outcome_free(&swept);
    return true;
}

/* A sixteenth of what was judged in the time, or less, since inputs cost what they like. Where the oracle takes
 * them one by one, single inputs lie best; the filter takes runs, which stay as long. */
static bool take_fewer(struct extent *extent, const struct attempt *attempt) {
    bool by_filter = 2 * attempt->by_filter > attempt->covered;
    unsigned *first = by_filter ? &extent->runs_log2 : &extent->run_log2,
             *second = by_filter ? &extent->run_log2 : &extent->runs_log2;
    unsigned shift = LEAST_SHIFT, all = *first + *second;
    while (shift < all && attempt->inputs >> shift > attempt->covered >> LEAST_SHIFT)
        shift++;
    if (shift + LEAST_INPUTS_LOG2 > all)
        return false;
    unsigned of_first = shift < *first ? shift : *first;
    *first -= of_first;
    *second -= shift - of_first;
    return true;
}

bool bench_errors_find(const struct bench_request *request, struct bench_errors *errors,
                       struct error *error) {
    struct extent extent = whole_extent(request);
    struct attempt attempt;
    uint64_t whole = 0;
    *errors = (struct bench_errors){0};
    do {
        if (!attempt_sweep(request, extent, &attempt, errors, error))
            return false;
        whole = whole ? whole : attempt.inputs;
        errors->too_many = whole > attempt.inputs ? whole : 0;
        if (attempt.covered == attempt.inputs)
            return true;
    } while (take_fewer(&extent, &attempt));
    errors->too_many = whole;
    return true;
}
