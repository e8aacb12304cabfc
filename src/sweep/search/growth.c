/* Near a zero an error that is small beside the terms of a sum is large beside the sum; near a pole the distance from it is
 * divided by; and the logarithm of a power is multiplied by the exponent, its error with it. A draw from all numbers seldom
 * comes near: most powers overflow or are 1.
 *
 * detmath's functions say where such places are, so that they are the same on every machine. Nothing that is reported
 * depends on their being right. */
#include "sweep/search/growth.h"

#include "base/bits.h"
#include "detmath/arrays.h"
#include "detmath/library/kernels_f64.h"
#include "op/function/pole_rule.h"

#include <math.h>
#include <string.h>

/* Gamma is 0 in fp64 left of about so many poles, and the zeros of lgamma are next to them long before. */
enum { POLES = 185, POLES_LOG2 = 8 };

/* Powers of the first operand, or of 1 more: the second one is an integer, or any number. */
static const struct power {
    const char *name;
    bool of_next, is_integer;
} powers[] = {
    {"pow", false, false},
    {"powr", false, false},
    {"pown", false, true},
    {"compoundn", true, true},
};

static const struct power *power_of(const struct operation *operation) {
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
        if (strcmp(operation->name, powers[i].name) == 0)
            return &powers[i];
    return NULL;
}

bool growth_is_known(const struct operation *operation) {
    return power_of(operation) || (operation->operands == 1 && operation->result[0].poles);
}

static uint64_t code_of(const struct format *format, double value) {
    const struct real real = real_from_double(value);
    return format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

/* From 0 to below 1. */
static double draw_share(const struct draws *draws, unsigned stream) {
    return (double)(draw(draws, stream) >> 11) * 0x1p-53;
}

/* A magnitude from 1 to below 2^octaves, each octave as often as any other. */
static uint64_t draw_octave(const struct draws *draws, unsigned stream, unsigned octaves) {
    return (uint64_t)detmath_exp2_f64_scalar(draw_share(draws, stream) * octaves);
}

/* Where the function changes its sign between two numbers of one sign: the one of two neighbours that is nearer to `end`; or `end`
 * where it does not, or there is no function. */
static double zero_between(double (*function)(double), double end, double middle) {
    uint64_t inside = bits_of(end), outside = bits_of(middle);
    inside = outside > inside ? inside + 1 : inside - 1; /* the end is a pole */
    if (!function || (function(from_bits(inside)) > 0) == (function(middle) > 0))
        return end;
    const bool is_positive = function(from_bits(inside)) > 0;
    while (inside + 1 != outside && outside + 1 != inside) {
        uint64_t half =
            inside < outside ? inside + (outside - inside) / 2 : outside + (inside - outside) / 2;
        if ((function(from_bits(half)) > 0) == is_positive)
            inside = half;
        else
            outside = half;
    }
    return from_bits(inside);
}

/* Within 1/2 of a pole, or of the zero on one side of it. */
static uint64_t draw_pole(const struct operation *operation, const struct draws *draws) {
    const struct detmath_kernels_f64 *kernels = detmath_kernels_find_f64(operation->name);
    const struct format *format = draws->format;
    uint64_t which = draw_octave(draws, STREAM_PLACE, POLES_LOG2);
    which = which > POLES ? which - POLES : which;
    double pole = -(double)which, place = pole;
    double middle = pole + (draw(draws, STREAM_PLACE + 1) % 2 ? 0.5 : -0.5);
    if (draw(draws, STREAM_PLACE + 2) % 2)
        place = zero_between(kernels ? kernels->det_scalar.unary : NULL, pole, middle);
    unsigned half =
        (unsigned)format->precision - 65 + leading_zeros(which); /* codes of 1/2, as 2^half */
    uint64_t away = draw_octave(draws, STREAM_PLACE + 3, half) - 1;
    return code_of(format, place) + (draw(draws, STREAM_PLACE + 4) % 2 ? away : -away);
}

/* The exponent of the result is from half the largest one to it, of either sign. The base is near 1 or anywhere. */
static void draw_power(const struct power *power, const struct draws *draws, uint64_t *codes) {
    const struct format *format = draws->format;
    const double base = power->of_next ? 0 : 1; /* whose powers are 1 */
    double share = draw_share(draws, STREAM_PLACE), x;
    if (draw(draws, STREAM_PLACE + 1) % 2) {
        double away = detmath_exp2_f64_scalar(-share * format->precision);
        x = base + (draw(draws, STREAM_PLACE + 2) % 2 ? away : -away / 2);
    } else
        x = detmath_exp2_f64_scalar((power->of_next ? share : 2 * share - 1) * format->emax);
    codes[0] = code_of(format, x);
    const struct real rounded = format_decode(format, codes[0]);
    x = real_to_double(&rounded);
    double logarithm = power->of_next ? detmath_log2p1_f64_scalar(x) : detmath_log2_f64_scalar(x);
    double size = (0.5 + draw_share(draws, STREAM_PLACE + 3) / 2) * (format->emax + 1);
    double y = (draw(draws, STREAM_PLACE + 4) % 2 ? size : -size) / logarithm;
    codes[1] = code_of(format, power->is_integer ? rint(y) : y);
}

void growth_draw(const struct operation *operation, const struct draws *draws, uint64_t *codes) {
    const struct power *power = power_of(operation);
    if (power)
        draw_power(power, draws, codes);
    else
        codes[0] = draw_pole(operation, draws);
}
