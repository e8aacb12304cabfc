/* When this processor's arithmetic sees that a result is tiny: IEEE 754-2019, section 7.5, leaves
 * the choice between before and after rounding to the implementation. */
#ifndef DETCHECK_PLATFORM_TININESS_H
#define DETCHECK_PLATFORM_TININESS_H

#include <stdbool.h>

/* Whether underflow is signalled by what the result is after rounding, found by one product in fp32
 * that rounds up to the smallest normal number. False where the processor tells no flags. The
 * environment of floating point is left as it was. */
bool tininess_is_after_rounding(void);

#endif
