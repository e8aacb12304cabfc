/* Powers: those that are numbers or midpoints, r^n with x = r^(2^k) and y = n / 2^k, and those near a boundary along
 * either operand. */
#include "sweep/built/solver.h"

/* In bits. */
enum { SHORTEST_INTEGER = 12, LONGEST_INTEGER = 63 };

bool solve_exact_power(struct builder *builder) {
    const struct format *format = builder->request.format;
    const bool midpoint = draw_is_midpoint(builder);
    const int bits = builder->request.results->precision + midpoint;
    unsigned power = (unsigned)draw_between(builder, 2, bits);
    power = draw_one_of(builder, 2) ? 1 + power % 5 : power;
    unsigned roots = takes_integer(builder) || draw_one_of(builder, 2)
                         ? 0
                         : (unsigned)draw_between(builder, 1, 3);
    int length = bits / (int)power + draw_between(builder, 0, 1);
    uint64_t root = draw_significand(builder, length < 1 ? 1 : length) | 1;
    uint64_t x = power_of(root, 1u << roots, format->precision);
    uint64_t result = power_of(root, power, bits);
    if (!x || !result || (midpoint && bit_length(result) != bits))
        return false;
    /* The exponent of the root: that of x is it times 2^roots, and that of the result times the power. */
    int least = (format->emin - bit_length(x) + 1) / (1 << roots);
    int most = (format->emax - bit_length(x) + 1) / (1 << roots);
    int low = (builder->request.results->emin - bits) / (int)power;
    int high = (builder->request.results->emax - bits) / (int)power;
    least = low > least ? low : least;
    most = high < most ? high : most;
    narrow_base_exponents(builder, bit_length(root), &least, &most);
    if (least > most)
        return false;
    int exponent = draw_one_of(builder, 2) ? draw_between(builder, least, most) : 0;
    bool may_be_negative = !roots && builder->request.operation->result[0].mpfr2 == mpfr_pow;
    bool negative = may_be_negative && draw_sign(builder);
    int subnormal = exponent * (int)power + bit_length(result) - 1 - builder->request.results->emin;
    return exponent >= least && exponent <= most && subnormal >= 0 &&
           set_base(builder, negative, x, exponent * (1 << roots)) &&
           set_operand(builder, 1, false, power, -(int)roots) && aim_at(builder, midpoint, 0);
}

/* x is drawn, and y such that the result has the exponent that is wanted: an integer where it has to be one. */
bool solve_power(struct builder *builder) {
    const struct format *format = builder->request.format;
    mpfr_ptr power = builder->numbers[0], logarithm = builder->numbers[3];
    int wanted = draw_exponent(builder, builder->request.results);
    int exponent = draw_one_of(builder, 4) ? draw_exponent(builder, format)
                   : adds_one(builder)     ? draw_between(builder, -format->precision, 1)
                                           : draw_between(builder, -1, 1);
    int kept = kept_bits(format, exponent);
    uint64_t significand = kept < 1 ? 0 : draw_significand(builder, kept);
    if (!set_operand(builder, 0, false, significand, exponent - kept + 1))
        return false;
    mpfr_set_uj_2exp(power, significand, exponent - kept + 1, MPFR_RNDN);
    if (adds_one(builder))
        mpfr_add_ui(power, power, 1, MPFR_RNDN);
    mpfr_log2(logarithm, power, MPFR_RNDN);
    bool has_power = !mpfr_zero_p(logarithm);
    mpfr_set_d(power, wanted + 0.5, MPFR_RNDN);
    if (has_power)
        mpfr_div(power, power, logarithm, MPFR_RNDN);
    if (!takes_integer(builder) && !draw_one_of(builder, 4))
        return has_power && set_nearest(builder, 1, power) &&
               move_along(builder, draw_one_of(builder, 2));
    mpfr_rint(power, power, MPFR_RNDN);
    const bool may_be_negative =
        !takes_integer(builder) && builder->request.operation->result[0].mpfr2 == mpfr_pow;
    if (may_be_negative && draw_sign(builder))
        builder->codes[0] |= format->sign_bit;
    /* Short integers are those of exact powers. */
    if (!takes_integer(builder) && mpfr_regular_p(power) && mpfr_get_exp(power) <= SHORTEST_INTEGER)
        return false;
    return has_power && mpfr_regular_p(power) && mpfr_get_exp(power) < LONGEST_INTEGER &&
           set_nearest(builder, 1, power) && move_along(builder, 0);
}
