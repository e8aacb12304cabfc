/* Quotients: a dividend 2^s x = M y + r, where M is the quotient that is wanted, with the bit of the half, and r the rest,
 * which is r / y of M's last place. M is the root of a congruence modulo 2^s. */
#include "sweep/built/congruence.h"
#include "sweep/built/solver.h"

#include <math.h>

bool solve_quotient(struct builder *builder) {
    const struct format *format = builder->request.format;
    const bool midpoint = draw_is_midpoint(builder);
    int exponent = draw_exponent(builder, builder->request.results);
    int length = kept_bits(builder->request.results, exponent) + midpoint, exponents[2];
    if (length < 1)
        return false;
    int shift = length - draw_between(builder, 0, 1);
    int bits =
        draw_one_of(builder, 4) ? draw_between(builder, 1, format->precision) : format->precision;
    uint64_t divisor = draw_significand(builder, bits) | 1, top = UINT64_C(1) << (length - 1);
    int64_t rest = draw_rest(builder, midpoint ? bits - 1 : bits - 2);
    uint64_t quotient = (0 - (uint64_t)rest) * inverse_of_odd(divisor) & low_bits(shift);
    quotient |= shift < length ? top : 0;
    if (!(quotient & top) || (midpoint && !(quotient & 1)))
        return false;
    struct wide dividend = wide_product(quotient, divisor);
    struct wide extended = {rest < 0 ? UINT64_MAX : 0, (uint64_t)rest};
    dividend = wide_shift_right(wide_add(dividend, extended), (unsigned)shift);
    int dividend_bits = bit_length(dividend.low);
    /* The exponents differ by what the quotient's wants. */
    int difference = exponent + shift - length + 1;
    if (dividend.high || dividend_bits > format->precision || !dividend.low)
        return false;
    int least = format->emin - dividend_bits + 1, most = format->emax - dividend_bits + 1;
    int other_least = format->emin - bits + 1 + difference,
        other_most = format->emax - bits + 1 + difference;
    least = other_least > least ? other_least : least;
    most = other_most < most ? other_most : most;
    if (least > most)
        return false;
    exponents[0] = draw_between(builder, least, most);
    exponents[1] = exponents[0] - difference;
    bool negative = draw_sign(builder), other_negative = draw_sign(builder);
    double distance = (double)rest / (double)divisor * (midpoint ? 0.5 : 1);
    /* Below a power of two ulps are half as large. */
    if (quotient == top && rest < 0 && exponent > builder->request.results->emin)
        distance *= 2;
    return fabs(distance) <= 0.5 && set_operand(builder, 0, negative, dividend.low, exponents[0]) &&
           set_operand(builder, 1, other_negative, divisor, exponents[1]) &&
           aim_at(builder, midpoint, negative != other_negative ? -distance : distance);
}

/* The divisor nearest to 1 / M: of subnormal results, whose M is short, its rest is a small part of M's last place. */
bool solve_reciprocal(struct builder *builder) {
    const struct format *results = builder->request.results;
    const bool midpoint = draw_is_midpoint(builder);
    int least = -builder->request.format->emax - 1;
    int exponent = draw_one_of(builder, 2) ? draw_exponent(builder, results)
                                           : draw_between(builder, least, results->emin);
    int length = kept_bits(results, exponent) + midpoint;
    if (length < 1)
        return false;
    mpfr_ptr quotient = builder->numbers[0], divisor = builder->numbers[1],
             room = builder->numbers[2];
    mpfr_set_uj_2exp(quotient, draw_significand(builder, length) | midpoint, exponent - length + 1,
                     MPFR_RNDN);
    if (draw_sign(builder))
        mpfr_neg(quotient, quotient, MPFR_RNDN);
    mpfr_ui_div(divisor, 1, quotient, MPFR_RNDN);
    if (!set_nearest(builder, 0, divisor) || mpfr_zero_p(divisor))
        return false;
    mpfr_ui_div(divisor, 1, divisor, MPFR_RNDN);
    int ulp = nearest_boundary(builder, quotient, divisor, midpoint);
    return set_aim(builder, midpoint, divisor, quotient, ulp, room);
}
