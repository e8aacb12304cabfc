/* The rounding mode in force around foreign code, and whether subnormal numbers are flushed. */
#ifndef DETCHECK_PLATFORM_ROUNDING_GUARD_H
#define DETCHECK_PLATFORM_ROUNDING_GUARD_H

#include "format/format.h"

#include <fenv.h>
#include <stdbool.h>

/* The mode of <fenv.h> for a rounding, or -1 where C has none (nearest-away). */
int rounding_fenv_mode(enum rounding rounding);

/* What rounding the processor applies now, measured by fp32 and fp64 additions: a library can
 * change the mode of the vector unit behind the back of fegetround. -1 when fp32 and fp64 disagree
 * or when it is none of the four. */
int rounding_in_force(void);

/* Whether subnormal results become zero, and whether subnormal operands count as zero, in fp32 or
 * fp64: measured, too. */
struct flushing {
    bool results, operands;
};
struct flushing flushing_in_force(void);

struct rounding_guard {
    fenv_t before;
    int mode;
    struct flushing flushing;
};

/* Saves the floating-point environment and sets the rounding. */
void rounding_guard_enter(struct rounding_guard *guard, enum rounding rounding);

/* Whether the rounding is still the one that was set, and flushing as it was. */
bool rounding_guard_rounding_intact(const struct rounding_guard *guard);
bool rounding_guard_flushing_intact(const struct rounding_guard *guard);
/* Both. */
bool rounding_guard_intact(const struct rounding_guard *guard);

/* Sets both again after they were found changed. */
void rounding_guard_repair(const struct rounding_guard *guard);

/* Restores the saved environment, flush-to-zero flags and all. */
void rounding_guard_leave(const struct rounding_guard *guard);

#endif
