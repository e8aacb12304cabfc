/* Arithmetic on intervals of fp64 whose ends are rounded outward, so that they enclose exact results. */
#ifndef DETCHECK_SWEEP_PROMISE_OUTWARD_H
#define DETCHECK_SWEEP_PROMISE_OUTWARD_H

#include "sweep/promise/expression.h"

/* The next double toward -infinity, or toward infinity; infinity stays there. */
double outward_down(double value);
double outward_up(double value);

/* Encloses what + - * /, |...|, min or max makes of intervals; NaN where that is undefined. */
struct span_of_values outward_combine(enum expression_kind kind, struct span_of_values a,
                                      struct span_of_values b);

#endif
