/* Powers and roots whose second operand is an integer n, as pown, compoundn and rootn have it. What is raised to n is the
 * base: x, or 1 + x for compoundn.
 *
 * Squares of a base of p bits come as near a midpoint as 2^-p ulp, by the root of a congruence; square roots likewise. Higher
 * powers and roots are those that are exact, those next to them, and those that lie near a boundary along x. */
#include "sweep/built/congruence.h"
#include "sweep/built/solver.h"

#include <string.h>

/* Orders of this many bits at most; the larger ones are those of solve_power, whose base lies next to 1. */
enum { LONGEST_ORDER = 10 };

uint64_t power_of(uint64_t base, unsigned power, int bits) {
    uint64_t product = 1;
    for (unsigned i = 0; i < power; i++) {
        if (bit_length(product) + bit_length(base) - 1 > bits)
            return 0;
        product *= base;
    }
    return bit_length(product) <= bits ? product : 0;
}

bool adds_one(const struct builder *builder) {
    return strcmp(builder->request.operation->name, "compoundn") == 0;
}

void narrow_base_exponents(const struct builder *builder, int length, int *least, int *most) {
    const int precision = builder->request.format->precision;
    if (!adds_one(builder))
        return;
    *least = *least > -precision ? *least : -precision;
    *most = *most < precision - length ? *most : precision - length;
}

bool set_base(struct builder *builder, bool negative, uint64_t significand, int exponent) {
    if (!adds_one(builder))
        return set_operand(builder, 0, negative, significand, exponent);
    if (negative || exponent < -63 || exponent > 63 - bit_length(significand))
        return false;
    const int shift = exponent < 0 ? 0 : exponent, unit = exponent < 0 ? exponent : 0;
    const uint64_t base = significand << shift, one = UINT64_C(1) << -unit;
    return set_operand(builder, 0, base < one, base < one ? one - base : base - one, unit);
}

/* *value becomes the base whose x is nearest to that of *value. */
static bool set_nearest_base(struct builder *builder, mpfr_ptr value) {
    if (adds_one(builder))
        mpfr_sub_ui(value, value, 1, MPFR_RNDN);
    return set_nearest(builder, 0, value);
}

bool draw_order(struct builder *builder, long *order) {
    const int bits = draw_between(builder, 1, draw_between(builder, 2, LONGEST_ORDER));
    *order = (long)draw_significand(builder, bits);
    *order = draw_one_of(builder, 4) ? -*order : *order;
    return *order != 1 && set_operand(builder, 1, *order < 0,
                                      *order < 0 ? 0 - (uint64_t)*order : (uint64_t)*order, 0);
}

/* M^2 = 2^(s-1) + r modulo 2^s for a midpoint, r for a number: the s bits of the square that the result has no room for. */
bool solve_square(struct builder *builder) {
    const struct format *format = builder->request.format, *results = builder->request.results;
    const int precision = results->precision;
    const bool midpoint = draw_is_midpoint(builder);
    const int lost = precision - draw_between(builder, 0, 1);
    if (lost < 5)
        return false;
    const int64_t rest = 8 * draw_rest(builder, lost - 5) + 1;
    const uint64_t wanted = (midpoint ? UINT64_C(1) << (lost - 1) : 0) + (uint64_t)rest;
    uint64_t root = root_of_square(wanted, lost), drawn = draw_bits(builder);
    root = (drawn & 1 ? root : 0 - root) + (drawn & 2 ? UINT64_C(1) << (lost - 1) : 0);
    root &= low_bits(lost);
    root |= lost < precision ? UINT64_C(1) << lost : 0;
    const struct wide square = wide_product(root, root);
    if (bit_length(root) != precision || wide_bit_length(square) != precision + lost)
        return false;
    const int least = (results->emin - 2 * precision + 2) / 2 + 1,
              most = results->emax / 2 - precision;
    const int exponent = adds_one(builder) ? draw_between(builder, -precision, 1 - precision)
                         : least < most    ? draw_between(builder, least, most)
                                           : least;
    const bool negative = format->sign_bit && draw_one_of(builder, 2) && !adds_one(builder);
    return set_base(builder, negative, root, exponent) && set_operand(builder, 1, false, 2, 0) &&
           aim_at(builder, midpoint, (double)rest / (double)(UINT64_C(1) << lost));
}

bool aim_at_result(struct builder *builder, bool midpoint) {
    mpfr_ptr value = builder->numbers[0], boundary = builder->numbers[1],
             room = builder->numbers[2];
    compute_result(builder, value);
    if (!mpfr_regular_p(value) || mpfr_get_exp(value) - 1 > builder->request.results->emax)
        return false;
    const int ulp = nearest_boundary(builder, boundary, value, midpoint);
    return set_aim(builder, midpoint, value, boundary, ulp, room);
}

/* x is such that the result has the exponent that is wanted, and moves from there. */
bool solve_base(struct builder *builder) {
    mpfr_ptr base = builder->numbers[3];
    const int wanted = draw_exponent(builder, builder->request.results);
    long order;
    if (!draw_order(builder, &order))
        return false;
    mpfr_set_d(base, wanted + (double)draw_under(builder, 64) / 64, MPFR_RNDN);
    mpfr_div_si(base, base, order, MPFR_RNDN);
    mpfr_exp2(base, base, MPFR_RNDN);
    return set_nearest_base(builder, base) && move_along(builder, 0);
}

/* The power of a short number, and the numbers next to it: a root that is a number, or just beside one. */
bool solve_exact_root(struct builder *builder) {
    const struct format *format = builder->request.format;
    const int order = draw_between(builder, 2, format->precision < 3 ? 2 : format->precision);
    const int longest = (format->precision + order - 1) / order;
    const uint64_t root = draw_significand(builder, draw_between(builder, 1, longest)) | 1;
    const uint64_t x = power_of(root, (unsigned)order, format->precision);
    if (!x)
        return false;
    const int least = (format->emin - bit_length(x) + 1) / order,
              most = (format->emax - bit_length(x) + 1) / order;
    const bool negative = order % 2 && draw_sign(builder);
    if (least > most ||
        !set_operand(builder, 0, negative, x, order * draw_between(builder, least, most)) ||
        !set_operand(builder, 1, false, (uint64_t)order, 0))
        return false;
    builder->codes[0] += (uint64_t)draw_between(builder, -1, 1);
    return aim_at_result(builder, false);
}

/* x is the number nearest to the power of a boundary, or moves from there: roots of large order lie close together. */
bool solve_root(struct builder *builder) {
    const bool midpoint = draw_is_midpoint(builder);
    mpfr_ptr boundary = builder->numbers[3];
    long order;
    int ulp;
    if (!draw_order(builder, &order) || !draw_boundary(builder, boundary, &ulp, midpoint))
        return false;
    if (order % 2 == 0)
        mpfr_abs(boundary, boundary, MPFR_RNDN);
    mpfr_pow_si(boundary, boundary, order, MPFR_RNDN);
    if (!set_nearest(builder, 0, boundary))
        return false;
    return draw_one_of(builder, 2) ? aim_at_result(builder, midpoint) : move_along(builder, 0);
}

bool solve_root_of_two(struct builder *builder) {
    return solve_sqrt(builder) && set_operand(builder, 1, false, 2, 0);
}
