/* Which inputs a group of vectors has: special, boundary, hard, random, and on request every one.
 */
#ifndef DETCHECK_VECTOR_CHOOSE_CHOOSE_H
#define DETCHECK_VECTOR_CHOOSE_CHOOSE_H

#include "vector/choose/draw.h"

/* Chooses the inputs of `computed`; they are united and have flags, but no outputs yet. */
bool choose_inputs(struct vector_choices *choices, const struct binding_request *computed,
                   const struct choice_rules *rules, struct error *error);

#endif
