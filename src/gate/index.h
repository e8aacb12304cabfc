/* Finding what goes with a case without looking at everything: among thousands of rules, or of
 * cases.
 *
 * Rules are kept by those of their patterns that are names: rules with names in the same parts
 * share a key, so that a case is looked up once for each such set of parts, which there are few
 * of. What is found by its key is then matched as a whole. */
#ifndef DETCHECK_GATE_INDEX_H
#define DETCHECK_GATE_INDEX_H

#include "gate/selector.h"

#include <stddef.h>
#include <stdint.h>

/* Numbers by a hash: those of one hash are walked from chain_first by chain_next, and END ends. */
struct chains {
    size_t *heads, *next;
    size_t mask;
};
#define CHAIN_END SIZE_MAX

/* For the numbers below `count`; false when memory is out. */
bool chains_make(struct chains *chains, size_t count);
void chains_free(struct chains *chains);

/* What is added last comes first. */
void chains_add(struct chains *chains, uint64_t hash, size_t number);
size_t chain_first(const struct chains *chains, uint64_t hash);
size_t chain_next(const struct chains *chains, size_t number);

/* Hashes: of a text after others, with its end; upper and lower case and '-' and '_' are the same
 * where `folded`. */
#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)
uint64_t hash_text(uint64_t hash, const char *text, bool folded);

struct rule;
struct rule_index {
    const struct rule *rules;
    struct chains chains;
    unsigned parts[1 << PART_COUNT]; /* the sets of parts that have names, as bits */
    size_t part_count;
    size_t *found; /* for the case that was looked up last */
    size_t found_count;
    struct gate_case last;
};

/* `rules` must stay where they are. False when memory is out. */
bool rule_index_make(struct rule_index *index, const struct rule *rules, size_t count);
void rule_index_free(struct rule_index *index);

/* The numbers of the rules that match, in ascending order, until the next call. */
const size_t *rule_index_find(struct rule_index *index, const struct gate_case *gate_case,
                              size_t *count);

/* Before it is asked of a case that stands where another stood. */
void rule_index_forget(struct rule_index *index);

#endif
