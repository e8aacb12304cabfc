/* Functions that MPFR has under another shape, brought to the shape of the rows, and the platform's
 * arithmetic operators as functions. */
#ifndef DETCHECK_OP_FUNCTION_NATIVES_H
#define DETCHECK_OP_FUNCTION_NATIVES_H

#include "op/operation.h"

mpfr_function native_lgamma, native_recip;
special_function special_rsqrt;

float operator_add_fp32(const float *x), operator_sub_fp32(const float *x);
float operator_mul_fp32(const float *x), operator_div_fp32(const float *x);
float operator_recip_fp32(const float *x);
double operator_add_fp64(const double *x), operator_sub_fp64(const double *x);
double operator_mul_fp64(const double *x), operator_div_fp64(const double *x);
double operator_recip_fp64(const double *x);

#endif
