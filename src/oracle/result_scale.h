/* The last step of IEEE P3109's BlockOp (4.0, 5.1.2 and 5.4): the exact result by the scale of the block that it is put into. */
#ifndef DETCHECK_ORACLE_RESULT_SCALE_H
#define DETCHECK_ORACLE_RESULT_SCALE_H

#include "format/real.h"

#include <mpfr.h>
#include <stdbool.h>

/* The bits of a struct real. */
enum { REAL_BITS = 128 };

/* Divides what `value` and *ternary say of a number: it, or where *ternary is not 0 a number beyond it in magnitude by
 * less than a unit of its last bit. Leaves the quotient truncated to the precision of `quotient`, and in *ternary whether
 * anything follows. A scale of 0 makes every number 0, an infinite one its sign, and NaN NaN. False where the bits of
 * `value` do not decide the quotient's. `value` is changed. */
bool divide_by_scale(mpfr_ptr quotient, int *ternary, mpfr_ptr value, const struct real *scale);

#endif
