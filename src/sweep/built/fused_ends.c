/* Products plus a number whose sum lies next to a power of two, or next to where results begin to overflow. */
#include "sweep/built/solver.h"

#include <math.h>

/* Numbers of the builder: those that draw_end and aim_at_result take come first. */
enum { NUMBER = 5, REST, PRODUCT };

/* As aim_at_result; but where not all bits of a result fit, what it has of a number that is far smaller is not known. */
static bool aim_at_sum(struct builder *builder, bool midpoint) {
    const bool is_exact = compute_result(builder, builder->numbers[PRODUCT]) == 0;
    const bool aims = aim_at_result(builder, midpoint);
    builder->aim.is_known = builder->aim.is_known && is_exact;
    return aims;
}

/* The product itself lies next to the end. The third operand takes it there, or all but there, or is 0, or a little. */
static bool solve_product_at_end(struct builder *builder, bool midpoint) {
    const struct format *format = builder->request.format;
    mpfr_ptr rest = builder->numbers[REST], product = builder->numbers[PRODUCT];
    const bool negative = draw_sign(builder);
    if (!set_end_product(builder, midpoint))
        return false;
    builder->codes[2] = format_with_sign(format, 0, negative);
    compute_result(builder, product);
    const int ulp = nearest_boundary(builder, rest, product, midpoint);
    const int least = format->emin - format->precision + 1;
    switch (draw_under(builder, 4)) {
    case 0:
        return aim_at_sum(builder, midpoint);
    case 1:
        return set_operand(builder, 2, negative, 1,
                           draw_between(builder, least, ulp - 2 > least ? ulp - 2 : least)) &&
               aim_at_sum(builder, midpoint);
    default:
        mpfr_sub(rest, rest, product, MPFR_RNDN);
        if (draw_one_of(builder, 2)) {
            mpfr_mul_2si(product, rest, -draw_between(builder, 1, format->precision - 1),
                         MPFR_RNDN);
            (negative ? mpfr_sub : mpfr_add)(rest, rest, product, MPFR_RNDN);
        }
        return set_nearest(builder, 2, rest) && aim_at_sum(builder, midpoint);
    }
}

/* Two factors whose product is a power of two and a little more or less, of which the exponent is returned:
 * (2^m + 1) (2^m - 1), (2^k + 1) (2^2k - 2^k + 1) and (2^k - 1) (2^2k + 2^k + 1), and (2^m +- 1) 2^m. */
static int draw_near_power(struct builder *builder, int shift, uint64_t factors[2]) {
    const int third = shift / 2;
    const bool is_third = third > 0 && draw_one_of(builder, 2), below = draw_one_of(builder, 2);
    const uint64_t one = UINT64_C(1) << (is_third ? third : shift);
    factors[0] = below ? one - 1 : one + 1;
    if (is_third)
        factors[1] = one * one + 1 + (below ? one : 0 - one);
    else
        factors[1] = draw_one_of(builder, 4) ? one : below ? one + 1 : one - 1;
    return is_third ? 3 * third : 2 * shift;
}

/* The first operands have such a product, times units of 2^ulp. */
static bool set_product_near(struct builder *builder, uint64_t units, int ulp, bool negative) {
    const int most = builder->request.format->precision - 1 - bit_length(units);
    if (most < 1)
        return false;
    uint64_t factors[2];
    const int power = draw_near_power(
        builder, most - draw_between(builder, 0, draw_between(builder, 0, most - 1)), factors);
    factors[0] *= units;
    const int lengths[2] = {bit_length(factors[0]), bit_length(factors[1])};
    int exponents[2];
    const int swapped = draw_one_of(builder, 2);
    const bool first_negative = draw_sign(builder);
    return draw_exponents(builder, ulp - power, lengths, exponents) &&
           set_operand(builder, swapped, first_negative, factors[0], exponents[0]) &&
           set_operand(builder, !swapped, first_negative != negative, factors[1], exponents[1]);
}

/* The third operand lies next to the end, and the product is what is left to a boundary there, and a little. */
static bool solve_product_to_end(struct builder *builder, bool midpoint) {
    const bool negative = draw_sign(builder);
    mpfr_ptr end = builder->numbers[4], number = builder->numbers[NUMBER];
    bool below;
    int ulp;
    if (!draw_end(builder, end, &below, &ulp))
        return false;
    const int away = below ? -1 : 1, boundary = midpoint ? 1 : 2; /* in halves of an ulp */
    int units = 2 * draw_between(builder, 0, 4);
    if (units == boundary)
        return false;
    mpfr_set_si_2exp(number, away * units, ulp - 1, MPFR_RNDN);
    mpfr_add(number, number, end, MPFR_RNDN);
    if (negative)
        mpfr_neg(number, number, MPFR_RNDN);
    units = away * (boundary - units);
    return set_nearest(builder, 2, number) &&
           set_product_near(builder, (uint64_t)(units < 0 ? -units : units), ulp - 1,
                            negative != (units < 0)) &&
           aim_at_sum(builder, midpoint);
}

bool solve_fused_end(struct builder *builder) {
    const bool midpoint = draw_is_midpoint(builder);
    return draw_one_of(builder, 2) ? solve_product_at_end(builder, midpoint)
                                   : solve_product_to_end(builder, midpoint);
}
