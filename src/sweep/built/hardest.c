/* Powers of fp32 next to a midpoint, which no window along x comes upon: found among all significands and exponents by a program that
 * multiplied them out.
 *
 * Where x^n is computed in fp64 and rounded to fp32, it must lie within 2^-30 ulp of a midpoint to be rounded wrongly. A square has 48
 * bits, and is a number of fp64. Of the other n from -127 to 127 these are all significands within 2^-29.5 ulp, by 511, 878, 1377 and
 * 1368 times 2^-40 ulp; the first is rounded wrongly so. */
#include "sweep/built/solver.h"

static const struct {
    uint32_t significand;
    int order;
} powers[] = {{0xcbbbfe, -101}, {0xce2bbd, 60}, {0xceee25, -63}, {0xdfe47a, -40}};
enum { POWERS = sizeof powers / sizeof *powers, PRECISION = 24 };

bool solve_hardest_power(struct builder *builder) {
    const struct format *format = builder->request.format;
    if (format->precision != PRECISION || builder->request.results->precision != PRECISION)
        return solve_base(builder);
    const size_t at = (size_t)draw_under(builder, POWERS);
    const uint64_t size = (uint64_t)(powers[at].order < 0 ? -powers[at].order : powers[at].order);
    const bool negative = powers[at].order < 0;
    return set_operand(builder, 0, draw_sign(builder), powers[at].significand,
                       1 - PRECISION + draw_between(builder, -1, 1)) &&
           set_operand(builder, 1, negative, size, 0) && aim_at_result(builder, true);
}
