/* Exact results as fractions. */
#ifndef DETCHECK_ORACLE_RATIO_H
#define DETCHECK_ORACLE_RATIO_H

#include "op/operation.h"

#include <gmp.h>

/* The result of an operation that the rule gives to MPFR, for regular operands. A rule of one
 * operand uses the first. False where the result is no fraction, or none that is found by a few steps. */
bool oracle_ratio(mpq_t y, const struct result_rule *rule, mpfr_srcptr a, mpfr_srcptr b);

#endif
