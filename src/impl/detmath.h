/* `det` and `cr`: the project's own functions (src/detmath), as the library dispatches them.
 *
 * `det` computes in fp32, and in fp64 in that; for a narrower format it widens (exactly), computes in fp32 and rounds once
 * more, as frameworks do. `cr` is correctly rounded in fp64, fp32 and directly in fp16, bf16 and the fp8
 * formats. Both round to nearest-even only. */
#ifndef DETCHECK_IMPL_DETMATH_H
#define DETCHECK_IMPL_DETMATH_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_det, implementation_cr;

/* What names a level in the environment of a process. */
#define DETMATH_LEVEL_VARIABLE "DETCHECK_LEVEL"

/* The levels of instruction sets that det and cr have here besides the best: a line DETCHECK_LEVEL=NAME
 * for each. */
const char *detmath_other_levels(void);

/* The level that they have from the start of the process on, by its name, in place of the best. */
bool detmath_settle_level(const char *name, struct error *why);

/* From here on they compute by the level of such a line, or by that of the start where it is NULL; to be called while
 * no other thread computes. False where the text is no such line, or the level is not here: the error names
 * those that are. */
bool detmath_use_level(const char *line, struct error *why);

#endif
