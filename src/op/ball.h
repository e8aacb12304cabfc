/* Functions that Arb encloses many times faster than MPFR rounds them: gamma takes MPFR 4 to 40 µs,
 * and Arb 0.2 to 2. Arb's balls are theorems like MPFR's roundings; where one does not decide the
 * result, MPFR is asked (oracle/exact.h). */
#ifndef DETCHECK_OP_BALL_H
#define DETCHECK_OP_BALL_H

#include <arb.h>

/* Encloses the function at the exact number x in y, to about `precision` bits; y is not finite
 * where that is not known. */
typedef void ball_function(arb_t y, const arb_t x, slong precision);

ball_function ball_tgamma, ball_lgamma;

#endif
