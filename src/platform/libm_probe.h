/* What the C library's functions return, measured by calling them.
 *
 * They are looked up at run time, so that a library that was loaded in front of the C library's is
 * what is measured, and no compiler puts its own instruction or constant in their place. */
#ifndef DETCHECK_PLATFORM_LIBM_PROBE_H
#define DETCHECK_PLATFORM_LIBM_PROBE_H

#include "platform/platform.h"

#include <stdbool.h>
#include <stddef.h>

typedef double exp_function(double);
typedef float fmaf_function(float, float, float);
typedef float sqrtf_function(float);

/* Which of its two variants this exp is; LIBM_VARIANT_UNKNOWN unless every probe agrees. */
enum libm_variant libm_variant_of(exp_function *function);

/* Whether the built-in check finds no wrong result, and otherwise the first one, as text. */
bool fmaf_is_exact(fmaf_function *function, char *failure, size_t room);
bool sqrtf_is_exact(sqrtf_function *function, char *failure, size_t room);

/* Fills in libm_variant, and fmaf_exact, sqrtf_exact and their failures. All are measured in C's
 * default floating-point environment, whatever the caller's is, which is left as it was. */
void libm_probe(struct platform *platform);
void libm_check(struct platform *platform);

#endif
