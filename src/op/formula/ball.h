/* A formula at exact numbers, enclosed by Arb: that decides most results in a tenth of the time which the steps on what is
 * known of each take (op/formula/evaluate.h). It shares nothing with the balls of complex numbers that the filter has. */
#ifndef DETCHECK_OP_FORMULA_BALL_H
#define DETCHECK_OP_FORMULA_BALL_H

#include "op/formula/tree.h"

#include <arb.h>

/* What a thread works in. */
struct formula_balls;
struct formula_balls *formula_balls_open(const struct formula *formula); /* NULL: out of memory */
void formula_balls_close(struct formula_balls *balls);

/* The ball of an operand, to be set before the formula is enclosed: finite, without 0. */
arb_ptr formula_balls_operand(struct formula_balls *balls, int operand);

/* Encloses the exact value at the operands; not finite where nothing is known of it. A ball that is exact is the value, but
 * for the sign of a zero. It holds until the next is asked for. */
arb_srcptr formula_ball(struct formula_balls *balls, slong precision);

#endif
