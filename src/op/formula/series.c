/* Coefficients are found by Arb's arithmetic of polynomials (series_expand.c): those that are fractions with a power of two
 * come out exact, so that what cancels is known to be 0. Let M bound |f| on the square of half-width r around 0, where f
 * is analytic (op/formula/analytic.h). Then the coefficient of x^k is at most M / r^k by Cauchy's estimate, and beyond the
 * first N terms there is at most M (|x| / r)^N / (1 - |x| / r). */
#include "op/formula/series.h"

#include "op/formula/analytic.h"
#include "op/formula/series_parts.h"

#include <stdlib.h>

enum { MOST_RADIUS_LOG2 = 20, NEAR_LOG2 = 8 /* |x| is at most r 2^-8 */ };

struct series {
    const struct formula *formula;
    struct real leading[MAX_OPERANDS];
    bool begun, known;
    int radius_log2; /* r = 2^-radius_log2 */
    mag_t bound;     /* M */
    arb_poly_t coefficients;
};

struct series *series_open(const struct formula *formula) {
    struct series *series = calloc(1, sizeof *series);
    if (!series)
        return NULL;
    series->formula = formula;
    mag_init(series->bound);
    arb_poly_init(series->coefficients);
    return series;
}

void series_close(struct series *series) {
    if (!series)
        return;
    mag_clear(series->bound);
    arb_poly_clear(series->coefficients);
    free(series);
}

/* The largest square on which a bound is found. */
static bool find_radius(struct series *series, acb_srcptr leading) {
    acb_t square, image;
    bool found = false;
    acb_init(square);
    acb_init(image);
    for (series->radius_log2 = 0; !found && series->radius_log2 < MOST_RADIUS_LOG2;) {
        series->radius_log2 += 2;
        mag_set_ui_2exp_si(arb_radref(acb_realref(square)), 1, -series->radius_log2);
        mag_set_ui_2exp_si(arb_radref(acb_imagref(square)), 1, -series->radius_log2);
        formula_analytic(series->formula, image, leading, square, 64);
        found = acb_is_finite(image);
    }
    acb_get_mag(series->bound, image);
    acb_clear(square);
    acb_clear(image);
    return found;
}

static bool is_same(const struct real *a, const struct real *b) {
    return a->kind == b->kind && a->negative == b->negative &&
           (a->kind != REAL_FINITE ||
            (a->exponent == b->exponent && a->significand.high == b->significand.high &&
             a->significand.low == b->significand.low));
}

/* Expands the formula, unless it is expanded. */
static bool begin(struct series *series, const struct real *leading) {
    int last = series->formula->operands - 1;
    bool same = series->begun, numbers = true;
    for (int i = 0; i < last; i++) {
        same = same && is_same(&series->leading[i], &leading[i]);
        numbers = numbers && (leading[i].kind == REAL_FINITE || leading[i].kind == REAL_ZERO);
    }
    if (same)
        return series->known;
    acb_struct values[MAX_OPERANDS];
    arb_poly_struct operands[MAX_OPERANDS];
    for (int i = 0; i <= last; i++) {
        acb_init(&values[i]);
        arb_poly_init(&operands[i]);
        if (i == last)
            arb_poly_set_coeff_si(&operands[i], 1, 1);
        else if (numbers) {
            acb_set_d(&values[i], real_to_double(&leading[i]));
            arb_poly_set_coeff_arb(&operands[i], 0, acb_realref(&values[i]));
            series->leading[i] = leading[i];
        }
    }
    series->begun = numbers;
    arb_poly_zero(series->coefficients);
    series->known = numbers && find_radius(series, values) &&
                    series_expand(series->formula, operands, series->coefficients) &&
                    _arb_vec_is_finite(series->coefficients->coeffs, series->coefficients->length);
    for (int i = 0; i <= last; i++) {
        acb_clear(&values[i]);
        arb_poly_clear(&operands[i]);
    }
    return series->known;
}

