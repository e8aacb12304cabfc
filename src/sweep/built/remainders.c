/* Remainders: 2^E X = k Y + R, where R is the rest that is wanted and the quotient k is as long as E says. X is the root of
 * a congruence modulo Y. The result is a number always; what is rare is a long quotient with a rest next to 0, to Y or
 * to the middle of Y. */
#include "sweep/built/solver.h"

/* a * b modulo m, below 2^63. */
static uint64_t multiply_modulo(uint64_t a, uint64_t b, uint64_t m) {
    uint64_t product = 0;
    for (; b; b >>= 1) {
        product = b & 1 ? (product + a) % m : product;
        a = (a + a) % m;
    }
    return product;
}

/* a / 2^count modulo m, which is odd. */
static uint64_t halve_modulo(uint64_t a, unsigned count, uint64_t m) {
    uint64_t half = m / 2 + 1;
    for (; count; count >>= 1) {
        a = count & 1 ? multiply_modulo(a, half, m) : a;
        half = multiply_modulo(half, half, m);
    }
    return a;
}

static bool set_operands(struct builder *builder, uint64_t dividend, uint64_t divisor, int shift) {
    const struct format *format = builder->request.format;
    int least = format->emin - format->precision + 1;
    int most = format->emax - format->precision + 1 - shift;
    if (least > most)
        return false;
    int exponent = draw_one_of(builder, 4) ? least : draw_between(builder, least, most);
    return set_operand(builder, 0, draw_sign(builder), dividend, exponent + shift) &&
           set_operand(builder, 1, draw_sign(builder), divisor, exponent) &&
           aim_at(builder, false, 0);
}

bool solve_remainder(struct builder *builder) {
    const struct format *format = builder->request.format;
    int longest = bit_length((uint64_t)(format->emax - format->emin));
    int bits =
        draw_one_of(builder, 4) ? draw_between(builder, 1, format->precision) : format->precision;
    uint64_t divisor = draw_significand(builder, bits) | 1;
    uint64_t from = (uint64_t[]){0, divisor, divisor / 2, divisor / 2 + 1}[draw_under(builder, 4)];
    uint64_t rest = (from + divisor + (uint64_t)draw_rest(builder, bits - 1)) % divisor;
    int shift = (int)(draw_bits(builder) & low_bits(draw_between(builder, 0, longest)));
    uint64_t dividend = halve_modulo(rest, (unsigned)shift, divisor);
    uint64_t room = (low_bits(format->precision) - dividend) / divisor;
    dividend += divisor * draw_under(builder, room + 1);
    return dividend && set_operands(builder, dividend, divisor, shift);
}

/* A quotient whose low bits are chosen, short enough that x holds it: one that is taken for the next one has other low bits,
 * and its rest lies next to 0 or to half of the divisor. */
bool solve_quotient_bits(struct builder *builder) {
    const int precision = builder->request.format->precision;
    const int bits = draw_between(builder, 1, precision - 1);
    const uint64_t divisor = draw_significand(builder, precision - bits), half = divisor / 2;
    uint64_t quotient = draw_significand(builder, bits);
    quotient = (quotient & ~UINT64_C(7)) | draw_under(builder, 8);
    const uint64_t rest = (uint64_t[]){0, 1, half, half + 1}[draw_under(builder, 4)];
    const uint64_t dividend = quotient * divisor + (draw_one_of(builder, 2) ? rest : 0 - rest);
    return dividend && bit_length(dividend) <= precision &&
           set_operands(builder, dividend, divisor, 0);
}

/* An odd number of halves of the divisor, or a whole number of divisors. */
bool solve_remainder_tie(struct builder *builder) {
    const int precision = builder->request.format->precision;
    int bits = draw_between(builder, 1, precision - 1);
    uint64_t half = draw_significand(builder, bits);
    uint64_t halves = draw_significand(builder, draw_between(builder, 1, precision - bits));
    return set_operands(builder, half * halves, 2 * half, 0);
}
