/* A formula as a function of its last operand, over a ball of complex numbers, as op/function/analytic.h has it for rows:
 * the fast oracle needs a bound on the magnitude around a block of inputs. */
#ifndef DETCHECK_OP_FORMULA_ANALYTIC_H
#define DETCHECK_OP_FORMULA_ANALYTIC_H

#include "op/formula/tree.h"

#include <acb.h>

/* Whether the fast oracle can have the formula: each of its functions is analytic somewhere. */
bool formula_is_analytic(const struct formula *formula);

/* Encloses in y the continuation of the formula from the real numbers of the ball z, its last operand, whose centre is
 * real, where it is analytic on all of z: each choice (select, |u|, min, floor, round to a format) falls the same way
 * for all of these real numbers. Else y is not finite. The operands before are real numbers, or not finite. */
void formula_analytic(const struct formula *formula, acb_t y, acb_srcptr leading, const acb_t z,
                      slong precision);

#endif
