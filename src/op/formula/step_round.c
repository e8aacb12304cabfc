/* Steps that choose one of their operands or round it: integers, formats, the lesser of two. */
#include "op/formula/step.h"

static int round_mpfr(mpfr_ptr y, mpfr_srcptr x, enum rounding rounding) {
    switch (rounding) {
    case ROUND_DOWN:
        return mpfr_floor(y, x);
    case ROUND_UP:
        return mpfr_ceil(y, x);
    case ROUND_TOWARD_ZERO:
        return mpfr_trunc(y, x);
    case ROUND_NEAREST_AWAY:
        return mpfr_round(y, x);
    default:
        return mpfr_roundeven(y, x);
    }
}

static void round_rational(const struct value *x, enum rounding rounding, struct value *y) {
    mpz_srcptr numerator = mpq_numref(x->rational), denominator = mpq_denref(x->rational);
    mpz_ptr integer = mpq_numref(y->rational);
    mpz_t twice;
    mpz_init(twice);
    mpz_set_ui(mpq_denref(y->rational), 1);
    mpz_fdiv_qr(integer, twice, numerator, denominator);
    mpz_mul_2exp(twice, twice, 1);
    int half = mpz_cmp(twice, denominator), rest = mpz_sgn(twice);
    bool negative = mpz_sgn(numerator) < 0;
    bool up = rounding == ROUND_UP             ? rest > 0
              : rounding == ROUND_DOWN         ? false
              : rounding == ROUND_TOWARD_ZERO  ? rest > 0 && negative
              : half != 0                      ? half > 0
              : rounding == ROUND_NEAREST_AWAY ? !negative
                                               : mpz_odd_p(integer) != 0;
    if (up)
        mpz_add_ui(integer, integer, 1);
    mpz_clear(twice);
    value_is_rational(y);
    y->negative = negative;
}

/* To the next number upwards or downwards, but not from the smallest one to 0: what underflows lies between these two, and
 * has the smallest one's integers. */
static void step_inwards(mpfr_ptr end, int direction) {
    bool zero = mpfr_zero_p(end) != 0;
    if (direction > 0)
        mpfr_nextabove(end);
    else
        mpfr_nextbelow(end);
    if (zero || !mpfr_zero_p(end))
        return;
    if (direction > 0)
        mpfr_nextbelow(end);
    else
        mpfr_nextabove(end);
}

/* All of an enclosure to one integer; false where that is not known. Inwards of an end that is not the value lies a number of
 * two bits more, and no integer or half between the two. */
static bool round_ends(struct value *x, mpfr_ptr low, mpfr_ptr high, enum rounding rounding,
                       struct value *y) {
    mpfr_exp_t most = mpfr_get_prec(low) - 4;
    mpfr_set(low, x->low.at, MPFR_RNDD);
    mpfr_set(high, x->high.at, MPFR_RNDU);
    if (x->low.open)
        step_inwards(low, 1);
    if (x->high.open)
        step_inwards(high, -1);
    if (!mpfr_number_p(low) || !mpfr_number_p(high) ||
        (mpfr_regular_p(low) && mpfr_get_exp(low) > most) ||
        (mpfr_regular_p(high) && mpfr_get_exp(high) > most))
        return false;
    round_mpfr(low, low, rounding);
    round_mpfr(high, high, rounding);
    if (!mpfr_equal_p(low, high))
        return false;
    int sign = value_sign(x);
    if (mpfr_zero_p(low)) {
        value_set_kind(y, sign ? VALUE_ZERO : VALUE_UNKNOWN, sign < 0);
        return true;
    }
    mpfr_get_q(y->rational, low);
    value_is_rational(y);
    return true;
}

/* An integer between those of both ends. */
static void enclose_integer(struct value *x, enum rounding rounding, struct value *y) {
    value_set_kind(y, VALUE_UNKNOWN, false);
    if (mpfr_nan_p(x->low.at) || mpfr_nan_p(x->high.at))
        return;
    y->low.open = mpfr_inf_p(x->low.at) != 0;
    y->high.open = mpfr_inf_p(x->high.at) != 0;
    round_mpfr(y->low.at, x->low.at, rounding);
    round_mpfr(y->high.at, x->high.at, rounding);
    if (!mpfr_equal_p(y->low.at, y->high.at) || !mpfr_zero_p(y->low.at))
        value_is_enclosed(y); /* of a zero the sign is not known */
}