static arb_srcptr coefficient(const struct series *series, slong k) {
    return arb_poly_get_coeff_ptr((arb_poly_struct *)series->coefficients, k);
}

/* The first coefficient from k on that is not exactly 0; SERIES_TERMS where there is none. */
static slong next_term(const struct series *series, slong k) {
    while (k < SERIES_TERMS && (!coefficient(series, k) || arb_is_zero(coefficient(series, k))))
        k++;
    return k;
}

/* The sum of all terms from that of x^k on, over x^k, for all |x| <= 2^reach_log2: a number whose sign is known, or
 * false. */
static bool enclose_rest(const struct series *series, slong k, slong reach_log2, struct value *y) {
    arb_t sum;
    mag_t rest;
    arb_init(sum);
    mag_init(rest);
    for (slong i = k; i < SERIES_TERMS; i++) {
        arb_srcptr at = coefficient(series, i);
        if (at && i == k)
            arb_set(sum, at);
        else if (at) {
            arb_get_mag(rest, at);
            mag_mul_2exp_si(rest, rest, (i - k) * reach_log2);
            arb_add_error_mag(sum, rest);
        }
    }
    /* 1 - |x| / r is more than a half. */
    mag_mul_2exp_si(rest, series->bound,
                    (SERIES_TERMS - k) * reach_log2 + SERIES_TERMS * series->radius_log2 + 1);
    arb_add_error_mag(sum, rest);
    arb_get_interval_mpfr(y->low.at, y->high.at, sum);
    y->low.open = y->high.open = false;
    bool known = arb_is_positive(sum) || arb_is_negative(sum);
    value_is_enclosed(y);
    arb_clear(sum);
    mag_clear(rest);
    return known;
}

/* y = the exact coefficient of x^k. */
static bool take_exact(const struct series *series, slong k, struct value *y) {
    arb_srcptr at = coefficient(series, k);
    fmpq_t fraction;
    if (!arb_is_exact(at))
        return false;
    fmpq_init(fraction);
    arf_get_fmpq(fraction, arb_midref(at));
    fmpq_get_mpq(y->rational, fraction);
    fmpq_clear(fraction);
    value_is_rational(y);
    return true;
}

/* y = x^n. */
static void take_power(struct value *y, struct value *x, slong n) {
    mpq_set_ui(y->rational, 1, 1);
    value_is_rational(y);
    if (n)
        value_power(y, x, (long)n);
}

bool series_enclose(struct series *series, const struct real *leading, struct value *x,
                    struct value *y, struct value *slope) {
    mpfr_srcptr far = mpfr_cmpabs(x->low.at, x->high.at) > 0 ? x->low.at : x->high.at;
    if (!begin(series, leading) || !mpfr_regular_p(far))
        return false;
    slong reach = mpfr_get_exp(far), first = next_term(series, 0);
    if (reach > -series->radius_log2 - NEAR_LOG2 || first == SERIES_TERMS)
        return false;
    struct value power, product;
    mpfr_prec_t precision = mpfr_get_prec(y->low.at);
    value_init(&power, precision);
    value_init(&product, precision);
    bool exact = take_exact(series, first, slope), known;
    slong next = exact ? next_term(series, first + 1) : first;
    /* y = x^first (exact + x^(next - first) rest) */
    known = next < SERIES_TERMS && enclose_rest(series, next, reach, y);
    if (known && exact) {
        take_power(&power, x, next - first);
        value_multiply(&product, &power, y);
        value_add(y, slope, &product);
    }
    if (known) {
        value_set(&product, y);
        take_power(&power, x, first);
        value_multiply(y, &power, &product);
        if (first) {
            take_power(&power, x, first - 1);
            value_multiply(slope, &power, &product);
        } else
            value_divide(slope, y, x);
    }
    value_clear(&power);
    value_clear(&product);
    return known;
}
