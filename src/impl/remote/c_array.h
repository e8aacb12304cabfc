/* Calls of a function on arrays by its address:
 *
 *     float f(const float *x, size_t n)                    sum, mean, logsumexp
 *     float f(const float *x, const float *y, size_t n)    dot
 *     void f(float *y, const float *x, size_t n)           cumsum, logcumsumexp, softmax,
 *                                                          log_softmax, norms of a line
 *     void f(float *z, const float *x, const float *y, size_t rows, size_t inner, size_t columns)
 *                                                          matmul, row-major
 *     void f(float *y, const float *q, const float *k, const float *v, const size_t extents[7])
 *                                                          attention of BATCHxHEADSxQUERIESxKEYSxWIDTH, then
 *                                                          --page and --split, 0 where they are not given
 *
 *     void f(uint8_t *elements, uint8_t *scales, const float *x, size_t n)            mx.quantise
 *     void f(float *y, const uint8_t *elements, const uint8_t *scales, size_t n)      mx.dequantise
 *
 *     void f(int8_t *y, const int32_t *x, size_t n, int32_t multiplier, int32_t shift,
 *            int32_t zero_point)                                                      requantise
 *
 *     double f(const char *text, char **end), float f(const char *text, char **end)   from_decimal --to fp64, fp32
 *     int f(char *text, size_t room, const char *format, ...)                         to_decimal, as snprintf
 *
 * with a scale for each 32 elements, the last of which may be fewer, and uint16_t for fp16 and bf16;
 *
 * and the others in double, which fp64 calls, and others with --accumulate fp64; narrower formats are
 * widened to fp32 or fp64 (exactly), computed, and rounded once more. Along an axis it is called
 * for each line, n of 1 or more; of a reversed scan the line is turned round before, and of an
 * exclusive one the last element is left out. */
#ifndef DETCHECK_IMPL_REMOTE_C_ARRAY_H
#define DETCHECK_IMPL_REMOTE_C_ARRAY_H

#include "op/operation.h"

/* Whether there is a signature for the operation; false with the reason. */
bool c_array_provides(const struct operation *operation, const struct array_call *call,
                      struct error *why);

/* Fills the results of the call by the function at that address. `*is_written` becomes whether it wrote
 * all of them (impl/unwritten.h). False when memory fails. */
bool c_array_run(const struct operation *operation, void *address, const struct array_call *call,
                 bool *is_written, struct error *error);

#endif
