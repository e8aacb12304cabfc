/* Dyadic operations in rational numbers. Every step is the definition's: the number that a mantissa
 * and a scale mean, that number in units of 2^-t, rounded to an integer, held in the accumulator.
 */
#include "op/dyadic/exact.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

void dyadic_exact_open(struct dyadic_exact *exact) {
    mpz_inits(exact->v, exact->mantissa, exact->other, exact->part, NULL);
    mpq_inits(exact->value, exact->w, exact->x1, exact->x2, NULL);
}

void dyadic_exact_close(struct dyadic_exact *exact) {
    mpz_clears(exact->v, exact->mantissa, exact->other, exact->part, NULL);
    mpq_clears(exact->value, exact->w, exact->x1, exact->x2, NULL);
}

void dyadic_exact_integer(mpz_t z, int64_t v) {
    uint64_t magnitude = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    mpz_import(z, 1, 1, sizeof magnitude, 0, 0, &magnitude);
    if (v < 0)
        mpz_neg(z, z);
}

/* x = v * 2^-s for any s, negative ones too. */
void dyadic_exact_number(mpq_t x, const mpz_t v, long s) {
    mpq_set_z(x, v);
    if (s >= 0)
        mpq_div_2exp(x, x, (mp_bitcnt_t)s);
    else
        mpq_mul_2exp(x, x, (mp_bitcnt_t)-s);
}

/* The number that x means; 0 where its scale is none. */
static void set_number(struct dyadic_exact *exact, mpq_t value, struct detmath_dyadic x) {
    bool has_scale = x.s >= -DETMATH_DYADIC_MOST_SCALE && x.s <= DETMATH_DYADIC_MOST_SCALE;
    dyadic_exact_integer(exact->v, x.v);
    dyadic_exact_number(value, exact->v, has_scale ? x.s : 0);
}

/* z as the accumulator holds it. */
void dyadic_exact_hold(struct dyadic_exact *exact, mpz_t z,
                       const struct detmath_dyadic_rules *rules) {
    mp_bitcnt_t bits = (mp_bitcnt_t)rules->bits;
    mpz_t *limit = &exact->part;
    mpz_set_ui(*limit, 1);
    mpz_mul_2exp(*limit, *limit, bits - 1);
    bool above = mpz_cmp(z, *limit) >= 0;
    mpz_neg(*limit, *limit);
    bool below = mpz_cmp(z, *limit) < 0;
    if (!above && !below)
        return;
    exact->overflowed = true;
    if (rules->overflow == DETMATH_DYADIC_REPORT)
        exact->status |= DETMATH_DYADIC_OVERFLOW;
    if (rules->overflow == DETMATH_DYADIC_SATURATE) {
        mpz_set(z, *limit);
        if (above)
            mpz_com(z, z);
        return;
    }
    mpz_sub(z, z, *limit);
    mpz_fdiv_r_2exp(z, z, bits);
    mpz_add(z, z, *limit);
}

/* z = w rounded to an integer. Stochastic: by the first k bits of the fraction. */
static void round_to_integer(struct dyadic_exact *exact, mpz_t z, mpq_t w,
                             enum detmath_dyadic_rounding rounding, long k, uint64_t random) {
    mpz_fdiv_qr(z, exact->part, mpq_numref(w), mpq_denref(w));
    if (mpz_sgn(exact->part) == 0)
        return;
    exact->lost_bits = true;
    bool negative = mpq_sgn(w) < 0, up = false;
    k = k < DETMATH_DYADIC_MOST_SHIFT ? k : DETMATH_DYADIC_MOST_SHIFT; /* bits that are compared */
    mpz_mul_2exp(exact->part, exact->part, 1);
    int half = mpz_cmp(exact->part, mpq_denref(w));
    switch (rounding) {
    case DETMATH_DYADIC_DOWN:
        break;
    case DETMATH_DYADIC_UP:
        up = true;
        break;
    case DETMATH_DYADIC_TOWARD_ZERO:
        up = negative;
        break;
    case DETMATH_DYADIC_NEAREST_EVEN:
        up = half > 0 || (half == 0 && mpz_odd_p(z));
        break;
    case DETMATH_DYADIC_NEAREST_AWAY:
        up = half > 0 || (half == 0 && !negative);
        break;
    case DETMATH_DYADIC_NEAREST_UP:
        up = half >= 0;
        break;
    case DETMATH_DYADIC_STOCHASTIC: { /* remainder / denominator * 2^k > U */
        uint64_t u = k ? random & (UINT64_MAX >> (64 - k)) : 0;
        mpz_mul_2exp(exact->part, exact->part, (mp_bitcnt_t)k);
        mpz_mul_2exp(exact->mantissa, mpq_denref(w), 1);
        mpz_fdiv_q(exact->part, exact->part, exact->mantissa);
        mpz_import(exact->mantissa, 1, 1, sizeof u, 0, 0, &u);
        up = mpz_cmp(exact->part, exact->mantissa) > 0;
    }
    }
    if (up)
        mpz_add_ui(z, z, 1);
}

