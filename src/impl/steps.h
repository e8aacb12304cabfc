/* An implementation by its formula (op/formula/tree.h): each step is computed and rounded as it stands there, so that
 * one sees what a rewriting costs before anybody writes it.
 *
 *   steps:1/sqrt(x)                       each step in the operands' format
 *   steps@fp32: 1/sqrt(x)                 in that format, and the result rounded to the operands'
 *   steps:libm: exp(x*log(2))             functions by libm instead of det
 *
 * + - * / sqrt fma min max and rounding are right in each format; other functions are those of det, cr, libm, or published
 * ones (steps_published.h).
 * A number, pi and e are rounded once. u^n for a whole n of at most 64 is products by squaring. */
#ifndef DETCHECK_IMPL_STEPS_H
#define DETCHECK_IMPL_STEPS_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_steps;

/* Whether a name is of that kind. */
bool steps_is_named(const char *name);

#endif
