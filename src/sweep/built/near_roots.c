/* Powers whose exponent is 1/n or 2/n, or nearly that, of either sign: pow(x, 1.0/3) is no cube root, and pow(x, 0.5) is no square root.
 *
 * Where x is the n-th power of a number, the result lies on that for 1/2, and next to it for 1/3, which is rounded. A root differs elsewhere,
 * too: for -0 and for negative infinity. */
#include "sweep/built/solver.h"

static const int orders[] = {2, 3, 4, 5, 6, 7, 9, 10};
enum { ORDERS = sizeof orders / sizeof *orders };

/* x where a root is something else than a power, but no NaN: those of negative numbers are many, and would hide other differences.
 * Nothing is aimed at. */
static bool set_root_of_special(struct builder *builder) {
    const struct format *format = builder->request.format;
    const bool is_zero = !format->has_infinity || draw_one_of(builder, 2);
    const bool may_be_negative = is_zero || builder->request.operation->result[0].mpfr2 == mpfr_pow;
    const bool negative = draw_sign(builder) && may_be_negative;
    builder->codes[0] = format_with_sign(format, is_zero ? 0 : format->max_finite + 1, negative);
    builder->aim.is_known = false;
    return true;
}

bool solve_near_root(struct builder *builder) {
    const struct format *format = builder->request.format;
    const int order = orders[draw_under(builder, ORDERS)];
    mpfr_ptr exponent = builder->numbers[3];
    mpfr_set_ui(exponent, 1 + (unsigned long)draw_under(builder, 2), MPFR_RNDN);
    mpfr_div_ui(exponent, exponent, (unsigned long)order, MPFR_RNDN);
    if (draw_sign(builder))
        mpfr_neg(exponent, exponent, MPFR_RNDN);
    if (!set_nearest(builder, 1, exponent))
        return false;
    if (draw_one_of(builder, 8))
        return set_root_of_special(builder);
    if (draw_one_of(builder, 2))
        return set_operand(builder, 0, false, draw_significand(builder, format->precision),
                           draw_between(builder, -1, 1) - format->precision) &&
               move_along(builder, 0);
    const int longest = format->precision / order;
    const uint64_t root =
        draw_significand(builder, draw_between(builder, 1, longest < 1 ? 1 : longest)) | 1;
    const uint64_t x = power_of(root, (unsigned)order, format->precision);
    const int least = (format->emin - bit_length(x) + 1) / order,
              most = (format->emax - bit_length(x) + 1) / order;
    return x && least <= most &&
           set_operand(builder, 0, false, x, order * draw_between(builder, least, most)) &&
           aim_at_result(builder, false);
}
