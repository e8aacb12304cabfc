/* The reciprocal, which MPFR has as a quotient alone. */
#ifndef DETCHECK_OP_FUNCTION_RECIPROCAL_H
#define DETCHECK_OP_FUNCTION_RECIPROCAL_H

#include <mpfr.h>

/* y = 1 / x; returns MPFR's ternary value. */
int mpfr1_recip(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding);

#endif
