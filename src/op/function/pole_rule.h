/* Functions with poles at the negative integers, and what is left of them without one: how the fast
 * oracle comes close to a pole (oracle/fast/poles.h). */
#ifndef DETCHECK_OP_FUNCTION_POLE_RULE_H
#define DETCHECK_OP_FUNCTION_POLE_RULE_H

#include "op/function/analytic.h"

#include <stdbool.h>

struct pole_rule {
    /* Encloses, for f and the integer n nearest to the centre of the ball z, (z - n) f(z), or where
     * the pole is logarithmic f(z) + ln|z - n|, continued; as an analytic_function. */
    analytic_function *without_pole;
    bool logarithmic;
};

#endif
