/* Chains, and rules by the parts that they name. */
#include "gate/index.h"

#include "gate/policy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* As patterns see the text: upper and lower case are the same, and so are '-' and '_'. */
static uint64_t hash_folded(uint64_t hash, const char *text) {
    do
        hash = hash_byte(hash, (unsigned char)selector_fold(*text));
    while (*text++);
    return hash;
}

/* The parts of a rule that are names, as bits. */
static unsigned named_parts(const struct selector *selector) {
    unsigned parts = 0;
    for (int part = 0; part < PART_COUNT; part++)
        if (selector->patterns[part] && selector_is_name(selector->patterns[part]))
            parts |= 1u << part;
    return parts;
}

static uint64_t rule_key(const struct selector *selector, unsigned parts) {
    uint64_t hash = HASH_BEGIN ^ parts;
    for (int part = 0; part < PART_COUNT; part++)
        if (parts >> part & 1)
            hash = hash_folded(hash, selector->patterns[part]);
    return hash;
}

static uint64_t case_key(const struct gate_case *gate_case, unsigned parts) {
    uint64_t hash = HASH_BEGIN ^ parts;
    for (int part = 0; part < PART_COUNT; part++)
        if (parts >> part & 1)
            hash = hash_folded(hash, selector_part_of(gate_case, part));
    return hash;
}

bool rule_index_make(struct rule_index *index, const struct rule *rules, size_t count) {
    bool there[1 << PART_COUNT] = {false};
    *index =
        (struct rule_index){.rules = rules, .found = malloc((count + 1) * sizeof *index->found)};
    if (!index->found || !chains_make(&index->chains, count)) {
        rule_index_free(index);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        unsigned parts = named_parts(&rules[i].selector);
        chains_add(&index->chains, rule_key(&rules[i].selector, parts), i);
        if (!there[parts])
            index->parts[index->part_count++] = parts;
        there[parts] = true;
    }
    return true;
}

void rule_index_free(struct rule_index *index) {
    chains_free(&index->chains);
    free(index->found);
    *index = (struct rule_index){0};
}

void rule_index_forget(struct rule_index *index) {
    index->last = (struct gate_case){0};
    index->found_count = 0;
}

static int by_number(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

const size_t *rule_index_find(struct rule_index *index, const struct gate_case *gate_case,
                              size_t *count) {
    if (index->last.implementation != gate_case->implementation) {
        index->last = *gate_case;
        index->found_count = 0;
        for (size_t i = 0; i < index->part_count; i++) {
            unsigned parts = index->parts[i];
            for (size_t at = chain_first(&index->chains, case_key(gate_case, parts));
                 at != CHAIN_END; at = chain_next(&index->chains, at))
                /* Chains of several keys may be one. */
                if (named_parts(&index->rules[at].selector) == parts &&
                    selector_matches(&index->rules[at].selector, gate_case))
                    index->found[index->found_count++] = at;
        }
        qsort(index->found, index->found_count, sizeof *index->found, by_number);
    }
    *count = index->found_count;
    return index->found;
}
