/* A number that is often near the sum that it comes into. */
#include "reveal/addend_draw.h"

static uint64_t next(uint64_t *state) {
    uint64_t h = *state += UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

uint64_t addend_draw(uint64_t *state, const struct format *format, uint64_t sum) {
    struct real c = format_decode(format, sum);
    const int reach = format->precision + 4;
    const bool cancels = next(state) % 3 == 0;
    const bool is_small =
        c.kind == REAL_ZERO || (c.kind == REAL_FINITE && c.exponent < format->emin + reach);
    if (is_small && next(state) % 2)
        return (next(state) & ((UINT64_C(1) << (format->precision - 1)) - 1)) |
               (next(state) >> 63 ? format->sign_bit : 0);
    if (c.kind != REAL_FINITE)
        c = real_power_of_two(0);
    c.negative = cancels ? !c.negative : next(state) >> 63;
    if (cancels)
        c.significand.high ^= next(state) >> format->precision / 2 & ~(UINT64_C(1) << 63);
    else {
        c.exponent += (int)(next(state) % (uint64_t)(2 * reach + 1)) - reach;
        c.significand.high = next(state) | UINT64_C(1) << 63;
    }
    return format_encode(format, &c, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE);
}
