/* The power series of a formula around 0 of its last operand, with a bound on what it leaves out. Interval arithmetic on the
 * steps of sin(x) - x knows nothing near 0, where both terms cancel; the series is -x^3/6 and more, and says how much it is
 * and on which side. */
#ifndef DETCHECK_OP_FORMULA_SERIES_H
#define DETCHECK_OP_FORMULA_SERIES_H

#include "op/formula/tree.h"
#include "op/formula/value.h"

struct series;
struct series *series_open(const struct formula *formula); /* NULL when memory is out */
void series_close(struct series *series);

/* Encloses the formula at all numbers of x, whose ends have one sign, and its quotient by x, with the operands before
 * being `leading`; false where there is no series, or x reaches too far from 0. */
bool series_enclose(struct series *series, const struct real *leading, struct value *x,
                    struct value *y, struct value *slope);

#endif
