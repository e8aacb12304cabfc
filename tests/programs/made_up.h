/* Operations that no release has, for list_test.py: a row each in made_up_rows.inc, and what
 * the rows point to. Nothing else of the program knows of them. */
#ifndef DETCHECK_TESTS_CMD_MADE_UP_H
#define DETCHECK_TESTS_CMD_MADE_UP_H

#include "op/operation.h"

float made_up_square_fp32(const float *x);
double made_up_square_fp64(const double *x);

bracket_function bracket_half_exp;
special_function special_half_exp;

#endif
