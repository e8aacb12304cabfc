/* Where nothing is known of a function but that it is smooth: a window of consecutive codes of one operand, over which
 * the result is a quadratic polynomial nearly, and the code of it where the result lies nearest to a boundary. The
 * polynomial is evaluated by differences, modulo an ulp, at each code. A window of n codes has a result within 1/n of
 * an ulp, about. */
#include "sweep/built/solver.h"

enum { LONGEST_WINDOW_LOG2 = 12 };

int compute_result(const struct builder *builder, mpfr_ptr result) {
    const struct built_request *request = &builder->request;
    const struct result_rule *rule = &request->operation->result[0];
    mpfr_ptr x[MAX_OPERANDS];
    for (int i = 0; i < request->operation->operands; i++) {
        struct real value = format_decode(request->format, builder->codes[i]);
        x[i] = (mpfr_ptr)builder->operands[i];
        mpfr_set_zero(x[i], value.negative ? -1 : 1);
        if (value.kind == REAL_FINITE)
            mpfr_set_uj_2exp(x[i], value.significand.high, value.exponent - 63, MPFR_RNDN);
        if (value.negative)
            mpfr_setsign(x[i], x[i], 1, MPFR_RNDN);
    }
    return rule->mpfr1   ? rule->mpfr1(result, x[0], MPFR_RNDN)
           : rule->mpfr2 ? rule->mpfr2(result, x[0], x[1], MPFR_RNDN)
                         : rule->mpfr3(result, x[0], x[1], x[2], MPFR_RNDN);
}

/* A number modulo 1, in 2^-64. */
static uint64_t fraction_of(mpfr_ptr number) {
    mpfr_t floor;
    mpfr_init2(floor, mpfr_get_prec(number));
    mpfr_floor(floor, number);
    mpfr_sub(number, number, floor, MPFR_RNDN);
    mpfr_clear(floor);
    mpfr_mul_2ui(number, number, 64, MPFR_RNDN);
    return mpfr_cmp_ui_2exp(number, 1, 64) >= 0 ? 0 : mpfr_get_uj(number, MPFR_RNDD);
}

uint64_t nearest_along(mpfr_t *results, uint64_t half, int ulp, bool midpoint) {
    mpfr_ptr first = results[0], second = results[1], third = results[2];
    for (int i = 0; i < 3; i++)
        mpfr_mul_2si(results[i], results[i], -ulp, MPFR_RNDN);
    /* first + slope i + bend i^2 */
    mpfr_add(third, third, first, MPFR_RNDN);
    mpfr_sub(third, third, second, MPFR_RNDN);
    mpfr_sub(third, third, second, MPFR_RNDN);
    mpfr_sub(second, second, first, MPFR_RNDN);
    mpfr_div_ui(second, second, (unsigned long)half, MPFR_RNDN);
    mpfr_div_ui(third, third, (unsigned long)half, MPFR_RNDN);
    mpfr_div_2ui(third, third, 1, MPFR_RNDN);
    mpfr_sub(second, second, third, MPFR_RNDN);
    mpfr_div_ui(third, third, (unsigned long)half, MPFR_RNDN);
    mpfr_add(second, second, third, MPFR_RNDN);
    mpfr_mul_2ui(third, third, 1, MPFR_RNDN);
    uint64_t at = fraction_of(first), step = fraction_of(second), bend = fraction_of(third);
    uint64_t best = 0, nearest = UINT64_MAX;
    at -= midpoint ? UINT64_C(1) << 63 : 0;
    for (uint64_t i = 0; i <= 2 * half; i++) {
        uint64_t away = at >> 63 ? 0 - at : at;
        best = away < nearest ? i : best;
        nearest = away < nearest ? away : nearest;
        at += step;
        step += bend;
    }
    return best;
}

bool move_along(struct builder *builder, int running) {
    const struct format *format = builder->request.format;
    const bool midpoint = draw_is_midpoint(builder);
    const uint64_t start = builder->codes[running];
    uint64_t half = UINT64_C(1) << draw_between(builder, 0, LONGEST_WINDOW_LOG2 - 1);
    mpfr_t *results = builder->numbers;
    int exponents[3];
    /* All in one binade, which in small formats is short. */
    while (half > 1 && 8 * half > UINT64_C(1) << (format->precision - 1))
        half /= 2;
    if ((start & low_bits(format->precision - 1)) + 2 * half > low_bits(format->precision - 1))
        return false;
    for (int i = 0; i < 3; i++) {
        builder->codes[running] = start + (uint64_t)i * half;
        compute_result(builder, results[i]);
        if (!mpfr_regular_p(results[i]))
            return false;
        exponents[i] = result_ulp(builder, results[i]);
    }
    int exponent = (int)mpfr_get_exp(results[0]) - 1;
    const struct format *to = builder->request.results;
    if (exponents[0] != exponents[1] || exponents[0] != exponents[2] || exponent > to->emax ||
        exponent < to->emin - to->precision)
        return false;
    builder->codes[running] = start + nearest_along(results, half, exponents[0], midpoint);
    compute_result(builder, results[0]);
    int ulp = nearest_boundary(builder, results[1], results[0], midpoint);
    return set_aim(builder, midpoint, results[0], results[1], ulp, results[2]);
}

/* A start: anywhere in a binade, or near an end of it. */
bool solve_along(struct builder *builder) {
    const struct format *format = builder->request.format;
    int exponent = draw_exponent(builder, format), kept = kept_bits(format, exponent);
    if (kept < 1)
        return false;
    bool negative =
        builder->request.operation->result[0].parity == PARITY_ODD && draw_sign(builder);
    return set_operand(builder, 0, negative, draw_significand(builder, kept),
                       exponent - kept + 1) &&
           move_along(builder, 0);
}
