/* Calls of functions that convert numbers, by the types that C has for the formats: float for fp32, double
 * for fp64, and for each other format the unsigned integer of 8, 16, 32 or 64 bits that holds its codes, or the signed
 * one, which is passed alike:
 *
 *     uint8_t f(float), float f(uint8_t), uint16_t f(double), ...
 *     void f(uint8_t *y, const float *x, size_t n)
 *
 * Where rounding is stochastic, the random bits follow: uint8_t f(float, uint32_t), and
 * void f(uint8_t *y, const float *x, const uint32_t *random, size_t n). */
#ifndef DETCHECK_IMPL_REMOTE_C_CONVERSION_H
#define DETCHECK_IMPL_REMOTE_C_CONVERSION_H

#include "impl/call_window.h"
#include "op/conversion.h"

struct c_function;

/* Converts a number, which lies in memory as its format has it; `random` may be NULL. The window, which
 * may be NULL, is around the call alone. */
typedef void c_conversion_call(void *address, const void *from, void *to, const uint32_t *random,
                               struct call_window *window);

c_conversion_call *c_conversion_find(const struct format *from, const struct format *to);

/* Keeps the bits of the code of results in int4 and the like, in an array as the function returned them. An int8_t of -8
 * has the bits above them set, too. */
void c_conversion_take_low_bits(const struct c_function *function, void *results, size_t count);

/* Whether the function is handed random bits, and those for the input of that number in the domain. */
bool c_conversion_is_random(const struct c_function *function);
uint32_t c_conversion_random(const struct c_function *function, uint64_t index);

void c_conversion_call_one(const struct c_function *function, const void *from, void *to,
                           uint32_t random, struct call_window *window);

/* How the function is called: "uint8_t f(float)". Returns `text`. */
enum { C_SIGNATURE_TEXT = 96 };
const char *c_conversion_signature(const struct c_function *function, char text[C_SIGNATURE_TEXT]);

#endif
