/* The arithmetic of steps of formulas: values are doubles that are numbers of the steps' format, and each result is
 * rounded to that once. */
#ifndef DETCHECK_IMPL_STEPS_ARITHMETIC_H
#define DETCHECK_IMPL_STEPS_ARITHMETIC_H

#include "format/format.h"
#include "op/formula/tree.h"

#include <stdint.h>

/* A double rounded to a format. */
double steps_rounded(const struct format *format, double value);

/* A constant of a formula. */
double steps_constant(const struct format *format, const struct formula_node *node);

/* a b + c. */
double steps_fused(const struct format *format, double a, double b, double c);

/* x^n by squaring from the first bit of n on, each product rounded; 1 over that where n is negative. */
double steps_power(const struct format *format, double x, long n);

/* The greater or the lesser, as IEEE 754's maximum and minimum. */
double steps_extremum(double a, double b, bool greater);

/* As formula_holds takes it. */
int steps_order(double a, double b);

double steps_to_integer(double a, enum rounding rounding);

/* From codes of a format and to them. */
uint64_t steps_code(const struct format *format, double value);
double steps_value(const struct format *format, uint64_t code);

#endif
