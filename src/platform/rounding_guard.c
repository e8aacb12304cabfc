/* <fenv.h> around foreign code, and a measurement that does not trust it. */
#include "platform/rounding_guard.h"

int rounding_fenv_mode(enum rounding rounding) {
    switch (rounding) {
    case ROUND_NEAREST_EVEN:
        return FE_TONEAREST;
    case ROUND_TOWARD_ZERO:
        return FE_TOWARDZERO;
    case ROUND_UP:
        return FE_UPWARD;
    case ROUND_DOWN:
        return FE_DOWNWARD;
    default:
        return -1;
    }
}

/* How 1 + tiny and -1 - tiny were rounded tells the four modes apart. */
static int mode_of(bool above_one, bool below_minus_one) {
    if (above_one)
        return below_minus_one ? -1 : FE_UPWARD;
    return below_minus_one ? FE_DOWNWARD : FE_TONEAREST;
}

int rounding_in_force(void) {
    /* Volatile operands, so that the additions happen now and in this mode. Nearest and toward-zero
     * part at three quarters of a unit. */
    volatile float one = 1, quarter = 0x1p-25f, three_quarters = 0x1.8p-24f;
    volatile double one_wide = 1, quarter_wide = 0x1p-54, three_quarters_wide = 0x1.8p-53;
    volatile float up = one + quarter, down = -one - quarter, near = one + three_quarters;
    volatile double up_wide = one_wide + quarter_wide, down_wide = -one_wide - quarter_wide;
    volatile double near_wide = one_wide + three_quarters_wide;
    int mode = mode_of(up > 1, down < -1);
    int mode_wide = mode_of(up_wide > 1, down_wide < -1);
    if (mode == FE_TONEAREST && near == 1)
        mode = FE_TOWARDZERO;
    if (mode_wide == FE_TONEAREST && near_wide == 1)
        mode_wide = FE_TOWARDZERO;
    return mode == mode_wide ? mode : -1;
}

void rounding_guard_enter(struct rounding_guard *guard, enum rounding rounding) {
    guard->mode = rounding_fenv_mode(rounding);
    fegetenv(&guard->before);
    fesetround(guard->mode);
}

bool rounding_guard_intact(const struct rounding_guard *guard) {
    return fegetround() == guard->mode && rounding_in_force() == guard->mode;
}

void rounding_guard_repair(const struct rounding_guard *guard) {
    fesetround(guard->mode);
}

void rounding_guard_leave(const struct rounding_guard *guard) {
    fesetenv(&guard->before);
}
