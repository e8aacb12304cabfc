/* Products, and products plus a number.
 *
 * An odd number has an inverse modulo 2^w, so one factor is free, and the other's low w bits give the product whatever
 * low bits are wanted, where it has as many. Beyond that, products that lie next to a power of two are known by algebra:
 * (2^m + z) (2^m - z) = 2^2m - z^2 and (2^s + 1) (2^2s - 2^s + 1) = 2^3s + 1, each times a number. */
#include "sweep/built/congruence.h"
#include "sweep/built/solver.h"

#include <math.h>

/* Bits of a significand of the operands: mostly all. */
static int draw_length(struct builder *builder, int most) {
    return most < 1 ? 1 : draw_one_of(builder, 4) ? draw_between(builder, 1, most) : most;
}

/* Two factors whose product has `low` as its low `low_count` bits, which the second has no fewer of; 0 where that has
 * not got `length` bits. The first one is odd. */
static uint64_t other_factor(struct builder *builder, uint64_t odd, uint64_t low, int low_count,
                             int length) {
    uint64_t factor = low * inverse_of_odd(odd) & low_bits(low_count);
    if (low_count < length)
        factor |= draw_significand(builder, length) & ~low_bits(low_count);
    return bit_length(factor) == length ? factor : 0;
}

bool solve_product(struct builder *builder) {
    const struct format *format = builder->request.results;
    const int precision = builder->request.format->precision;
    const bool midpoint = draw_is_midpoint(builder);
    int exponent = draw_exponent(builder, format), kept = kept_bits(format, exponent);
    int length = draw_length(builder, precision);
    int first = draw_length(builder, kept < precision ? kept : precision), exponents[2];
    const int cut = first + length - draw_between(builder, 0, 1) - kept;
    if (kept < 1 || cut < 1 || cut > length)
        return false;
    uint64_t a = draw_significand(builder, first) | 1;
    int64_t rest = draw_rest(builder, cut - 1);
    uint64_t half = midpoint ? UINT64_C(1) << (cut - 1) : 0;
    uint64_t b = other_factor(builder, a, half + (uint64_t)rest, cut, length);
    if (!b || wide_bit_length(wide_product(a, b)) != kept + cut ||
        !draw_exponents(builder, exponent - kept - cut + 1, (int[]){first, length}, exponents))
        return false;
    int swapped = draw_one_of(builder, 2);
    return set_operand(builder, swapped, draw_sign(builder), a, exponents[0]) &&
           set_operand(builder, !swapped, draw_sign(builder), b, exponents[1]) &&
           aim_at(builder, midpoint,
                  ldexp((double)rest, -cut) * (builder->codes[0] & format->sign_bit ? -1 : 1) *
                      (builder->codes[1] & format->sign_bit ? -1 : 1));
}

/* A product scale * (2^power + rest). */
struct factors {
    uint64_t a, b, scale;
    int power;
    int64_t rest;
};

/* Those that fit `precision` bits each. */
static bool draw_factors(struct builder *builder, int precision, struct factors *factors) {
    int scales[2] = {draw_one_of(builder, 2) ? 1 : draw_between(builder, 1, precision),
                     draw_one_of(builder, 2) ? 1 : draw_between(builder, 1, precision)};
    uint64_t by[2] = {draw_significand(builder, scales[0]) | 1,
                      draw_significand(builder, scales[1]) | 1};
    factors->scale = by[0] * by[1];
    if (scales[0] + scales[1] > precision)
        return false;
    if (draw_one_of(builder, 2)) {
        int room = precision - (scales[0] > scales[1] ? scales[0] : scales[1]) - 1;
        int half = room < 1 ? 0 : draw_length(builder, room);
        int bits = half < 2 ? 0 : draw_between(builder, 0, draw_between(builder, 0, half - 1));
        uint64_t z = bits ? draw_significand(builder, bits) | 1 : 0;
        factors->a = by[0] * ((UINT64_C(1) << half) + z);
        factors->b = by[1] * ((UINT64_C(1) << half) - z);
        factors->power = 2 * half;
        factors->rest = -(int64_t)(z * z);
        return bits <= 31;
    }
    int sign = draw_one_of(builder, 2) ? -1 : 1;
    int room = (precision - scales[1]) / 2, most = precision - scales[0] - 1;
    int third = room < 1 || most < 1 ? 0 : draw_length(builder, room < most ? room : most);
    uint64_t one = UINT64_C(1) << third;
    factors->a = by[0] * (sign > 0 ? one + 1 : one - 1);
    factors->b = by[1] * (one * one + 1 + (sign > 0 ? 0 - one : one));
    factors->power = 3 * third;
    factors->rest = sign;
    return third > 1;
}

