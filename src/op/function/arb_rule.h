/* What a row has from Arb of a result. A row points to it, so that Arb's headers, which take a compiler longer than all
 * others together, are read by those alone who call it. */
#ifndef DETCHECK_OP_FUNCTION_ARB_RULE_H
#define DETCHECK_OP_FUNCTION_ARB_RULE_H

#include "op/function/analytic.h"
#include "op/function/ball.h"

struct arb_rule {
    ball_function *ball;         /* of one operand */
    ball_function_2 *ball2;      /* of two */
    analytic_function *analytic; /* of one operand */
};

/* In a row: .arb = ARB(.ball = arb_sin, .analytic = acb_sin) */
#define ARB(...) (&(const struct arb_rule){__VA_ARGS__})

#endif
