/* <fenv.h> around foreign code, and a measurement that does not trust it. */
#include "platform/rounding_guard.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

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

/* Zero or not by the bits: where subnormal operands count as zero, so they do in a comparison. */
static bool is_zero_fp32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits << 1 == 0;
}

static bool is_zero_fp64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits << 1 == 0;
}

/* By arithmetic and not by reading a control register, so that it is right for every processor and
 * for whatever units the compiler uses. Volatile, so that it happens here and now. */
struct flushing flushing_in_force(void) {
    volatile float least = FLT_MIN, half = 0.5f, subnormal = 0x1p-130f, large = 0x1p100f;
    volatile double least_wide = DBL_MIN, half_wide = 0.5;
    volatile double subnormal_wide = 0x1p-1030, large_wide = 0x1p1000;
    /* Normal operands and a subnormal result; a subnormal operand and a normal result. */
    volatile float result = least * half, from_operand = subnormal * large;
    volatile double result_wide = least_wide * half_wide;
    volatile double from_operand_wide = subnormal_wide * large_wide;
    return (struct flushing){.results = is_zero_fp32(result) || is_zero_fp64(result_wide),
                             .operands =
                                 is_zero_fp32(from_operand) || is_zero_fp64(from_operand_wide)};
}

void rounding_guard_enter(struct rounding_guard *guard, enum rounding rounding) {
    guard->mode = rounding_fenv_mode(rounding);
    fegetenv(&guard->before);
    guard->flushing = flushing_in_force();
    guard->control = control_state_now();
    fesetround(guard->mode);
}

/* Those that control registers tell. */
static unsigned control_changes(const struct rounding_guard *guard) {
    const struct control_state now = control_state_now(), *before = &guard->control;
    unsigned changes = (unsigned)(now.precision != before->precision) << CHANGED_PRECISION |
                       (unsigned)(now.traps != before->traps) << CHANGED_TRAPS |
                       (unsigned)(now.in_use && !before->in_use) << CHANGED_REGISTERS |
                       (unsigned)now.downward << CHANGED_DIRECTION;
    if (changes)
        control_state_restore(before);
    return changes;
}

unsigned rounding_guard_changes(const struct rounding_guard *guard) {
    unsigned changes = control_changes(guard);
    struct flushing now = flushing_in_force();
    bool rounding = fegetround() != guard->mode || rounding_in_force() != guard->mode;
    bool flushing =
        now.results != guard->flushing.results || now.operands != guard->flushing.operands;
    return changes | (unsigned)rounding << CHANGED_ROUNDING |
           (unsigned)flushing << CHANGED_FLUSHING;
}

void rounding_guard_repair(const struct rounding_guard *guard) {
    fesetenv(&guard->before);
    fesetround(guard->mode);
}

void rounding_guard_leave(const struct rounding_guard *guard) {
    fesetenv(&guard->before);
}

const char *changes_text(unsigned changes, char text[CHANGES_TEXT]) {
    static const char *const names[CHANGES] = {
        [CHANGED_ROUNDING] = "rounding",   [CHANGED_FLUSHING] = "flushing",
        [CHANGED_PRECISION] = "precision", [CHANGED_TRAPS] = "traps",
        [CHANGED_REGISTERS] = "registers", [CHANGED_DIRECTION] = "direction"};
    *text = '\0';
    for (int i = 0; i < CHANGES; i++)
        if (changes >> i & 1)
            strcat(strcat(text, *text ? " " : ""), names[i]);
    return text;
}
