/* What data are held against beside a scale that is another one than ours: an implementation may put any
 * scale beside its data, as what counts is their product. */
#include "op/scaled/rows.h"

/* More than a value that is no tie and no number of a format can be near one. A quotient of data and
 * scales, whose numerators and denominators have 150 bits at most together, is further away, or is it;
 * others are no binary fractions, and so near by a chance of 2^-60 only. */
enum { EXACT_BITS = 400, SHORT_BITS = 50, NEAR_BITS = 112 };

/* u truncated; where it is next to a number of few bits but for the bits that its factor lacks, that. */
static struct real settled(mpfr_srcptr u, bool inexact, int precision) {
    mpfr_t y, difference;
    mpfr_init2(y, SHORT_BITS);
    mpfr_init2(difference, EXACT_BITS);
    mpfr_set(y, u, MPFR_RNDN);
    mpfr_sub(difference, u, y, MPFR_RNDN);
    bool near = inexact && mpfr_regular_p(difference) &&
                mpfr_get_exp(difference) <= mpfr_get_exp(u) - NEAR_BITS;
    int ternary = 0;
    if (!near) {
        mpfr_set_prec(y, precision);
        ternary = mpfr_set(y, u, MPFR_RNDZ);
    }
    struct real found = real_from_mpfr(y, ternary);
    found.inexact = !near && (found.inexact || inexact);
    mpfr_clears(y, difference, (mpfr_ptr)0);
    return found;
}

/* y t / u, where t and u are scales, u none that is 0. */
static struct real at_scale(const struct real *y, const struct real *t, const struct real *u,
                            bool is_power, int precision) {
    mpfr_t value, part;
    if (y->kind != REAL_FINITE) {
        struct real same = *y;
        same.negative = !is_power && t->negative != u->negative ? !y->negative : y->negative;
        return same;
    }
    mpfr_inits2(EXACT_BITS, value, part, (mpfr_ptr)0);
    struct scaled_range range = scaled_range_widen();
    real_to_mpfr(value, y);
    real_to_mpfr(part, t);
    if (is_power)
        mpfr_mul_2si(value, value, mpfr_get_si(part, MPFR_RNDN), MPFR_RNDN);
    else
        mpfr_mul(value, value, part, MPFR_RNDN);
    real_to_mpfr(part, u);
    if (is_power)
        mpfr_div_2si(value, value, mpfr_get_si(part, MPFR_RNDN), MPFR_RNDN);
    else
        mpfr_div(value, value, part, MPFR_RNDN);
    struct real found = settled(value, y->inexact || (!is_power && t->inexact), precision);
    scaled_range_restore(range);
    mpfr_clears(value, part, (mpfr_ptr)0);
    return found;
}

static bool is_normal(const struct format *format, const struct real *y) {
    return y->kind == REAL_FINITE && y->exponent >= format->emin && y->exponent <= format->emax;
}

bool scaled_own_scale(const struct array_call *call, int result, uint64_t element,
                      const struct real *y, const struct real *scales, const struct array *outputs,
                      int precision, struct real *held, uint64_t *got) {
    const struct array *own = &outputs[SCALED_SCALE];
    const struct format *format = call->results[SCALED_DATA].format;
    const bool is_power = own->format->is_integer;
    uint64_t place = element;
    if (result == SCALED_DATA) {
        const struct scaled_call scaled = scaled_call_of(call);
        place = scaled_result_place(&scaled, element);
    }
    const struct real u = array_number(own, place), *t = &scales[place];
    if (array_code(own, place) == format_encode(own->format, t, ROUND_NEAREST_EVEN, OVERFLOW_IEEE))
        return false;
    const bool is_number = is_power || u.kind == REAL_FINITE, is_zero = u.kind == REAL_ZERO;
    if (result ==
        SCALED_SCALE) /* any number; beside 0 the values are 0, which is held against data */
        return is_number || is_zero;
    struct real number = array_number(&outputs[SCALED_DATA], element);
    if (is_number)
        *held = at_scale(y, t, &u, is_power, precision);
    if (is_number && (is_normal(format, held) || !is_normal(format, y)))
        return true;
    /* What is lost by the choice of a scale is wrong: the value at the right one. */
    number = is_number ? at_scale(&number, &u, t, is_power, precision)
             : is_zero ? real_zero(y->negative)
                       : real_nan();
    *got = format_encode(format, &number, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    *held = *y;
    return true;
}
