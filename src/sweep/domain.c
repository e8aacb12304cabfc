/* Sets of codes, their products and samples, and the filling of slices. */
#include "sweep/domain.h"

#include "sweep/scan.h"

#include "sweep/generator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const domain_kind_names[] = {"all", "range", "samples", "special", "file", "arrays"};

bool code_set_append(struct code_set *set, uint64_t first, uint64_t last, struct error *error) {
    bool joins = set->run_count && first == set->last_end + 1;
    if (!joins) {
        if (set->run_count == set->capacity) {
            size_t capacity = set->capacity ? 2 * set->capacity : 2;
            struct code_run *runs = realloc(set->runs, capacity * sizeof *runs);
            if (!runs)
                return error_set(error, "out of memory for %zu inputs", capacity);
            set->runs = runs;
            set->capacity = capacity;
        }
        set->runs[set->run_count++] = (struct code_run){first, set->count};
    }
    set->last_end = last;
    set->count += last - first + 1;
    return true;
}

void code_set_free(struct code_set *set) {
    free(set->runs);
    *set = (struct code_set){0};
}

/* The last run that starts at or before the index. */
static size_t run_of(const struct code_set *set, uint64_t index) {
    size_t low = 0, high = set->run_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (set->runs[middle].before <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t code_set_at(const struct code_set *set, uint64_t index) {
    const struct code_run *run = &set->runs[run_of(set, index)];
    return run->first + (index - run->before);
}

bool code_set_all(struct code_set *set, const struct format *format, struct error *error) {
    return code_set_append(set, 0, format_mask(format), error);
}

void domain_free(struct domain *domain) {
    for (int i = 0; i < MAX_OPERANDS; i++) {
        bool shared = false;
        for (int j = 0; j < i; j++)
            shared = shared || domain->sets[i].runs == domain->sets[j].runs;
        if (!shared)
            free(domain->sets[i].runs);
    }
    free(domain->tuples);
    *domain = (struct domain){0};
}

/* a * b, with 0 for 2^64 in and out; false beyond that. */
static bool multiply_counts(uint64_t a, uint64_t b, uint64_t *product) {
    if (a == 1 || b == 1) {
        *product = a == 1 ? b : a;
        return true;
    }
    uint64_t high = multiply_high(a, b);
    *product = a * b;
    return a && b && (high == 0 || (high == 1 && *product == 0));
}

static bool take_sets(struct domain *domain, const struct format *format, int operands,
                      struct code_set *sets, size_t set_count, struct error *error) {
    *domain = (struct domain){.format = format, .operands = operands};
    for (int i = 0; i < operands; i++)
        domain->sets[i] = sets[set_count == 1 ? 0 : i];
    for (int i = 0; i < operands; i++)
        if (!domain->sets[i].run_count)
            return error_set(error, "there are no inputs to test");
    return true;
}

bool domain_product(struct domain *domain, enum domain_kind kind, const struct format *format,
                    int operands, struct code_set *sets, size_t set_count, struct error *error) {
    if (!take_sets(domain, format, operands, sets, set_count, error))
        return false;
    domain->kind = kind;
    domain->count = 1;
    for (int i = 0; i < operands; i++)
        if (!multiply_counts(domain->count, domain->sets[i].count, &domain->count) ||
            domain->count == 0)
            return error_set(error, "these are 2^64 inputs or more, which no sweep ends; "
                                    "take --samples N or a smaller --range");
    return true;
}

/* How many leading operands are stratified together, and how many inputs those have (0: 2^64). */
static int stratified_operands(const struct domain *domain, uint64_t *count) {
    int leading = 0;
    *count = 1;
    while (leading < domain->operands) {
        uint64_t next;
        if (!multiply_counts(*count, domain->sets[leading].count, &next))
            break;
        *count = next;
        leading++;
    }
    return leading;
}

bool domain_samples(struct domain *domain, const struct format *format, int operands,
                    struct code_set *sets, size_t set_count, uint64_t samples, uint64_t seed,
                    struct error *error) {
    if (samples == 0)
        return error_set(error, "--samples 0 tests nothing; it wants 1 or more");
    if (!take_sets(domain, format, operands, sets, set_count, error))
        return false;
    domain->kind = DOMAIN_SAMPLES;
    domain->seed = seed;
    domain->count = samples;
    uint64_t total;
    if (stratified_operands(domain, &total) == operands && total && samples >= total)
        domain->count = total;
    return true;
}

/* Splits a number into indices of the leading operands, last fastest, and stores their codes. */
static void store_product(const struct domain *domain, int leading, uint64_t number, size_t at,
                          void *const *arrays) {
    size_t bytes = format_bytes(domain->format);
    for (int i = leading - 1; i >= 0; i--) {
        uint64_t count = domain->sets[i].count;
        uint64_t index = count ? number % count : number;
        number = count ? number / count : 0;
        code_store(arrays[i], bytes, at, code_set_at(&domain->sets[i], index));
    }
}

/* Divides `total` inputs (0: 2^64) among as many strata as there are samples, as evenly as integers
 * allow, and draws one input from stratum `index`. With more samples than inputs, several samples
 * share an input. */
static uint64_t draw_stratified(const struct domain *domain, uint64_t total, uint64_t index) {
    uint64_t samples = domain->count;
    if (total && samples > total) {
        uint64_t each = samples / total, larger = samples % total;
        uint64_t boundary = larger * (each + 1);
        return index < boundary ? index / (each + 1) : larger + (index - boundary) / each;
    }
    uint64_t quotient = total ? total / samples : (0 - samples) / samples + 1;
    uint64_t remainder = total ? total % samples : (0 - samples) % samples;
    uint64_t start = index * quotient + (index < remainder ? index : remainder);
    uint64_t width = quotient + (index < remainder);
    return start + generator_below(domain->seed, index, 0, width);
}

static void store_sample(const struct domain *domain, int leading, uint64_t total, uint64_t index,
                         size_t at, void *const *arrays) {
    store_product(domain, leading, draw_stratified(domain, total, index), at, arrays);
    for (int i = leading; i < domain->operands; i++) {
        uint64_t draw = generator_below(domain->seed, index, (unsigned)i, domain->sets[i].count);
        code_store(arrays[i], format_bytes(domain->format), at,
                   code_set_at(&domain->sets[i], draw));
    }
}

/* The common case, quick: one operand, runs of consecutive codes. */
static void fill_runs(const struct domain *domain, uint64_t first, size_t count, void *array) {
    const struct code_set *set = &domain->sets[0];
    size_t bytes = format_bytes(domain->format), run = run_of(set, first), at = 0;
    while (at < count) {
        uint64_t index = first + at;
        uint64_t end = run + 1 < set->run_count ? set->runs[run + 1].before : domain->count;
        uint64_t code = set->runs[run].first + (index - set->runs[run].before);
        size_t many = end - index < count - at ? (size_t)(end - index) : count - at;
        if (bytes == 2 || bytes == 4)
            scan_fill((char *)array + at * bytes, bytes, code, many);
        else
            for (size_t i = 0; i < many; i++)
                code_store(array, bytes, at + i, code + i);
        at += many;
        run++;
    }
}

void domain_fill(const struct domain *domain, uint64_t first, size_t count, void *const *arrays) {
    size_t bytes = format_bytes(domain->format);
    if (domain->tuples) {
        for (size_t i = 0; i < count; i++)
            for (int j = 0; j < domain->operands; j++)
                code_store(arrays[j], bytes, i,
                           domain->tuples[(first + i) * (uint64_t)domain->operands + (uint64_t)j]);
        return;
    }
    if (domain->kind == DOMAIN_SAMPLES) {
        uint64_t total;
        int leading = stratified_operands(domain, &total);
        for (size_t i = 0; i < count; i++)
            store_sample(domain, leading, total, first + i, i, arrays);
        return;
    }
    if (domain->operands == 1) {
        fill_runs(domain, first, count, arrays[0]);
        return;
    }
    for (size_t i = 0; i < count; i++)
        store_product(domain, domain->operands, first + i, i, arrays);
}