void dyadic_exact_shift(struct dyadic_exact *exact, mpz_t z, long by,
                        const struct detmath_dyadic_rules *rules, uint64_t random) {
    dyadic_exact_number(exact->w, z, -by);
    round_to_integer(exact, z, exact->w, rules->rounding, by < 0 ? -by : 0, random);
    dyadic_exact_hold(exact, z, rules);
}

void dyadic_exact_raise(struct dyadic_exact *exact, mpz_t v, mpz_t divisor, long by,
                        const struct detmath_dyadic_rules *rules) {
    if (by < 0) {
        mpz_mul_2exp(divisor, divisor, (mp_bitcnt_t)-by);
        return;
    }
    mpz_mul_2exp(v, v, (mp_bitcnt_t)by);
    dyadic_exact_hold(exact, v, rules);
}

/* z = (v, s) at scale t. */
static void align(struct dyadic_exact *exact, mpz_t z, struct detmath_dyadic x, long t,
                  const struct dyadic_question *question) {
    dyadic_exact_integer(z, x.v);
    dyadic_exact_hold(exact, z, &question->rules);
    dyadic_exact_shift(exact, z, t - x.s, &question->rules, question->random);
}

static bool scales_fit(struct dyadic_exact *exact, long a, long b, long c) {
    const long most = DETMATH_DYADIC_MOST_SCALE;
    bool fit = labs(a) <= most && labs(b) <= most && labs(c) <= most;
    exact->status |= fit ? 0u : DETMATH_DYADIC_BAD_SCALE;
    return fit;
}

static void answer_sum(struct dyadic_exact *exact, const struct dyadic_question *question) {
    struct detmath_dyadic x1 = question->x1, x2 = question->x2;
    bool coarser = question->rules.alignment == DETMATH_DYADIC_COARSER;
    bool subtract = question->operation == DYADIC_SUB;
    long t = (x1.s < x2.s) == coarser ? x1.s : x2.s;
    if (!scales_fit(exact, x1.s, x2.s, t))
        return;
    (subtract ? mpq_sub : mpq_add)(exact->value, exact->x1, exact->x2);
    align(exact, exact->v, x1, t, question);
    align(exact, exact->other, x2, t, question);
    (subtract ? mpz_sub : mpz_add)(exact->v, exact->v, exact->other);
    dyadic_exact_hold(exact, exact->v, &question->rules);
    exact->s = t;
}

static void load_both(struct dyadic_exact *exact, const struct dyadic_question *question) {
    dyadic_exact_integer(exact->v, question->x1.v);
    dyadic_exact_integer(exact->other, question->x2.v);
    dyadic_exact_hold(exact, exact->v, &question->rules);
    dyadic_exact_hold(exact, exact->other, &question->rules);
}

static void answer_product(struct dyadic_exact *exact, const struct dyadic_question *question) {
    long full = (long)question->x1.s + question->x2.s, s = full - question->shift;
    if (!scales_fit(exact, question->x1.s, question->x2.s, s))
        return;
    mpq_mul(exact->value, exact->x1, exact->x2);
    load_both(exact, question);
    mpz_mul(exact->v, exact->v, exact->other);
    dyadic_exact_hold(exact, exact->v, &question->rules);
    dyadic_exact_shift(exact, exact->v, -(long)question->shift, &question->rules, question->random);
    exact->s = s;
}

static void answer_quotient(struct dyadic_exact *exact, const struct dyadic_question *question) {
    long s = (long)question->x1.s - question->x2.s + question->shift;
    if (!scales_fit(exact, question->x1.s, question->x2.s, s))
        return;
    load_both(exact, question);
    if (mpz_sgn(exact->other) == 0) {
        exact->status |= DETMATH_DYADIC_DIVISION_BY_ZERO;
        return;
    }
    if (mpq_sgn(exact->x2))
        mpq_div(exact->value, exact->x1, exact->x2);
    dyadic_exact_raise(exact, exact->v, exact->other, question->shift, &question->rules);
    mpz_tdiv_qr(exact->v, exact->part, exact->v, exact->other);
    exact->lost_bits = mpz_sgn(exact->part) != 0;
    dyadic_exact_hold(exact, exact->v, &question->rules);
    exact->s = s;
}