static void round_enclosure(struct value *x, enum rounding rounding, struct value *y) {
    mpfr_t low, high;
    mpfr_inits2(mpfr_get_prec(x->low.at) + 2, low, high, (mpfr_ptr)0);
    if (!round_ends(x, low, high, rounding, y))
        enclose_integer(x, rounding, y);
    mpfr_clears(low, high, (mpfr_ptr)0);
}

void step_to_integer(struct value *x, enum rounding rounding, struct value *y) {
    if (x->kind == VALUE_RATIONAL)
        round_rational(x, rounding, y);
    else if (x->kind == VALUE_ENCLOSED)
        round_enclosure(x, rounding, y);
    else
        value_set(y, x);
}

void step_extremum(struct value *a, struct value *b, int direction, struct value *y) {
    int order = value_compare(a, b);
    if (order == VALUE_UNORDERED)
        value_set_kind(y, VALUE_NAN, false);
    else if (a->kind == VALUE_ZERO && b->kind == VALUE_ZERO)
        value_set_kind(y, VALUE_ZERO,
                       direction < 0 ? a->negative || b->negative : a->negative && b->negative);
    else if (order != VALUE_OPEN)
        value_set(y, order * direction > 0 ? a : b);
    else if (!value_enclose(a) || !value_enclose(b))
        value_set_kind(y, VALUE_UNKNOWN, false);
    else {
        for (int i = 0; i < 2; i++) {
            const struct value_end *p = i ? &a->high : &a->low, *q = i ? &b->high : &b->low;
            int cmp = mpfr_cmp(p->at, q->at) * direction;
            const struct value_end *own = cmp > 0 ? p : cmp < 0 ? q : p->open ? q : p;
            struct value_end *to = i ? &y->high : &y->low;
            mpfr_set(to->at, own->at, i ? MPFR_RNDU : MPFR_RNDD);
            to->open = own->open;
        }
        value_is_enclosed(y);
    }
}

/* The code to which an end rounds; where the end is not the value, a number beside it, inwards, between which and the end
 * nothing of the format or half way lies. */
static bool round_end(const struct format *format, const struct value_end *end, bool high,
                      uint64_t *code) {
    mpfr_t inner, cut;
    mpfr_init2(inner, mpfr_get_prec(end->at) + 2);
    mpfr_init2(cut, STEP_REAL_BITS);
    mpfr_set(inner, end->at, MPFR_RNDN);
    if (end->open && high)
        mpfr_nextbelow(inner);
    else if (end->open)
        mpfr_nextabove(inner);
    int ternary = mpfr_set(cut, inner, MPFR_RNDZ);
    struct real real = real_from_mpfr(cut, ternary);
    bool number = mpfr_number_p(inner);
    if (number)
        *code = format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    mpfr_clears(inner, cut, (mpfr_ptr)0);
    return number;
}

/* All of an enclosure to one code. */
static bool round_enclosure_to_code(const struct format *format, const struct value *x,
                                    uint64_t *code) {
    uint64_t other;
    return value_sign(x) && round_end(format, &x->low, false, code) &&
           round_end(format, &x->high, true, &other) && *code == other;
}

void step_round(const struct format *format, struct value *x, struct value *y) {
    mpfr_t result, other;
    struct real real;
    uint64_t code;
    bool special, known;
    int ternary;
    mpfr_inits2(STEP_REAL_BITS, result, other, (mpfr_ptr)0);
    if (x->kind == VALUE_ENCLOSED)
        known = round_enclosure_to_code(format, x, &code);
    else if ((known = value_truncate(x, result, other, &ternary, &real, &special))) {
        if (!special)
            real = real_from_mpfr(result, ternary);
        code = format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    }
    if (known) {
        real = format_decode(format, code);
        value_set_real(y, &real);
    } else
        value_set_kind(y, VALUE_UNKNOWN, false);
    mpfr_clears(result, other, (mpfr_ptr)0);
}
