/* Pairing what two files have of the same. */
#include "report/compare.h"

#include "base/chains.h"

#include <stdlib.h>
#include <string.h>

static bool add_pair(struct compare_pairs *pairs, const struct compare_pair *pair,
                     struct error *error) {
    if (pairs->count == pairs->room) {
        size_t room = pairs->room ? 2 * pairs->room : 16;
        struct compare_pair *items = realloc(pairs->items, room * sizeof *items);
        if (!items)
            return error_set(error, "out of memory");
        pairs->items = items;
        pairs->room = room;
    }
    pairs->items[pairs->count++] = *pair;
    return true;
}

static bool same_section(const struct fingerprint_section *a, const struct fingerprint_section *b) {
    return strcmp(a->operation, b->operation) == 0 && strcmp(a->format, b->format) == 0 &&
           strcmp(a->rounding, b->rounding) == 0 && strcmp(a->parameters, b->parameters) == 0 &&
           strcmp(a->inputs, b->inputs) == 0 && a->count == b->count;
}

/* Whether all sections are of one implementation. */
static bool one_implementation(const struct fingerprint_file *file) {
    for (size_t i = 1; i < file->count; i++)
        if (strcmp(file->sections[i].implementation, file->sections[0].implementation) != 0)
            return false;
    return true;
}

/* The numbers below `count` by the hashes of what they stand for, in ascending order. */
typedef uint64_t hash_of(const void *all, size_t number);
static bool make_chains(struct chains *chains, hash_of *hash, const void *all, size_t count,
                        struct error *error) {
    if (!chains_make(chains, count))
        return error_set(error, "out of memory");
    for (size_t i = count; i-- > 0;)
        chains_add(chains, hash(all, i), i);
    return true;
}

static uint64_t hash_section(const void *all, size_t number) {
    const struct fingerprint_section *one = (const struct fingerprint_section *)all + number;
    const char *const texts[] = {one->operation, one->format, one->rounding, one->parameters,
                                 one->inputs};
    return hash_texts(texts, sizeof texts / sizeof *texts);
}

bool compare_pair_sections(const struct fingerprint_file *a, const struct fingerprint_file *b,
                           struct compare_pairs *pairs, struct error *error) {
    bool any_name = one_implementation(a) && one_implementation(b);
    struct chains of_b;
    *pairs = (struct compare_pairs){0};
    bool good = make_chains(&of_b, hash_section, b->sections, b->count, error);
    for (size_t i = 0; good && i < a->count; i++)
        for (size_t j = chain_first(&of_b, hash_section(a->sections, i)); good && j != CHAIN_END;
             j = chain_next(&of_b, j)) {
            const struct fingerprint_section *x = &a->sections[i], *y = &b->sections[j];
            if (same_section(x, y) &&
                (any_name || strcmp(x->implementation, y->implementation) == 0))
                good = add_pair(pairs, &(struct compare_pair){.a = i, .b = j}, error);
        }
    pairs->unpaired = a->count + b->count - 2 * pairs->count;
    chains_free(&of_b);
    return good;
}

static bool same_result(const struct read_result *a, const struct read_result *b) {
    return strcmp(a->operation, b->operation) == 0 && strcmp(a->format, b->format) == 0 &&
           strcmp(a->rounding, b->rounding) == 0 && strcmp(a->parameters, b->parameters) == 0 &&
           strcmp(a->inputs.kind, b->inputs.kind) == 0 &&
           strcmp(a->inputs.description, b->inputs.description) == 0 &&
           strcmp(a->inputs.seed, b->inputs.seed) == 0 && a->inputs.count == b->inputs.count;
}

static bool same_inputs(const struct read_result *a, const struct read_result *b,
                        struct error *error) {
    return !read_inputs_differ(a, b) ||
           error_set(error, "%.60s in %.30s: both have %.100s, but different ones: %.60s and %.60s",
                     a->operation, a->format, a->inputs.description, a->inputs.identity,
                     b->inputs.identity);
}

static size_t count_provided(const struct read_report *report, size_t *most) {
    size_t all = 0;
    *most = 0;
    for (size_t i = 0; i < report->result_count; i++) {
        size_t here = 0;
        for (size_t j = 0; j < report->results[i].implementation_count; j++)
            here += report->results[i].implementations[j].provided;
        all += here;
        *most = here > *most ? here : *most;
    }
    return all;
}

static uint64_t hash_result(const void *all, size_t number) {
    const struct read_result *one = (const struct read_result *)all + number;
    const char *const texts[] = {one->operation,          one->format,
                                 one->rounding,           one->parameters,
                                 one->inputs.description, one->inputs.seed};
    return hash_texts(texts, sizeof texts / sizeof *texts);
}

/* Those of two results that have a name in common, or whatever they are called. */
static bool pair_implementations(const struct read_report *a, const struct read_report *b,
                                 struct compare_pair pair, bool any_name,
                                 struct compare_pairs *pairs, struct error *error) {
    const struct read_result *x = &a->results[pair.a], *y = &b->results[pair.b];
    for (size_t k = 0; k < x->implementation_count; k++)
        for (size_t l = 0; l < y->implementation_count; l++) {
            const struct read_implementation *p = &x->implementations[k];
            const struct read_implementation *q = &y->implementations[l];
            pair.a_implementation = k;
            pair.b_implementation = l;
            if (p->provided && q->provided && (any_name || strcmp(p->name, q->name) == 0) &&
                !add_pair(pairs, &pair, error))
                return false;
        }
    return true;
}

bool compare_pair_results(const struct read_report *a, const struct read_report *b,
                          struct compare_pairs *pairs, struct error *error) {
    size_t most_a, most_b;
    size_t all = count_provided(a, &most_a) + count_provided(b, &most_b);
    bool any_name = most_a == 1 && most_b == 1;
    struct chains of_b;
    *pairs = (struct compare_pairs){0};
    bool good = make_chains(&of_b, hash_result, b->results, b->result_count, error);
    for (size_t i = 0; good && i < a->result_count; i++)
        for (size_t j = chain_first(&of_b, hash_result(a->results, i)); good && j != CHAIN_END;
             j = chain_next(&of_b, j))
            if (same_result(&a->results[i], &b->results[j]))
                good = same_inputs(&a->results[i], &b->results[j], error) &&
                       pair_implementations(a, b, (struct compare_pair){.a = i, .b = j}, any_name,
                                            pairs, error);
    pairs->unpaired = all - 2 * pairs->count;
    chains_free(&of_b);
    return good;
}
