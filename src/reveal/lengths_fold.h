/* The rule of many lengths. */
#ifndef DETCHECK_REVEAL_LENGTHS_FOLD_H
#define DETCHECK_REVEAL_LENGTHS_FOLD_H

#include "reveal/lengths.h"

/* Whether the rule gives a tree of the same hash: of what is added, or of what is rounded alone, which few arrays may show,
 * or none. */
bool lengths_gives(const struct lengths *lengths, const struct revealed *own,
                   uint64_t (*hash)(const struct order_tree *));

/* The rule of all that is revealed so far. */
bool lengths_fold(struct lengths *lengths, const struct reveal_request *request,
                  struct error *error);

#endif