/* The factors, whose product has `cut` bits below the result's last place and `above` times it above, and a third
 * operand which makes that `kept` bits. */
static bool finish_fused(struct builder *builder, const uint64_t factors[2], int cut,
                         uint64_t above, struct built_aim aim) {
    const struct format *format = builder->request.format;
    const int lengths[2] = {bit_length(factors[0]), bit_length(factors[1])};
    int exponent = draw_exponent(builder, format), kept = kept_bits(format, exponent), exponents[2];
    int ulp = exponent - (kept < 0 ? 0 : kept) + 1;
    ulp = ulp < format->emin - format->precision + 1 ? format->emin - format->precision + 1 : ulp;
    uint64_t wanted = kept > 0 ? draw_significand(builder, kept) : 0;
    bool product_negative = draw_sign(builder), negative = draw_sign(builder);
    int64_t third =
        (int64_t)wanted - (product_negative != negative ? -(int64_t)above : (int64_t)above);
    bool third_negative = negative != (third < 0);
    if (!draw_exponents(builder, ulp - cut, lengths, exponents))
        return false;
    bool first_negative = draw_sign(builder);
    builder->codes[2] = format_with_sign(format, 0, product_negative);
    aim.distance = product_negative ? -aim.distance : aim.distance;
    /* Below a power of two ulps are half as large, and its midpoints elsewhere. */
    bool falls = aim.is_midpoint ? product_negative != negative : (aim.distance < 0) != negative;
    if (falls && exponent > format->emin && wanted == UINT64_C(1) << (format->precision - 1)) {
        aim.distance *= 2;
        if (aim.is_midpoint || fabs(aim.distance) > 0.5)
            return false;
    }
    return set_operand(builder, 0, first_negative, factors[0], exponents[0]) &&
           set_operand(builder, 1, first_negative != product_negative, factors[1], exponents[1]) &&
           (!third ||
            set_operand(builder, 2, third_negative, (uint64_t)(third < 0 ? -third : third), ulp)) &&
           aim_at(builder, aim.is_midpoint, aim.distance);
}

bool solve_fused_low(struct builder *builder) {
    const int precision = builder->request.format->precision;
    const bool midpoint = draw_is_midpoint(builder);
    int length = draw_length(builder, precision), first = draw_length(builder, precision);
    int least = first + length - precision;
    int cut = least > length ? length : draw_between(builder, least < 1 ? 1 : least, length);
    uint64_t a = draw_significand(builder, first) | 1;
    int64_t rest = draw_rest(builder, cut - 1);
    uint64_t half = midpoint ? UINT64_C(1) << (cut - 1) : 0;
    uint64_t b = other_factor(builder, a, half + (uint64_t)rest, cut, length);
    struct wide above = wide_shift_right(wide_product(a, b), (unsigned)cut);
    bool borrows = !midpoint && rest < 0;
    return b && !above.high &&
           finish_fused(builder, (uint64_t[]){a, b}, cut, above.low + borrows,
                        (struct built_aim){true, midpoint, ldexp((double)rest, -cut)});
}

bool solve_fused_factors(struct builder *builder) {
    struct factors factors;
    if (!draw_factors(builder, builder->request.format->precision, &factors))
        return false;
    const bool midpoint = draw_is_midpoint(builder);
    int cut = factors.power + midpoint;
    double distance = ldexp((double)factors.rest * (double)factors.scale, -cut);
    return fabs(distance) < 0.5 && finish_fused(builder, (uint64_t[]){factors.a, factors.b}, cut,
                                                midpoint ? factors.scale / 2 : factors.scale,
                                                (struct built_aim){true, midpoint, distance});
}

