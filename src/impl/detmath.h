/* `det` and `cr`: the project's own functions (src/detmath), as the library dispatches them.
 *
 * `det` computes in fp32; for a narrower format it widens (exactly), computes and rounds once more,
 * as frameworks do. `cr` is correctly rounded in fp32 and directly in fp16, bf16 and the fp8
 * formats. Both round to nearest-even only. */
#ifndef DETCHECK_IMPL_DETMATH_H
#define DETCHECK_IMPL_DETMATH_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_det, implementation_cr;

#endif
