/* Roots, and the long sides of triangles.
 *
 * Square roots: M^2 = 2^s x + r, where M is the root that is wanted, with the bit of the half. M is the root of a
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

/* The cube of a short number, which is a number, or next to it. */
bool solve_cube(struct builder *builder) {
    const struct format *format = builder->request.format;
    uint64_t root = draw_significand(builder, draw_between(builder, 1, format->precision / 3));
    uint64_t cube = root * root * root;
    int bits = bit_length(cube);
    int exponent = draw_between(builder, format->emin - bits + 1, format->emax - bits + 1);
    mpfr_ptr value = builder->numbers[0], boundary = builder->numbers[1],
             room = builder->numbers[2];
    if (!set_operand(builder, 0, draw_sign(builder), cube, exponent - exponent % 3))
        return false;
    builder->codes[0] += (uint64_t)draw_between(builder, -1, 1);
    compute_result(builder, value);
    int ulp = nearest_boundary(builder, boundary, value, false);
    return set_aim(builder, false, value, boundary, ulp, room);
}

/* Sides of two lengths each, in either order, times 2^exponent. */
static bool set_sides(struct builder *builder, uint64_t a, uint64_t b, int exponent) {
    int swapped = draw_one_of(builder, 2);
    return set_operand(builder, swapped, draw_sign(builder), a, exponent) &&
           set_operand(builder, !swapped, draw_sign(builder), b, exponent);
}

/* (m^2 - n^2)^2 + (2 m n)^2 = (m^2 + n^2)^2, times a number: the last is a midpoint or a number. */
bool solve_triangle(struct builder *builder) {
    const struct format *format = builder->request.format;
    const bool midpoint = draw_is_midpoint(builder);
    const int bits = format->precision + midpoint;
    int scale_bits = draw_between(builder, 1, bits < 5 ? 1 : bits - 4);
    int half = (bits - scale_bits + 1) / 2;
    uint64_t scale = draw_one_of(builder, 2) ? 1 : draw_significand(builder, scale_bits) | 1;
    if (scale == 1)
        half = (bits + 1) / 2;
    uint64_t m = draw_significand(builder, half < 2 ? 2 : half),
             n = draw_significand(builder, draw_between(builder, 1, half < 2 ? 2 : half));
    uint64_t a = scale * (m * m - n * n), b = scale * 2 * m * n, c = scale * (m * m + n * n);
    if (m <= n || bit_length(c) > bits || (midpoint && (bit_length(c) != bits || !(c & 1))))
        return false;
    int exponent = draw_between(builder, format->emin, format->emax - bits + 1);
    return set_sides(builder, a, b, exponent) && aim_at(builder, midpoint, 0);
}

/* A side that is nearly as long as the result: the other one is left of that, and changes it little. */
bool solve_long_side(struct builder *builder) {
    const struct format *format = builder->request.format;
    const bool midpoint = draw_is_midpoint(builder);
    int exponent = draw_exponent(builder, format), kept = kept_bits(format, exponent);
    mpfr_ptr result = builder->numbers[0], side = builder->numbers[1], room = builder->numbers[2],
             boundary = builder->numbers[3];
    if (kept < 2)
        return false;
    uint64_t significand = draw_significand(builder, kept);
    int swapped = draw_one_of(builder, 2), ulp = exponent - kept + 1;
    int ulps = draw_between(builder, 0, draw_between(builder, 0, kept - 1));
    uint64_t halves = (draw_significand(builder, ulps + 1) & ~UINT64_C(1)) | midpoint;
    mpfr_set_uj_2exp(side, significand, ulp, MPFR_RNDN);
    mpfr_set_uj_2exp(result, halves, ulp - 1, MPFR_RNDN);
    mpfr_add(result, result, side, MPFR_RNDN);
    draw_distance(builder, room, ulp, 2 * format->precision);
    mpfr_add(result, result, room, MPFR_RNDN);
    mpfr_sqr(result, result, MPFR_RNDN);
    mpfr_sqr(side, side, MPFR_RNDN);
    mpfr_sub(side, result, side, MPFR_RNDN);
    if (mpfr_sgn(side) <= 0)
        return false;
    mpfr_sqrt(side, side, MPFR_RNDN);
    if (!set_operand(builder, swapped, draw_sign(builder), significand, ulp) ||
        !set_nearest(builder, !swapped, side))
        return false;
    compute_result(builder, result);
    ulp = nearest_boundary(builder, boundary, result, midpoint);
    return mpfr_regular_p(result) && set_aim(builder, midpoint, result, boundary, ulp, room);
}
