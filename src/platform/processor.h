/* The processor's name and the instructions that programs may use on it. */
#ifndef DETCHECK_PLATFORM_PROCESSOR_H
#define DETCHECK_PLATFORM_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>

/* The architecture that this program was compiled for: "x86_64"; the kernel's may be wider. */
const char *processor_architecture(void);

/* The processor's own name, or the architecture's. */
void processor_name(char *name, size_t room);

/* Those of its features that libraries dispatch on, separated by spaces, such as "avx2 fma". Empty
 * where there is no way to ask. */
void processor_features(char *features, size_t room);

/* Whether that feature is among them. */
bool processor_has(const char *feature);

/* Whether programs may use fused multiply-add: the processor has it, and the operating system keeps
 * the registers that it needs. */
bool processor_has_fma(void);

/* Whether there is an instruction that estimates 1 / sqrt(x) in fp32 (rsqrtss of x86), and what it gives. Makers of processors have
 * estimates of their own, within 1.5 * 2^-12 of 1 / sqrt(x); a subnormal x is taken as 0. NaN where there is none. */
bool processor_estimates_roots(void);
float processor_root_estimate(float x);

#endif