/* The same number; shifts do not matter, so scales may be any. */
static void answer_equal(struct dyadic_exact *exact, const struct dyadic_question *question) {
    if (!scales_fit(exact, question->x1.s, question->x2.s, 0))
        return;
    mpq_set_ui(exact->value, mpq_equal(exact->x1, exact->x2) != 0, 1);
    load_both(exact, question);
    dyadic_exact_number(exact->x1, exact->v, question->x1.s);
    dyadic_exact_number(exact->x2, exact->other, question->x2.s);
    mpz_set_ui(exact->v, mpq_equal(exact->x1, exact->x2) != 0);
}

static void answer_relu(struct dyadic_exact *exact, const struct dyadic_question *question) {
    if (!scales_fit(exact, question->x1.s, 0, 0))
        return;
    dyadic_exact_integer(exact->v, question->x1.v);
    dyadic_exact_hold(exact, exact->v, &question->rules);
    if (mpz_sgn(exact->v) < 0)
        mpz_set_ui(exact->v, 0);
    if (mpq_sgn(exact->x1) > 0)
        mpq_set(exact->value, exact->x1);
    exact->s = question->x1.s;
}

static void answer_relu_gradient(struct dyadic_exact *exact,
                                 const struct dyadic_question *question) {
    if (!scales_fit(exact, question->x1.s, question->x2.s, 0))
        return;
    if (mpq_sgn(exact->x2) > 0)
        mpq_set(exact->value, exact->x1);
    load_both(exact, question);
    if (mpz_sgn(exact->other) <= 0)
        mpz_set_ui(exact->v, 0);
    exact->s = question->x1.s;
}

/* The bounds of so many bits, into `other` and `mantissa`; false where there are none. */
static bool set_bounds(struct dyadic_exact *exact, const struct dyadic_question *question) {
    if (question->bits < 1 || question->bits > (question->is_signed ? 64 : 63)) {
        exact->status |= DETMATH_DYADIC_BAD_WIDTH;
        return false;
    }
    mpz_t *least = &exact->other, *most = &exact->mantissa;
    mpz_set_ui(*most, 1);
    mpz_mul_2exp(*most, *most, (mp_bitcnt_t)(question->bits - question->is_signed));
    mpz_neg(*least, *most);
    if (!question->is_signed)
        mpz_set_ui(*least, 0);
    mpz_sub_ui(*most, *most, 1);
    return true;
}

/* v within them. */
static void clip(struct dyadic_exact *exact) {
    bool below = mpz_cmp(exact->v, exact->other) < 0;
    exact->clipped = below || mpz_cmp(exact->v, exact->mantissa) > 0;
    if (exact->clipped)
        mpz_set(exact->v, below ? exact->other : exact->mantissa);
}

/* align, requantise and gradient, which begin alike. */
static void answer_aligned(struct dyadic_exact *exact, const struct dyadic_question *question) {
    bool gradient = question->operation == DYADIC_GRADIENT;
    struct detmath_dyadic x = gradient ? question->x2 : question->x1;
    bool fit = scales_fit(exact, x.s, question->t, gradient ? question->x1.s : 0);
    bool clips = question->operation != DYADIC_ALIGN;
    if (clips && !set_bounds(exact, question))
        return;
    if (!fit)
        return;
    mpq_set(exact->value, gradient ? exact->x2 : exact->x1);
    align(exact, exact->v, x, question->t, question);
    exact->s = question->t;
    if (!clips)
        return;
    /* Rounding may have used what the bounds lie in. */
    set_bounds(exact, question);
    clip(exact);
    if (!gradient)
        return;
    dyadic_exact_integer(exact->v, question->x1.v);
    exact->s = question->x1.s;
    dyadic_exact_number(exact->value, exact->v, exact->s);
    dyadic_exact_hold(exact, exact->v, &question->rules);
    if (exact->clipped) {
        mpz_set_ui(exact->v, 0);
        mpq_set_ui(exact->value, 0, 1);
    }
}

void dyadic_exact_begin(struct dyadic_exact *exact) {
    exact->status = 0;
    exact->s = 0;
    exact->overflowed = exact->lost_bits = exact->clipped = false;
    mpz_set_ui(exact->v, 0);
    mpq_set_ui(exact->value, 0, 1);
}

