/* Every function family, and what else detmath has, in an order in which each can use those before
 * it. */
#ifndef DETMATH_ALL_H
#define DETMATH_ALL_H

#include "families.h"

#include "families_f64.h"

#include "random.h"

#include "cast.h"

#include "mx.h"

#include "reductions.h"

#include "norms.h"

#include "attention.h"
#include "attention_gradient.h"
#include "attention_odd.h"

#include "gates.h"

#include "rope.h"

#include "parts_over.h"

#include "convolution.h"
#include "cross_entropy.h"
#include "gate_gradients.h"
#include "norm_gradients.h"
#include "optimisers.h"
#include "pooling.h"
#include "softmax_gradient.h"

#include "exact_sum.h"

#include "dyadic.h"

#include "dyadic_real.h"

#include "requantise.h"

#include "dyadic_linear.h"

#include "scaled_plans.h"

#include "scaled.h"
#include "scaled_functions.h"

#include "scaled_search.h"

#include "self_check.h"

#endif
