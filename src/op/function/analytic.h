/* The functions of one operand on balls of complex numbers, by Arb.
 *
 * The fast oracle (oracle/fast/fit.h) needs one thing of a function beyond its values: a bound on
 * its magnitude around a block of inputs. Arb's ball arithmetic gives it as a theorem: the result
 * of each step contains every value over the ball. The only duty left here is analyticity: a branch
 * cut must not cross the ball, or the enclosure, though right, bounds no derivative. */
#ifndef DETCHECK_OP_FUNCTION_ANALYTIC_H
#define DETCHECK_OP_FUNCTION_ANALYTIC_H

#include <acb.h>

/* Encloses the function over the ball `z` (whose centre is real) in `y`, where the continuation of
 * the real function from the centre is analytic on all of the ball; else y is not finite. y and z
 * are distinct. */
typedef void analytic_function(acb_t y, const acb_t z, slong precision);

#endif
