/* Square roots: M^2 = 2^s x + r, where M is the root that is wanted, with the bit of the half. M is the root of a
 * congruence modulo 2^s, which there is for each r that is 1 modulo 8. */
#include "sweep/built/congruence.h"
#include "sweep/built/solver.h"

#include <math.h>

bool solve_sqrt(struct builder *builder) {
    const struct format *format = builder->request.format;
    const bool midpoint = draw_is_midpoint(builder);
    int length = builder->request.results->precision + midpoint;
    int shift = length + draw_between(builder, midpoint ? 0 : -1, midpoint ? 1 : 0);
    if (shift < 3)
        return false;
    /* The rest is kept small by few bits, of which the lowest three are 001. */
    int64_t rest = 8 * draw_rest(builder, shift - 4) + 1;
    uint64_t top = UINT64_C(1) << (length - 1);
    uint64_t root = root_of_square((uint64_t)rest, shift), drawn = draw_bits(builder);
    root = (drawn & 1 ? root : 0 - root) + (drawn & 2 ? UINT64_C(1) << (shift - 1) : 0);
    root &= low_bits(shift);
    root |= shift < length ? top : 0;
    if (bit_length(root) != length)
        return false;
    struct wide extended = {rest < 0 ? UINT64_MAX : 0, (uint64_t)rest};
    struct wide square = wide_subtract(wide_product(root, root), extended);
    square = wide_shift_right(square, (unsigned)shift);
    int bits = bit_length(square.low);
    if (square.high || bits > format->precision || !bits)
        return false;
    int exponent = draw_between(builder, format->emin - bits + 1, format->emax - bits + 1);
    exponent += (exponent ^ shift) & 1;
    const double whole = (double)root;
    double distance =
        -(double)rest / (whole + sqrt(whole * whole - (double)rest)) * (midpoint ? 0.5 : 1);
    return set_operand(builder, 0, false, square.low, exponent) &&
           aim_at(builder, midpoint, distance);
}