void dyadic_exact_from_real(struct dyadic_exact *exact, const struct dyadic_question *question,
                            const struct real *x) {
    dyadic_exact_begin(exact);
    exact->s = question->t;
    if (!scales_fit(exact, question->t, 0, 0) || !set_bounds(exact, question))
        return;
    if (x->kind == REAL_NAN) {
        exact->status |= DETMATH_DYADIC_NOT_A_NUMBER;
        return;
    }
    if (x->kind == REAL_INFINITE) {
        exact->clipped = true;
        mpz_set(exact->v, x->negative ? exact->other : exact->mantissa);
        dyadic_exact_number(exact->value, exact->v, exact->s);
        dyadic_exact_hold(exact, exact->v, &question->rules);
        return;
    }
    if (x->kind == REAL_FINITE) {
        const uint64_t words[] = {x->significand.high, x->significand.low};
        mpz_import(exact->v, 2, 1, sizeof *words, 0, 0, words);
        if (x->negative)
            mpz_neg(exact->v, exact->v);
        dyadic_exact_number(exact->value, exact->v, 127 - (long)x->exponent);
    }
    mpq_set(exact->w, exact->value);
    if (question->t >= 0)
        mpq_mul_2exp(exact->w, exact->w, (mp_bitcnt_t)question->t);
    else
        mpq_div_2exp(exact->w, exact->w, (mp_bitcnt_t)-question->t);
    round_to_integer(exact, exact->v, exact->w, question->rules.rounding, DETMATH_DYADIC_MOST_SHIFT,
                     question->random);
    set_bounds(exact, question);
    clip(exact);
    dyadic_exact_hold(exact, exact->v, &question->rules);
}

void dyadic_exact_answer(struct dyadic_exact *exact, const struct dyadic_question *question) {
    static void (*const answers[])(struct dyadic_exact *, const struct dyadic_question *) = {
        [DYADIC_ALIGN] = answer_aligned,    [DYADIC_ADD] = answer_sum,
        [DYADIC_SUB] = answer_sum,          [DYADIC_MUL] = answer_product,
        [DYADIC_DIV] = answer_quotient,     [DYADIC_REQUANTISE] = answer_aligned,
        [DYADIC_GRADIENT] = answer_aligned, [DYADIC_EQUAL] = answer_equal,
        [DYADIC_RELU] = answer_relu,        [DYADIC_RELU_GRADIENT] = answer_relu_gradient};
    dyadic_exact_begin(exact);
    set_number(exact, exact->x1, question->x1);
    set_number(exact, exact->x2, question->x2);
    answers[question->operation](exact, question);
    if (exact->status > DETMATH_DYADIC_OVERFLOW) {
        mpz_set_ui(exact->v, 0);
        exact->s = 0;
    }
}

struct real dyadic_exact_unrounded(const struct dyadic_exact *exact, int precision) {
    /* In units of the result, and in all of MPFR's range: scales lie up to 2^18 apart, and the range of the
     * other oracles ends long before. */
    const mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_t y;
    mpq_t units;
    mpfr_init2(y, precision);
    mpq_init(units);
    if (exact->s >= 0)
        mpq_mul_2exp(units, exact->value, (mp_bitcnt_t)exact->s);
    else
        mpq_div_2exp(units, exact->value, (mp_bitcnt_t)-exact->s);
    struct real found = real_from_mpfr(y, mpfr_set_q(y, units, MPFR_RNDZ));
    mpq_clear(units);
    mpfr_clear(y);
    mpfr_set_emin(least);
    mpfr_set_emax(most);
    return found;
}

double dyadic_exact_error(struct dyadic_exact *exact, int64_t v, long s, long unit, bool *below) {
    dyadic_exact_integer(exact->part, v);
    dyadic_exact_number(exact->w, exact->part, s);
    mpq_sub(exact->w, exact->w, exact->value);
    int sign = mpq_sgn(exact->w);
    *below = sign < 0;
    mpq_abs(exact->w, exact->w);
    if (unit >= 0)
        mpq_mul_2exp(exact->w, exact->w, (mp_bitcnt_t)unit);
    else
        mpq_div_2exp(exact->w, exact->w, (mp_bitcnt_t)-unit);
    double error = mpq_get_d(exact->w);
    return sign == 0 ? 0 : error < DBL_MIN ? DBL_MIN : isfinite(error) ? error : DBL_MAX;
}
