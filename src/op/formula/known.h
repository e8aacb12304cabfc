/* Steps whose operands have closed forms (op/formula/form.h): results that are numbers, and forms of results. */
#ifndef DETCHECK_OP_FORMULA_KNOWN_H
#define DETCHECK_OP_FORMULA_KNOWN_H

#include "op/formula/step.h"
#include "op/formula/tree.h"

/* Whether y, the result of the step at a and b (NULL: it has one operand), is known exactly: then it is set. Else the
 * step has to be computed, and known_form gives the result its form. */
bool known_result(struct stepper *stepper, const struct formula_node *node, struct value *a,
                  struct value *b, struct value *y);
void known_form(const struct formula_node *node, const struct value *a, const struct value *b,
                struct value *y);

#endif
