/* What an inequality says of a result, beside a fit. */
#ifndef DETCHECK_ORACLE_FAST_TANGENT_H
#define DETCHECK_ORACLE_FAST_TANGENT_H

#include "format/real.h"
#include "op/function/tangent.h"

/* Given that f(x) lies between *low and what is above, of the sign of x, *low is replaced where the
 * tangent bounds f(x) better: by the tangent, and strictly. x is finite, not 0, of at most 60 bits.
 */
void tangent_narrow(const struct tangent *tangent, const struct real *x, struct real *low);

/* Whether y = f(x), truncated to `precision` bits, lies where the tangent says. */
bool tangent_agrees(const struct tangent *tangent, const struct real *x, const struct real *y,
                    int precision);

#endif
