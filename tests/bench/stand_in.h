/* Something to time where libm has no function: the nearest composition of libm's
 * functions, in double, rounded to fp32. It is no implementation that anybody claims to be right.
 */
#ifndef DETCHECK_TESTS_BENCH_STAND_IN_H
#define DETCHECK_TESTS_BENCH_STAND_IN_H

#include "impl/implementation.h"

/* Named "stand-in"; provides fp32, functions of one operand and result that it has a row for. */
extern const struct implementation_kind implementation_stand_in;

#endif
