/* Draws, results to aim at, and numbers of the operands' format. */
#include "sweep/built/solver.h"

#include <math.h>

uint64_t draw_significand(struct builder *builder, int bits) {
    const uint64_t top = UINT64_C(1) << (bits - 1), all = low_bits(bits);
    uint64_t drawn = draw_bits(builder);
    int at = draw_between(builder, 0, bits - 1), then = draw_between(builder, 0, bits - 1);
    switch (draw_under(builder, 8)) {
    case 0: /* few ones */
        return top | UINT64_C(1) << at | (drawn & 1) << then;
    case 1: /* few zeros */
        return top | (all & ~(UINT64_C(1) << at) & ~((drawn & 1) << then));
    case 2: /* a run */
        return top | (low_bits(at) ^ low_bits(then));
    case 3: /* few bits */
        return top | (drawn & all & ~low_bits(at));
    default:
        return top | (drawn & all);
    }
}

int64_t draw_rest(struct builder *builder, int bits) {
    uint64_t drawn = draw_bits(builder);
    int length = bits > 0 ? draw_between(builder, 0, bits < 62 ? bits : 62) : 0;
    uint64_t magnitude =
        length ? (UINT64_C(1) << (length - 1)) | (drawn >> 1 & low_bits(length - 1)) : 0;
    return drawn & 1 ? -(int64_t)magnitude : (int64_t)magnitude;
}

bool draw_is_midpoint(struct builder *builder) {
    const enum rounding rounding = builder->request.rounding;
    uint64_t eighths = rounding == ROUNDING_COUNT ? 4 : rounding_is_nearest(rounding) ? 7 : 1;
    return draw_under(builder, 8) < eighths;
}

int draw_exponent(struct builder *builder, const struct format *format) {
    const int least = format->emin - format->precision, most = format->emax;
    switch (draw_under(builder, 4)) {
    case 0:
        return draw_between(builder, least, format->emin - 1);
    case 1:
        return draw_one_of(builder, 2) ? draw_between(builder, format->emin, format->emin + 1)
                                       : draw_between(builder, most - 1, most);
    case 2:
        return draw_between(builder, -2 < format->emin ? format->emin : -2,
                            2 > format->emax ? format->emax : 2);
    default:
        return draw_between(builder, format->emin, format->emax);
    }
}

static struct real real_of(bool negative, uint64_t significand, int exponent) {
    int length = bit_length(significand);
    struct real value = {.kind = REAL_FINITE, .negative = negative};
    value.significand.high = significand << (64 - length);
    value.exponent = exponent + length - 1;
    return value;
}

bool set_operand(struct builder *builder, int which, bool negative, uint64_t significand,
                 int exponent) {
    const struct format *format = builder->request.format;
    if (!significand)
        return false;
    struct real value = real_of(negative, significand, exponent);
    uint64_t code = format_encode(format, &value, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE);
    struct real back = format_decode(format, code);
    builder->codes[which] = code;
    return back.kind == REAL_FINITE && back.negative == negative &&
           back.exponent == value.exponent &&
           wide_compare(back.significand, value.significand) == 0;
}

