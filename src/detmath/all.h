/* Every function family, in an order in which each can use those before it. */
#ifndef DETMATH_ALL_H
#define DETMATH_ALL_H

#include "core.h"
#include "round.h"

#include "exp.h"

#include "log.h"

#include "trigonometric.h"

#include "hyperbolic.h"

#include "inverse_trigonometric.h"

#include "atan2.h"

#include "error_function.h"

#include "root.h"

#include "sigmoid.h"

#include "logaddexp.h"

#include "power.h"

#include "random.h"

#include "cast.h"

#include "mx.h"

#include "reductions.h"

#include "exact_sum.h"

#include "dyadic.h"

#include "scaled.h"

#endif
