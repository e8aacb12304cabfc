/* `variant:CHOICES`: exp, sigmoid, tanh, log and sin in fp32 as the choices have them that one makes who
 * writes such a function: with or without fma, by Horner's or Estrin's scheme, with minimax coefficients
 * or Taylor's, by 1 to 4 terms of Cody and Waite's, of this or that degree. All come from one source, so
 * that each choice can be judged and timed alone. detcheck-functions(7) has the results. */
#ifndef DETCHECK_IMPL_VARIANTS_VARIANTS_H
#define DETCHECK_IMPL_VARIANTS_VARIANTS_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_variant;

#endif
