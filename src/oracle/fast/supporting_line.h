/* What an inequality says of a result, beside a fit. */
#ifndef DETCHECK_ORACLE_FAST_SUPPORTING_LINE_H
#define DETCHECK_ORACLE_FAST_SUPPORTING_LINE_H

#include "format/real.h"
#include "op/function/supporting_line.h"

/* Given that f(x) lies between *low and what is above, of the sign of x, *low is replaced where the
 * supporting line bounds f(x) better: by the supporting line, and strictly. x is finite, not 0, of
 * at most 60 bits.
 */
void supporting_line_narrow(const struct supporting_line *supporting_line, const struct real *x,
                            struct real *low);

/* Whether y = f(x), truncated to `precision` bits, lies where the supporting line says. */
bool supporting_line_agrees(const struct supporting_line *supporting_line, const struct real *x,
                            const struct real *y, int precision);

#endif
