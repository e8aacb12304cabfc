/* The rows of what a search found (record/record.h), and how two become one. */
#ifndef DETCHECK_SWEEP_SEARCH_RECORD_H
#define DETCHECK_SWEEP_SEARCH_RECORD_H

#include "record/kinds.h"
#include "sweep/search/search.h"

/* "search" of the inputs of a result, and one of its parts. */
extern const struct record search_record, search_part_record;

/* Whether the first one is worse: among equals that with the smaller codes, so that no order of
 * discovery shows. */
bool search_is_worse(enum search_purpose purpose, size_t operands, const struct found_input *a,
                     const struct found_input *b);

/* Whether a value of that purpose is better than another. */
bool search_is_better(enum search_purpose purpose, double value, double other);

/* Whether both sought the same, of as many parts; and for the same implementations. */
bool search_same_purpose(const struct search_record *a, const struct search_record *b);
bool search_same_names(const struct search_record *a, const struct search_record *b);

/* Adds what another search for the same found. `beside`: the two are shards of one, and ran beside each other;
 * else the second followed the first. */
void search_merge(struct search_record *mine, const struct search_record *theirs, bool beside);

#endif
