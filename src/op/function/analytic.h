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

analytic_function analytic_exp2, analytic_exp10, analytic_exp2m1, analytic_exp10m1;
analytic_function analytic_log, analytic_log2, analytic_log10, analytic_log1p, analytic_log2p1,
    analytic_log10p1;
analytic_function analytic_asin, analytic_acos, analytic_atan, analytic_asinpi, analytic_acospi,
    analytic_atanpi;
analytic_function analytic_asinh, analytic_acosh, analytic_atanh;
analytic_function analytic_sqrt, analytic_rsqrt, analytic_cbrt, analytic_recip;
analytic_function analytic_erf, analytic_erfc, analytic_tgamma, analytic_lgamma;
analytic_function analytic_sigmoid, analytic_softplus, analytic_logsigmoid, analytic_silu,
    analytic_gelu, analytic_gelu_tanh, analytic_mish;

#endif
