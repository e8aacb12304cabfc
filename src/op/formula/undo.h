/* Functions of what they undo, alone or times a number. */
#ifndef DETCHECK_OP_FORMULA_UNDO_H
#define DETCHECK_OP_FORMULA_UNDO_H

#include "op/formula/evaluate_parts.h"

/* formula_value_of, which needs these functions. */
typedef struct value *value_function(struct formula_work *work, int node);

/* What a node undoes the function of: its argument; else NULL. */
struct value *undo_function(struct formula_work *work, value_function value_of,
                            const struct formula_node *node);

/* log(c exp(u)) and log(exp(u) / c) are u + log c and u - log c for a fraction c above 0, and so are those to the base of 2 and
 * 10. log(erfcx(u)) is u^2 + log(erfc(u)). False for other nodes. */
bool undo_product(struct formula_work *work, value_function value_of,
                  const struct formula_node *node, struct value *y);

#endif