bool solve_product_of_factors(struct builder *builder) {
    const struct format *format = builder->request.results;
    struct factors factors;
    int exponents[2];
    if (!draw_factors(builder, builder->request.format->precision, &factors))
        return false;
    /* The scale has all bits that are kept, and the half. */
    const bool midpoint = draw_is_midpoint(builder);
    int kept = bit_length(factors.scale) - midpoint;
    int exponent = kept < format->precision ? format->emin - format->precision + kept
                                            : draw_exponent(builder, format);
    if (draw_one_of(builder, 4) && kept < format->precision && !midpoint)
        exponent = draw_exponent(builder, format);
    const int kept_there = kept_bits(format, exponent);
    const int length = wide_bit_length(wide_product(factors.a, factors.b));
    const double distance = ldexp((double)factors.rest * (double)factors.scale,
                                  kept_there - bit_length(factors.scale) - factors.power);
    if (kept_there < kept || fabs(distance) >= 0.5 ||
        length != bit_length(factors.scale) + factors.power ||
        !draw_exponents(builder, exponent - length + 1,
                        (int[]){bit_length(factors.a), bit_length(factors.b)}, exponents))
        return false;
    bool negative = draw_sign(builder);
    return set_operand(builder, 0, negative, factors.a, exponents[0]) &&
           set_operand(builder, 1, false, factors.b, exponents[1]) &&
           aim_at(builder, midpoint, negative ? -distance : distance);
}

/* A product that is a midpoint or a number, whose last bit counts 2^exponent. */
static bool draw_even_product(struct builder *builder, bool midpoint, uint64_t factors[2],
                              int exponents[2], int *ulp) {
    const struct format *format = builder->request.format;
    int exponent = draw_exponent(builder, format), length = kept_bits(format, exponent) + midpoint;
    if (length < 1)
        return false;
    int first = draw_between(builder, length > format->precision, length - 1);
    first = first < 1 ? 1 : first;
    int second = length - first + draw_between(builder, 0, 1);
    if (second < 1 || second > format->precision || first > format->precision)
        return false;
    factors[0] = draw_significand(builder, first) | 1;
    factors[1] = draw_significand(builder, second) | 1;
    *ulp = exponent - length + 1 + midpoint;
    return wide_bit_length(wide_product(factors[0], factors[1])) == length &&
           draw_exponents(builder, *ulp - midpoint, (int[]){first, second}, exponents);
}

bool solve_fused_tie(struct builder *builder) {
    const struct format *format = builder->request.format;
    const bool midpoint = draw_is_midpoint(builder);
    uint64_t factors[2];
    int exponents[2], ulp, least = format->emin - format->precision + 1;
    if (!draw_even_product(builder, midpoint, factors, exponents, &ulp))
        return false;
    bool negative = draw_sign(builder), third_negative = draw_sign(builder);
    int exponent = draw_one_of(builder, 2)
                       ? ulp - draw_between(builder, 2, 2 * format->precision + 2)
                       : draw_between(builder, least, ulp < least ? least : ulp);
    exponent = exponent > ulp - 2 ? ulp - 2 : exponent;
    int kept = kept_bits(format, exponent);
    if (kept < 1)
        return false;
    uint64_t third = draw_significand(builder, kept);
    double distance = ldexp((double)third, exponent - kept + 1 - ulp);
    builder->aim.is_known = false;
    return set_operand(builder, 0, negative, factors[0], exponents[0]) &&
           set_operand(builder, 1, false, factors[1], exponents[1]) &&
           set_operand(builder, 2, third_negative, third, exponent - kept + 1) &&
           (distance < 0x1p-900 ||
            aim_at(builder, midpoint, third_negative ? -distance : distance));
}

bool solve_fused_sum(struct builder *builder) {
    const struct format *format = builder->request.format;
    int lengths[2] = {draw_length(builder, format->precision),
                      draw_length(builder, format->precision)};
    uint64_t a = draw_significand(builder, lengths[0]), b = draw_significand(builder, lengths[1]);
    int exponents[2], sum = draw_exponent(builder, format) - lengths[0] - lengths[1];
    mpfr_ptr product = builder->numbers[4];
    if (!draw_exponents(builder, sum, lengths, exponents))
        return false;
    bool negative = draw_sign(builder);
    mpfr_set_uj_2exp(product, a, sum, MPFR_RNDN);
    mpfr_set_uj_2exp(builder->numbers[0], b, 0, MPFR_RNDN);
    mpfr_mul(product, product, builder->numbers[0], MPFR_RNDN);
    if (negative)
        mpfr_neg(product, product, MPFR_RNDN);
    return set_operand(builder, 0, negative, a, exponents[0]) &&
           set_operand(builder, 1, false, b, exponents[1]) &&
           solve_last_addend(builder, product, 2, false);
}