bool set_nearest(struct builder *builder, int which, mpfr_ptr value) {
    const struct format *format = builder->request.format;
    uint64_t code = format_encode_mpfr(format, value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    struct real back = format_decode(format, code);
    builder->codes[which] = code;
    mpfr_set_zero(value, back.negative ? -1 : 1);
    if (back.kind == REAL_FINITE)
        real_to_mpfr(value, &back);
    return back.kind == REAL_FINITE || back.kind == REAL_ZERO;
}

bool draw_exponents(struct builder *builder, int sum, const int bits[2], int exponents[2]) {
    const struct format *format = builder->request.format;
    int least = format->emin - bits[0] + 1, most = format->emax - bits[0] + 1;
    int other_least = format->emin - bits[1] + 1, other_most = format->emax - bits[1] + 1;
    least = sum - other_most > least ? sum - other_most : least;
    most = sum - other_least < most ? sum - other_least : most;
    if (least > most)
        return false;
    exponents[0] = draw_between(builder, least, most);
    exponents[1] = sum - exponents[0];
    return true;
}

int result_ulp(const struct builder *builder, mpfr_srcptr value) {
    const struct format *format = builder->request.results;
    int exponent = mpfr_regular_p(value) ? (int)mpfr_get_exp(value) - 1 : format->emin;
    exponent = exponent < format->emin ? format->emin : exponent;
    exponent = exponent > format->emax ? format->emax : exponent;
    return exponent - format->precision + 1;
}

int nearest_boundary(struct builder *builder, mpfr_ptr boundary, mpfr_srcptr value, bool midpoint) {
    int ulp = result_ulp(builder, value);
    mpfr_mul_2si(boundary, value, -ulp, MPFR_RNDN);
    if (midpoint) {
        mpfr_floor(boundary, boundary);
        mpfr_add_d(boundary, boundary, 0.5, MPFR_RNDN);
    } else
        mpfr_round(boundary, boundary);
    mpfr_mul_2si(boundary, boundary, ulp, MPFR_RNDN);
    return ulp;
}

/* A code of a finite number of the results' format; of results of small formats each has its turn. */
static uint64_t draw_result_code(struct builder *builder) {
    const struct format *format = builder->request.results;
    bool negative = format->sign_bit && draw_one_of(builder, 2);
    uint64_t magnitude;
    if (format->precision < 2 || format->is_integer || draw_one_of(builder, 2))
        magnitude = draw_under(builder, format_most(format, negative) + 1);
    else {
        int exponent = draw_exponent(builder, format), kept = kept_bits(format, exponent);
        uint64_t significand = kept > 0 ? draw_significand(builder, kept) : 0;
        struct real value =
            significand ? real_of(false, significand, exponent - kept + 1) : real_zero(false);
        magnitude = format_encode(format, &value, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE);
    }
    return format_with_sign(format, magnitude, negative);
}

bool draw_boundary(struct builder *builder, mpfr_ptr boundary, int *ulp, bool midpoint) {
    const struct format *format = builder->request.results;
    struct real value = format_decode(format, draw_result_code(builder));
    if (value.kind != REAL_FINITE && value.kind != REAL_ZERO)
        return false;
    *ulp = format_ulp_exponent(format, &value);
    mpfr_set_zero(boundary, value.negative ? -1 : 1);
    if (value.kind == REAL_FINITE)
        real_to_mpfr(boundary, &value);
    if (midpoint) {
        mpfr_t half;
        mpfr_init2(half, 8);
        mpfr_set_ui_2exp(half, 1, *ulp - 1, MPFR_RNDN);
        (value.negative ? mpfr_sub : mpfr_add)(boundary, boundary, half, MPFR_RNDN);
        mpfr_clear(half);
    }
    return true;
}

void draw_distance(struct builder *builder, mpfr_ptr distance, int ulp, int smallest) {
    int scale = draw_between(builder, 1, smallest);
    uint64_t significand = (UINT64_C(1) << 53 | (draw_bits(builder) >> 11)) & ~UINT64_C(1);
    if (draw_one_of(builder, 16)) {
        mpfr_set_zero(distance, 1);
        return;
    }
    if (draw_one_of(builder, 4))
        significand = UINT64_C(1) << 53;
    mpfr_set_ui_2exp(distance, significand, ulp - scale - 54, MPFR_RNDN);
    if (draw_one_of(builder, 2))
        mpfr_neg(distance, distance, MPFR_RNDN);
}

bool set_aim(struct builder *builder, bool midpoint, mpfr_srcptr value, mpfr_srcptr boundary,
             int ulp, mpfr_ptr room) {
    int there = result_ulp(builder, value);
    mpfr_sub(room, value, boundary, MPFR_RNDN);
    mpfr_mul_2si(room, room, -there, MPFR_RNDN);
    double distance = mpfr_get_d(room, MPFR_RNDN);
    bool is_lost = !mpfr_zero_p(room) && fabs(distance) < 0x1p-900;
    aim_at(builder, midpoint, distance);
    builder->aim.is_known = !is_lost;
    return fabs(distance) <= 0.5 && (there == ulp || (there < ulp && !midpoint));
}
