/* Searching for hard cases, by whichever way the operation and format allow. */
#include "vector/choose/hard.h"

#include "oracle/exact.h"
#include "oracle/fast/filter.h"

#include <omp.h>
#include <stdlib.h>

enum {
    SCAN_LOG2 = 18,
    MEASURE_AT_ONCE = 64,
    FIRST_LIMIT = 1024,
    LOOSEN = 64,
    MOST_GIVEN = 1 << 16,
    POOLED = 1 << 15,
    FIRST_SPARE = 64
};

/* A search under way; fields below the line are shared by the threads. */
struct hard_case_search {
    const struct binding_request *computed;
    const struct choice_rules *rules;
    double limit; /* inputs at a larger distance are left out from the beginning */
    size_t room;  /* so many of the nearest are measured: a few turn out to be no numbers */

    struct hard_candidates candidates;      /* of all threads */
    bool dropped;                           /* some of these, since there is no room */
    struct vector_choices found, asymptote; /* unmeasured, or measured */
    bool failed;
    uint64_t scanned; /* codes, in this pass, of all results */
    struct error *error;
};

static void fail(struct hard_case_search *search, const struct error *error) {
#pragma omp critical(hard_failure)
    {
        if (!search->failed)
            *search->error = *error;
#pragma omp atomic write
        search->failed = true;
    }
}

static bool has_failed(struct hard_case_search *search) {
    bool failed;
#pragma omp atomic read
    failed = search->failed;
    return failed;
}

/* One thread tells how many codes all threads have scanned in this pass. */
static void tell(struct hard_case_search *search, uint64_t count, uint64_t all) {
    uint64_t scanned;
#pragma omp atomic capture
    scanned = search->scanned += count;
    if (omp_get_thread_num() == 0)
        stage_tell(search->rules->stage, NULL, scanned,
                   all * (uint64_t)search->computed->operation->results);
}

static void take(struct hard_case_search *search, struct vector_choices *list,
                 const struct hard_candidates *candidates) {
    struct error error;
#pragma omp critical(hard_merge)
    for (size_t i = 0; i < candidates->count; i++) {
        struct vector_choice test = {.in = {candidates->items[i].code}};
        if (!vector_choices_add(list, &test)) {
            error_set(&error, "out of memory");
            fail(search, &error);
            break;
        }
    }
}

/* Hands a thread's candidates on to those of all, which say how near the next must lie. So there is
 * room for the nearest once, and not for each thread. */
static void pool(struct hard_case_search *search, struct hard_candidates *candidates) {
    struct error error;
#pragma omp critical(hard_merge)
    {
        for (size_t i = 0; i < candidates->count; i++)
            if (!hard_add(&search->candidates, &candidates->items[i])) {
                error_set(&error, "out of memory");
                fail(search, &error);
                break;
            }
        candidates->limit = search->candidates.limit;
    }
    candidates->count = 0;
}

/* One thread's part of the fast pass for one result. */
static void scan_part(struct hard_case_search *search, int result) {
    const struct format *format = search->computed->format;
    uint64_t count = format_mask(format) + 1, step = (uint64_t)1 << SCAN_LOG2;
    struct filter *filter =
        filter_open(search->computed->operation, format, result, search->computed->rounding);
    struct hard_candidates candidates = {.keep = search->room, .limit = search->limit};
    struct hard_candidates asymptote = {.keep = SIZE_MAX, .limit = 1};
    struct error error;
    error_set(&error, "out of memory");
    if (!filter)
        fail(search, &error);
#pragma omp for schedule(dynamic, 1)
    for (uint64_t first = 0; first < count; first += step) {
        uint64_t last = (first + step < count ? first + step : count) - 1;
        if (filter && !has_failed(search) &&
            !hard_scan(filter, search->computed, first, last, &candidates, &asymptote, &error))
            fail(search, &error);
        if (candidates.count > POOLED)
            pool(search, &candidates);
        tell(search, last + 1 - first, count);
    }
    pool(search, &candidates);
    take(search, &search->asymptote, &asymptote);
    free(candidates.items);
    free(asymptote.items);
    filter_close(filter);
    oracle_thread_end();
}

static void scan_all(struct hard_case_search *search) {
    search->scanned = 0;
    for (int result = 0; result < search->computed->operation->results; result++) {
        search->candidates = (struct hard_candidates){.keep = search->room, .limit = search->limit};
#pragma omp parallel num_threads(search->rules->threads)
        scan_part(search, result);
        hard_shrink(&search->candidates);
        search->dropped = search->dropped || search->candidates.limit < search->limit;
        take(search, &search->found, &search->candidates);
        free(search->candidates.items);
    }
}

/* One thread's part of measuring a list; what cannot be measured gets distance 1. */
static void measure_part(struct hard_case_search *search, struct vector_choices *list) {
    struct oracle oracle;
    struct error error;
    oracle_open(&oracle, search->computed->operation, search->computed->format,
                &search->computed->parameters, ORACLE_MOST_BITS);
    oracle.rounding = search->computed->rounding;
#pragma omp for schedule(dynamic, MEASURE_AT_ONCE)
    for (size_t i = 0; i < list->count; i++) {
        bool measured;
        if (!has_failed(search) && !hard_distance(&oracle, search->computed, list->items[i].in,
                                                  &list->items[i].distance, &measured, &error))
            fail(search, &error);
    }
    oracle_close(&oracle);
    oracle_thread_end();
}

/* Measures the list and sorts it, hardest first. */
static bool measure_all(struct hard_case_search *search, struct vector_choices *list) {
    vector_choices_unite(list, search->computed->operation->operands);
#pragma omp parallel num_threads(search->rules->threads)
    measure_part(search, list);
    for (size_t i = 0; i < list->count; i++)
        list->items[i].flags = 1u << VECTOR_HARD;
    vector_choices_arrange(list);
    return !search->failed;
}

