/* Every function family, in an order in which each can use those before it. */
#ifndef DETMATH_ALL_H
#define DETMATH_ALL_H

#include "core.h"
#include "round.h"

#include "exp.h"

#include "log.h"

/* trigonometric.h: sin cos sincos tan */

/* hyperbolic.h: sinh cosh tanh */

/* inverse_trigonometric.h: asin acos atan atan2 */

/* error_function.h: erf erfc gelu gelu_tanh */

/* root.h: sqrt rsqrt recip cbrt hypot */

#include "sigmoid.h"

#include "logaddexp.h"

/* power.h: pow */

#endif
