/* Finding the rules that go with a case without looking at thousands of them.
 *
 * Rules are kept by those of their patterns that are names: rules with names in the same parts
 * share a key, so that a case is looked up once for each such set of parts, which there are few
 * of. What is found by its key is then matched as a whole. */
#ifndef DETCHECK_GATE_INDEX_H
#define DETCHECK_GATE_INDEX_H

#include "base/chains.h"
#include "gate/selector.h"

#include <stddef.h>
#include <stdint.h>

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
