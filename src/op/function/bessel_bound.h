/* Continuations of Bessel functions of integer order, for the fast oracle: what it needs is their
 * magnitude, which integrals bound in a few steps. All are as an analytic_function
 * (op/function/analytic.h) of z. */
#ifndef DETCHECK_OP_FUNCTION_BESSEL_BOUND_H
#define DETCHECK_OP_FUNCTION_BESSEL_BOUND_H

#include <acb.h>

/* J_n, Y_n right of the imaginary axis, I_n, and e^-z I_n(z) right of it, continued as an even or odd
 * function to the left. */
void bessel_analytic_j(acb_t y, const acb_t z, ulong order);
void bessel_analytic_y(acb_t y, const acb_t z, ulong order, slong precision);
void bessel_analytic_i(acb_t y, const acb_t z, ulong order);
void bessel_analytic_i_scaled(acb_t y, const acb_t z, ulong order, slong precision);

#endif
