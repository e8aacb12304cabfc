/* The inside of power series, for series.c and series_expand.c. */
#ifndef DETCHECK_OP_FORMULA_SERIES_PARTS_H
#define DETCHECK_OP_FORMULA_SERIES_PARTS_H

#include "op/formula/tree.h"

#include <arb_poly.h>

enum { SERIES_TERMS = 12, SERIES_BITS = 256 };

/* The first terms of a formula whose operands have these; coefficients that are fractions with a power of two come out
 * exact, mostly. False where a step has no series. */
bool series_expand(const struct formula *formula, const arb_poly_struct *operands, arb_poly_t y);

#endif
