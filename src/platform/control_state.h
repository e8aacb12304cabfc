/* What of the processor's state a call has to leave as it was, besides rounding and flushing: the
 * precision of x87, which exceptions are signals, that no register of x87 is in use (MMX takes
 * them), and which way string instructions go. Where the processor is not known here, none. */
#ifndef DETCHECK_PLATFORM_CONTROL_STATE_H
#define DETCHECK_PLATFORM_CONTROL_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct control_state {
    uint32_t precision, traps; /* bits of control registers */
    bool in_use, downward;
};

/* Reads it. String instructions go upward from here on. */
struct control_state control_state_now(void);

/* Sets it again; leaves rounding and flushing as they are. No register is in use then. */
void control_state_restore(const struct control_state *state);

#endif
