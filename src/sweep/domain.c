/* Sets of codes, their products and samples, and the filling of slices. */
#include "sweep/domain.h"

#include "sweep/judge/scan.h"

#include "sweep/generator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const domain_kind_names[] = {"all",  "range",  "samples", "special",
                                         "file", "arrays", "search"};

void domain_free(struct domain *domain) {
    for (int i = 0; i < MAX_OPERANDS; i++) {
        bool shared = false;
        for (int j = 0; j < i; j++)
            shared = shared || domain->sets[i].runs == domain->sets[j].runs;
        if (!shared)
            free(domain->sets[i].runs);
    }
    free(domain->tuples);
    cases_free(&domain->cases);
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
            return error_set(error, "these are 2^64 inputs or more, too many for a sweep; use "
                                    "--samples N or a smaller --range");
    return true;
}

/* How many there are to draw from (0: 2^64): values of an operand, or runs of the last one's. */
static uint64_t choices_of(const struct domain *domain, int operand) {
    uint64_t count = domain->sets[operand].count;
    if (domain->run_length <= 1 || operand + 1 < domain->operands)
        return count;
    return count ? count / domain->run_length : (0 - domain->run_length) / domain->run_length + 1;
}

/* How many leading operands are stratified together, and how many choices those have (0: 2^64). */
static int stratified_operands(const struct domain *domain, uint64_t *count) {
    int leading = 0, most = domain->operands;
    if (domain->integers.operation)
        most = domain->integers.place.operand;
    *count = 1;
    while (leading < most) {
        uint64_t next;
        if (!multiply_counts(*count, choices_of(domain, leading), &next))
            break;
        *count = next;
        leading++;
    }
    return leading;
}

bool domain_samples(struct domain *domain, const struct format *format, int operands,
                    struct code_set *sets, size_t set_count, const struct sampling *sampling,
                    struct error *error) {
    uint64_t length = sampling->run_length;
    if (sampling->samples == 0)
        return error_set(error, "--samples 0 tests nothing; give 1 or more");
    if (!take_sets(domain, format, operands, sets, set_count, error))
        return false;
    uint64_t values = domain->sets[operands - 1].count;
    if (length == 0 || length > MOST_RUN_LENGTH || (length & (length - 1)) ||
        length > sampling->samples || (values && length > values))
        return error_set(error,
                         "--run-length %llu: give a power of two up to %d, and at most --samples "
                         "and the number of values of the last operand",
                         (unsigned long long)length, MOST_RUN_LENGTH);
    domain->kind = DOMAIN_SAMPLES;
    domain->seed = sampling->seed;
    domain->count = sampling->samples;
    domain->run_length = length;
    uint64_t total;
    if (stratified_operands(domain, &total) == operands && total &&
        sampling->samples / length >= total)
        domain->count = total * length; /* all whole runs */
    else
        integer_draws_make(&domain->integers, sampling->operation, domain->sets);
    return true;
}

/* The code of an operand's choice; of one in a run of samples if it is the last operand's. */
static uint64_t chosen_code(const struct domain *domain, int operand, uint64_t choice,
                            uint64_t place) {
    bool runs = domain->run_length > 1 && operand + 1 == domain->operands;
    return code_set_at(&domain->sets[operand], runs ? choice * domain->run_length + place : choice);
}

/* Splits a number into choices of the leading operands, last fastest, and stores their codes. */
static void store_product(const struct domain *domain, int leading, uint64_t number, uint64_t place,
                          size_t at, void *const *arrays) {
    size_t bytes = format_bytes(domain->format);
    for (int i = leading - 1; i >= 0; i--) {
        uint64_t count = choices_of(domain, i);
        uint64_t choice = count ? number % count : number;
        number = count ? number / count : 0;
        code_store(arrays[i], bytes, at, chosen_code(domain, i, choice, place));
    }
}

/* Divides `total` choices (0: 2^64) among as many strata as there are samples (or runs of them), as
 * evenly as integers allow, and draws one choice from stratum `index`. With more samples than
 * choices, several samples share a choice. */