/* Adds the `most` hardest of a measured list to the choices. Of those that lie at a boundary exactly
 * no more than half, if there are others, and these from everywhere among them: ties of products
 * would else be all there is. */
static bool add_hardest(struct hard_case_search *search, const struct vector_choices *list,
                        size_t most, struct vector_choices *choices) {
    size_t exact = 0, measured = 0;
    while (measured < list->count && list->items[measured].distance <= 0.5)
        exact += !(list->items[measured++].distance > 0);
    size_t others = measured - exact < most / 2 ? measured - exact : most / 2;
    size_t taken = exact < most - others ? exact : most - others;
    bool added = true;
    for (size_t i = 0; i < taken && added; i++)
        added = vector_choices_add(choices, &list->items[i * exact / taken]);
    for (size_t i = exact; i < measured && i - exact < most - taken && added; i++)
        added = vector_choices_add(choices, &list->items[i]);
    return added || error_set(search->error, "out of memory");
}

static bool has_filter(const struct binding_request *computed) {
    /* All inputs are looked at. */
    if (request_result_format(computed) != computed->format || computed->format->width > 32)
        return false;
    for (int i = 0; i < computed->operation->results; i++) {
        struct filter *filter =
            computed->operation->operands == 1 && !computed->operation->result[i].partly &&
                    !computed->operation->result[i].exact
                ? filter_open(computed->operation, computed->format, i, computed->rounding)
                : NULL;
        filter_close(filter);
        if (!filter)
            return false;
    }
    return true;
}

enum hard_search hard_search_of(const struct binding_request *computed) {
    return request_input_bits(computed) <= 16 || has_filter(computed) ? HARD_ALL : HARD_SAMPLED;
}

uint64_t hard_draws_of(const struct binding_request *computed) {
    return computed->operation->ranges[0] && !computed->operation->made_of ? HARD_FEW_DRAWS
                                                                           : HARD_DRAWS;
}

/* All inputs of at most 16 bits, or draws. */
static bool list_inputs(struct hard_case_search *search) {
    const struct binding_request *computed = search->computed;
    const struct format *format = computed->format;
    int operands = computed->operation->operands;
    bool all = request_input_bits(computed) <= 16;
    uint64_t count = all ? (uint64_t)1 << request_input_bits(computed) : hard_draws_of(computed);
    struct choose_integers integers;
    if (!choose_integers_open(&integers, computed->operation, format, search->error))
        return false;
    bool added = true;
    for (uint64_t i = 0; i < count && added; i++) {
        struct vector_choice test = {0};
        if (!all) /* other draws than the random tests */
            choose_draw(format, operands, search->rules->seed + 1, i, count, &integers, test.in);
        if (all)
            choose_split(format, operands, i, test.in);
        added = !operation_is_call_of(computed->operation, computed->format, test.in) ||
                vector_choices_add(&search->found, &test);
    }
    choose_integers_close(&integers);
    return added || error_set(search->error, "out of memory");
}

/* The inputs of the file, which compete with the draws. */
static bool list_given(struct hard_case_search *search, const struct domain *given) {
    for (uint64_t i = 0; i < given->count; i++) {
        struct vector_choice test = {0};
        domain_codes_at(given, i, test.in);
        if (!vector_choices_add(&search->found, &test))
            return error_set(search->error, "out of memory");
    }
    return true;
}

bool hard_read(struct domain *given, const struct binding_request *computed,
               const struct choice_rules *rules, struct error *error) {
    *given = (struct domain){0};
    if (!rules->hard)
        return true;
    return domain_file(given, computed->format, computed->operation, rules->hard, NULL,
                       rules->hard_note, error) &&
           (given->count <= MOST_GIVEN ||
            error_set(error, "%s stands for more than %d inputs of %s", rules->hard, MOST_GIVEN,
                      computed->operation->name));
}

/* The fast pass. Without a limit the early blocks alone would make a long list; with one that turns
 * out to leave too few, the pass is done again. */
static bool search_all(struct hard_case_search *search) {
    uint64_t keep = search->rules->count;
    double inputs = (double)(format_mask(search->computed->format) + 1);
    search->limit = (double)keep * (double)FIRST_LIMIT / inputs;
    search->room = (size_t)(keep + keep / 8 + FIRST_SPARE);
    for (;; search->limit *= (double)LOOSEN, search->room *= 2) {
        search->limit = search->limit < 1 ? search->limit : 1;
        search->dropped = false;
        scan_all(search);
        if (search->failed || !measure_all(search, &search->found) ||
            !measure_all(search, &search->asymptote))
            return false;
        if ((search->limit >= 1 && !search->dropped) ||
            (search->found.count >= keep &&
             search->found.items[keep - 1].distance <= search->limit))
            return true;
        vector_choices_free(&search->found);
        vector_choices_free(&search->asymptote);
    }
}

bool hard_inputs(struct vector_choices *choices, const struct binding_request *computed,
                 const struct choice_rules *rules, const struct domain *given,
                 struct error *error) {
    struct hard_case_search search = {.computed = computed, .rules = rules, .error = error};
    bool found = (has_filter(computed) ? search_all(&search)
                                       : list_inputs(&search) && list_given(&search, given) &&
                                             measure_all(&search, &search.found));
    bool added = found && add_hardest(&search, &search.found, (size_t)rules->count, choices) &&
                 add_hardest(&search, &search.asymptote, HARD_ASYMPTOTE, choices);
    vector_choices_free(&search.found);
    vector_choices_free(&search.asymptote);
    return added;
}
