/* `hardware`: the processor's own instructions for conversions, where it has them: fp32 to fp16 and
 * back (F16C), fp32 to bf16 (AVX512-BF16, which takes subnormal numbers for 0), fp32 to fp64 and
 * back, and these to integers and back (hardware_integers.h). Their NaNs keep the payload's upper bits, where the profile ieee has the canonical one. */
#ifndef DETCHECK_IMPL_HARDWARE_H
#define DETCHECK_IMPL_HARDWARE_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_hardware;

#endif