static uint64_t draw_stratified(const struct domain *domain, uint64_t total, uint64_t index) {
    uint64_t samples = (domain->count - 1) / domain->run_length + 1;
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

/* Which integer run `run` takes: of the first operand one of as many strata as there are runs. */
static uint64_t choose_integer(const struct domain *domain, uint64_t run, uint64_t other) {
    int operand = domain->integers.place.operand;
    uint64_t runs = (domain->count - 1) / domain->run_length + 1, width = UINT64_MAX / runs;
    uint64_t bits = generator_bits(domain->seed, run, (unsigned)operand);
    if (operand == 0)
        bits = run * width + multiply_high(bits, width);
    uint64_t index = integer_draw(&domain->integers, domain->format, &domain->sets[operand], other,
                                  bits, operand == 0);
    if (operand + 1 < domain->operands)
        return index;
    uint64_t choice = index / domain->run_length, last = choices_of(domain, operand) - 1;
    return choice < last ? choice : last;
}

static void store_sample(const struct domain *domain, int leading, uint64_t total, uint64_t index,
                         size_t at, void *const *arrays) {
    uint64_t run = index / domain->run_length, place = index % domain->run_length;
    size_t bytes = format_bytes(domain->format);
    store_product(domain, leading, draw_stratified(domain, total, run), place, at, arrays);
    for (int i = leading; i < domain->operands; i++) {
        bool is_integer = domain->integers.operation && domain->integers.place.operand == i;
        uint64_t choice =
            is_integer ? choose_integer(domain, run, i > 0 ? code_load(arrays[0], bytes, at) : 0)
                       : generator_below(domain->seed, run, (unsigned)i, choices_of(domain, i));
        code_store(arrays[i], bytes, at, chosen_code(domain, i, choice, place));
    }
}

/* Consecutive codes, from element `at` on. */
static void fill_codes(void *array, size_t bytes, size_t at, uint64_t first, size_t count) {
    if (bytes > 1)
        scan_fill((char *)array + at * bytes, bytes, first, count);
    else
        for (size_t i = 0; i < count; i++)
            code_store(array, bytes, at + i, first + i);
}

/* As many samples of one run as are wanted and follow: the last operand's consecutive values. */
static size_t fill_sampled_run(const struct domain *domain, int leading, uint64_t total,
                               uint64_t index, size_t at, size_t count, void *const *arrays) {
    size_t bytes = format_bytes(domain->format);
    uint64_t left = domain->run_length - index % domain->run_length;
    size_t many = left < count ? (size_t)left : count;
    store_sample(domain, leading, total, index, at, arrays);
    if (many == 1)
        return 1;
    store_sample(domain, leading, total, index + many - 1, at + many - 1, arrays);
    int last = domain->operands - 1;
    uint64_t first_code = code_load(arrays[last], bytes, at);
    /* Where the set has a gap inside of the run, each has to be looked up. */
    bool gapless = code_load(arrays[last], bytes, at + many - 1) - first_code == many - 1;
    for (size_t i = 1; !gapless && i < many; i++)
        store_sample(domain, leading, total, index + i, at + i, arrays);
    if (!gapless)
        return many;
    fill_codes(arrays[last], bytes, at, first_code, many);
    for (int j = 0; j < last; j++)
        for (size_t i = 1; i < many; i++)
            code_store(arrays[j], bytes, at + i, code_load(arrays[j], bytes, at));
    return many;
}

/* The common case, quick: one operand, runs of consecutive codes. */
static void fill_runs(const struct domain *domain, uint64_t first, size_t count, void *array) {
    const struct code_set *set = &domain->sets[0];
    size_t bytes = format_bytes(domain->format), run = code_set_run_of(set, first), at = 0;
    while (at < count) {
        uint64_t index = first + at;
        uint64_t end = run + 1 < set->run_count ? set->runs[run + 1].before : domain->count;
        uint64_t code = set->runs[run].first + (index - set->runs[run].before);
        size_t many = end - index < count - at ? (size_t)(end - index) : count - at;
        fill_codes(array, bytes, at, code, many);
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
        for (size_t i = 0; i < count;)
            i += fill_sampled_run(domain, leading, total, first + i, i, count - i, arrays);
        return;
    }
    if (domain->operands == 1) {
        fill_runs(domain, first, count, arrays[0]);
        return;
    }
    for (size_t i = 0; i < count; i++)
        store_product(domain, domain->operands, first + i, 0, i, arrays);
}

void domain_codes_at(const struct domain *domain, uint64_t index, uint64_t codes[MAX_OPERANDS]) {
    void *arrays[MAX_OPERANDS];
    for (int i = 0; i < MAX_OPERANDS; i++)
        arrays[i] = &codes[i];
    domain_fill(domain, index, 1, arrays);
    for (int i = 0; i < domain->operands; i++)
        codes[i] = code_load(arrays[i], format_bytes(domain->format), 0);
}
