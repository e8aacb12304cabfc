/* Functions enclosed by Arb, several times faster than MPFR rounds them: a logarithm takes MPFR
 * 900 ns and Arb 150, gamma takes them 4 to 40 µs and 0.2 to 2. Arb's balls are theorems like
 * MPFR's roundings; where one does not decide the result, MPFR is asked (oracle/exact.h). Rows name
 * Arb's own functions where it has them. */
#ifndef DETCHECK_OP_FUNCTION_BALL_H
#define DETCHECK_OP_FUNCTION_BALL_H

#include <arb.h>

/* Encloses the function at the exact number x, finite and not 0, in y, to about `precision` bits;
 * y is +infinity, exactly, where the function is known to exceed 2^INTERVAL_DECIDED_BY_SIZE, a power of
 * two below the reciprocal of that, with the function's sign, where the function is known to be that
 * small, and otherwise not finite where nothing is known. */
typedef void ball_function(arb_t y, const arb_t x, slong precision);

/* The same of two exact numbers, neither of them 0. */
typedef void ball_function_2(arb_t y, const arb_t a, const arb_t b, slong precision);

#endif
