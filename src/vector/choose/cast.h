/* Which inputs a group of casts has. Its rounding is to another format than that of its inputs, so
 * what is hard is known without a search: the numbers of the source next to the middle of two
 * numbers of the target, or next to one of these in a directed rounding. */
#ifndef DETCHECK_VECTOR_CHOOSE_CAST_H
#define DETCHECK_VECTOR_CHOOSE_CAST_H

#include "vector/choose/choose.h"

/* Special values; the limits of the target with their neighbours, rules.count at most of its
 * intervals with their ends and middles; hard neighbours of these (none in stochastic rounding,
 * whose boundaries the random bits move: there they are flagged as boundary); random ones, half of
 * them within the target's range. United, without outputs yet. */
bool choose_cast_inputs(struct vector_choices *choices, const struct binding_request *computed,
                        const struct choice_rules *rules, struct error *error);

#endif
