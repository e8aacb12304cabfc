/* `exact`: what the oracle says, correctly rounded. For operations that neither det nor cr has it is what others are held
 * against in explain and compare. MPFR computes each result, which takes microseconds. */
#ifndef DETCHECK_IMPL_EXACT_H
#define DETCHECK_IMPL_EXACT_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_exact;

#endif
