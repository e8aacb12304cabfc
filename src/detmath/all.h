/* Every function family, in an order in which each can use those before it. */
#ifndef DETMATH_ALL_H
#define DETMATH_ALL_H

#include "core.h"
#include "round.h"

#include "exp.h"

/* log.h: log log2 log10 log1p */

/* trigonometric.h: sin cos sincos tan */

#include "hyperbolic.h"

/* inverse_trigonometric.h: asin acos atan atan2 */

#include "error_function.h"

/* root.h: sqrt rsqrt recip cbrt hypot */

/* sigmoid.h: sigmoid logsigmoid softplus silu mish logaddexp */

/* power.h: pow */

#endif
