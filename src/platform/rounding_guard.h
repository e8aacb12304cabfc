/* The rounding mode in force around foreign code, whether subnormal numbers are flushed, and what
 * else of the processor's state a call has to leave as it was. */
#ifndef DETCHECK_PLATFORM_ROUNDING_GUARD_H
#define DETCHECK_PLATFORM_ROUNDING_GUARD_H

#include "format/format.h"
#include "platform/control_state.h"

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
    struct control_state control;
};

/* What a call has changed: the bit 1 << CHANGED_ROUNDING and so on. */
enum change {
    CHANGED_ROUNDING,
    CHANGED_FLUSHING,
    CHANGED_PRECISION,
    CHANGED_TRAPS,
    CHANGED_REGISTERS,
    CHANGED_DIRECTION,
    CHANGES
};

/* Their names, with spaces between them. */
enum { CHANGES_TEXT = 64 };
const char *changes_text(unsigned changes, char text[CHANGES_TEXT]);

/* Saves the floating-point environment and sets the rounding. */
void rounding_guard_enter(struct rounding_guard *guard, enum rounding rounding);

/* What is not as it was set, or was before. All but rounding and flushing is set back at once: a
 * measurement must not raise a signal, nor memory be copied the wrong way. */
unsigned rounding_guard_changes(const struct rounding_guard *guard);

/* Sets rounding and flushing again after they were found changed. */
void rounding_guard_repair(const struct rounding_guard *guard);

/* Restores the saved environment, flush-to-zero flags and all. */
void rounding_guard_leave(const struct rounding_guard *guard);

#endif
