/* Functions with poles at the negative integers, and what is left of them without one: how the fast
 * oracle comes close to a pole (oracle/fast/poles.h). */
#ifndef DETCHECK_OP_FUNCTION_POLE_RULE_H
#define DETCHECK_OP_FUNCTION_POLE_RULE_H

#include "op/function/analytic.h"

#include <stdbool.h>

/* A function may be a sum of two, each of which has a better bound than their sum: the first is small,
 * and has a singularity within 1 of every x; the second is large, and has none left of 0. */
enum { POLE_PARTS = 2 };

struct pole_rule {
    bool logarithmic;
    /* Each encloses, as an analytic_function, for f and the integer n nearest to the centre of the ball
     * z, (z - n) f(z), or where the pole is logarithmic f(z) + ln|z - n|, continued; or a part of that,
     * times 1 or -1. */
    analytic_function *without_pole[POLE_PARTS];
    /* The same of f itself, for centres left of LEFT_PARTS; NULL where there are no parts. */
    analytic_function *left[POLE_PARTS];
};

#define LEFT_PARTS (-32.0)

#endif
