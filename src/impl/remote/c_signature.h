/* Calls of the functions to which C gives other types than those of numbers: integers in, integers
 * out, a second result by way of a pointer. op/operation.h, enum c_signature, says what becomes of
 * the integers. */
#ifndef DETCHECK_IMPL_REMOTE_C_SIGNATURE_H
#define DETCHECK_IMPL_REMOTE_C_SIGNATURE_H

#include "impl/call_window.h"
#include "op/operation.h"

/* Calls the function at the address with the operands x; all results go to y. Of C_NUMBERS there is
 * nothing to do here. The window, which may be NULL, is around the call alone: where an integer
 * cannot be passed, nothing is called, and it sees nothing. */
void c_signature_call_fp32(void *address, enum c_signature signature, const float *x, float *y,
                           struct call_window *window);
void c_signature_call_fp64(void *address, enum c_signature signature, const double *x, double *y,
                           struct call_window *window);

#endif
