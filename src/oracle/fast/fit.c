/* Interpolation of a block, with its bound. */
#include "oracle/fast/fit.h"

#include "base/bits.h"
#include "base/fault.h"
#include "oracle/fast/fit_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fitter *fitter_open(const struct operation *operation, const struct format *format,
                           int result) {
    struct fitter *fitter = calloc(1, sizeof *fitter);
    if (!fitter)
        return NULL;
    fitter->format = format;
    fitter->result = result;
    fitter->analytic =
        operation->result[result].arb ? operation->result[result].arb->analytic : NULL;
    fitter->formula = operation->made_of;
    fitter->section = operation->result[result].section;
    fitter->poles = operation->result[result].poles;
    fitter->leading = operation->operands - 1;
    arb_init(fitter->fixed);
    for (int i = 0; i < MAX_OPERANDS; i++)
        acb_init(&fitter->operands[i]);
    fitter->wide = format->width == 64;
    oracle_open(&fitter->oracle, operation, &formats[FORMAT_FP64], NULL,
                fitter->wide ? WIDE_VALUE_PRECISION : VALUE_PRECISION);
    for (int i = 0; i < FIT_MOST_NODES; i++)
        mpfr_init2(fitter->values[i], 128);
    mpfr_init2(fitter->sum, NODE_MATRIX_PRECISION);
    mpfr_init2(fitter->centre, 128);
    mpfr_init2(fitter->spacing_log, 128);
    mpfr_init2(fitter->log, 128);
    acb_init(fitter->ball);
    acb_init(fitter->image);
    mag_init(fitter->magnitude);
    return fitter;
}

void fitter_close(struct fitter *fitter) {
    if (!fitter)
        return;
    oracle_close(&fitter->oracle);
    for (int bits = 0; bits <= NODE_BITS; bits++)
        for (int n = 0; n <= FIT_MOST_NODES; n++)
            node_set_close(fitter->sets[bits][n], n);
    for (int i = 0; i < FIT_MOST_NODES; i++)
        mpfr_clear(fitter->values[i]);
    mpfr_clear(fitter->sum);
    mpfr_clear(fitter->centre);
    mpfr_clear(fitter->spacing_log);
    mpfr_clear(fitter->log);
    acb_clear(fitter->ball);
    acb_clear(fitter->image);
    mag_clear(fitter->magnitude);
    arb_clear(fitter->fixed);
    for (int i = 0; i < MAX_OPERANDS; i++)
        acb_clear(&fitter->operands[i]);
    free(fitter);
}

void fitter_fix(struct fitter *fitter, const struct section *section) {
    arb_set_d(fitter->fixed, section->fixed);
    fitter->fixed_codes[0] = bits_of(section->fixed);
    fitter->by_continuation = section->nan_off_integers;
}

void fitter_fix_operands(struct fitter *fitter, const double *leading) {
    for (int i = 0; i < fitter->leading; i++) {
        fitter->fixed_codes[i] = bits_of(leading[i]);
        acb_set_d(&fitter->operands[i], leading[i]);
    }
}

/* The n nodes for blocks of 2^log2_count inputs; NULL without memory. */
static const struct node_set *node_set(struct fitter *fitter, int log2_count, int n) {
    int bits = fitter->wide ? log2_count - 1 : NODE_BITS;
    if (!fitter->sets[bits][n])
        fitter->sets[bits][n] = node_set_open(bits, n, fitter->wide);
    return fitter->sets[bits][n];
}

/* What is left of the value without the pole; x - pole is exact, and not 0. */
static void take_pole_out(struct fitter *fitter, double x, mpfr_ptr value) {
    double distance = x - fitter->pole;
    if (!fitter->poles->logarithmic) {
        mpfr_mul_d(value, value, distance, MPFR_RNDN);
        return;
    }
    mpfr_set_d(fitter->log, fabs(distance), MPFR_RNDN);
    mpfr_log(fitter->log, fitter->log, MPFR_RNDN);
    mpfr_add(value, value, fitter->log, MPFR_RNDN);
    mpfr_sub(value, fitter->spacing_log, value, MPFR_RNDN);
}

/* Whether a value is too far from 1 to compute with. */
static bool is_out_of_range(const struct fitter *fitter, long exponent) {
    return labs(exponent) > (fitter->wide ? WIDE_MOST_EXPONENT : MOST_EXPONENT);
}

/* f at the double x by the continuation; false as for value_at. */
static bool continuation_at(struct fitter *fitter, double x, mpfr_ptr value) {
    acb_set_d(fitter->ball, x);
    fitter->section->analytic(fitter->image, fitter->ball, fitter->fixed, CONTINUATION_PRECISION);
    arb_srcptr image = acb_realref(fitter->image);
    if (!acb_is_finite(fitter->image) || arb_rel_accuracy_bits(image) <= WIDE_VALUE_PRECISION)
        return false;
    arf_get_mpfr(value, arb_midref(image), MPFR_RNDN);
    return mpfr_regular_p(value) && !is_out_of_range(fitter, mpfr_get_exp(value));
}

/* f at the double x; false where it is not a finite number, or too far from 1 to compute with. */
static bool value_at(struct fitter *fitter, double x, mpfr_ptr value) {
    if (fitter->by_continuation)
        return continuation_at(fitter, x, value);
    uint64_t codes[MAX_OPERANDS];
    struct real y;
    struct error unused;
    memcpy(codes, fitter->fixed_codes, sizeof codes);
    codes[fitter->leading] = bits_of(x);
    if (!oracle_exact(&fitter->oracle, codes, fitter->result, &y, &unused))
        return false;
    if ((y.kind != REAL_FINITE && y.kind != REAL_ZERO) || is_out_of_range(fitter, y.exponent))
        return false;
    real_to_mpfr(value, &y);
    if (has_pole(fitter))
        take_pole_out(fitter, x, value);
    return true;
}

double fit_input(const struct format *format, uint64_t code) {
    if (format->width == 64)
        return from_bits(code);
    if (format->width == 32 && format->precision == 24)
        return float_from_bits((uint32_t)code);
    struct real real = format_decode(format, code);
    return real_to_double(&real);
}

/* The block's centre and half-width, exact in double: first + t in units of the spacing. */
static void place(const struct fitter *fitter, uint64_t first, int log2_count,
                  struct polynomial *polynomial) {
    const struct format *format = fitter->format;
    if (fitter->wide) {
        polynomial->direction = format_is_negative(format, first) ? -1 : 1;
        polynomial->centre = from_bits(first + ((uint64_t)1 << (log2_count - 1)));
        polynomial->half_width = fabs(polynomial->centre - from_bits(first));
        return;
    }
    uint64_t magnitude = format_magnitude(format, first);
    uint64_t hidden = (uint64_t)1 << (format->precision - 1);
    uint64_t biased = magnitude / hidden;
    int exponent = format->emin - format->precision + 1 + (biased ? (int)biased - 1 : 0);
    uint64_t significand = biased ? magnitude % hidden + hidden : magnitude;
    double half = power_of_two(log2_count - 1);
    polynomial->direction = format_is_negative(format, first) ? -1 : 1;
    polynomial->centre =
        polynomial->direction * ((double)significand + half) * power_of_two(exponent);
    polynomial->half_width = half * power_of_two(exponent);
}

/* Of a value of the function in fp64, what the polynomial is to be there. */
static void shift_value(const struct fit *fit, mpfr_ptr value) {
    mpfr_mul_2si(value, value, fit->shift, MPFR_RNDN);
    mpfr_sub_d(value, value, fit->polynomial.base, MPFR_RNDN);
}

/* 2^log2 or more. Conversion to int cuts towards zero, which is upwards here or one too low: hence the 1. */
static double power_above(double log2) {
    return power_of_two(log2 < -990 ? -990 : (int)log2 + 1);
}

/* The polynomial through the values at the nodes; interpolation is off by 2^log2_error. */
static void solve(struct fitter *fitter, const struct node_set *set, int n, double log2_error,
                  struct fit *fit) {
    struct polynomial *polynomial = &fit->polynomial;
    double evaluation = 0, largest = 0, slopes = 0;
    for (int j = 0; j < n; j++) {
        mpfr_set_zero(fitter->sum, 1);
        for (int k = 0; k < n; k++)
            mpfr_fma(fitter->sum, set->inverse[j * n + k], fitter->values[k], fitter->sum,
                     MPFR_RNDN);
        polynomial->coefficients[j] = mpfr_get_d(fitter->sum, MPFR_RNDN);
        evaluation += (2 * j + 2) * fabs(polynomial->coefficients[j]);
        slopes += j > 1 ? j * fabs(polynomial->coefficients[j]) : 0;
        double value = fabs(mpfr_get_d(fitter->values[j], MPFR_RNDA));
        largest = value > largest ? value : largest;
    }
    polynomial->terms = n;
    double coefficients = fitter->wide ? 0x1p-95 * fabs(polynomial->base) : 0x1p-60 * largest;
    fit->bound = power_above(log2_error) + coefficients + 1.02 * 0x1p-53 * evaluation;
    polynomial->slope_reach =
        1.02 * (slopes + power_above(slope_error(fitter, fit, log2_error)) + n * coefficients) +
        0x1p-52 * fabs(polynomial->coefficients[1]);
    fit->relative = 0;
    fit->form = FIT_POLYNOMIAL;
}

/* log2 of what interpolation may be off by, from the function's size in the block. */
static bool find_target(struct fitter *fitter, struct fit *fit, double *target) {
    const double c = fit->polynomial.centre, h = fit->polynomial.half_width;
    double places[] = {c - h / 2, c + h / 2, c};
    mpfr_exp_t largest = -100000;
    for (int i = 0; i < 3; i++) {
        if (!value_at(fitter, places[i], fitter->centre))
            return false;
        if (mpfr_regular_p(fitter->centre) && mpfr_get_exp(fitter->centre) > largest)
            largest = mpfr_get_exp(fitter->centre);
    }
    /* Below the last bit of the format there is nothing to be exact about, except where the value
     * is yet to be divided. */
    mpfr_exp_t least = fitter->format->emin - fitter->format->precision;
    if (has_pole(fitter))
        least = -100000;
    *target =
        (double)(largest > least ? largest : least) - fitter->format->precision - (double)GOOD_BITS;
    return true;
}

/* The same in fp64, where it is the value at the centre that tells; and A, and the shift. */
static bool find_base(struct fitter *fitter, struct fit *fit, double *target) {
    const struct format *format = fitter->format;
    mpfr_ptr value = fitter->values[0];
    if (!value_at(fitter, fit->polynomial.centre, fitter->centre) ||
        !mpfr_regular_p(fitter->centre))
        return false;
    mpfr_set(value, fitter->centre, MPFR_RNDN);
    mpfr_exp_t exponent = mpfr_get_exp(value), least = format->emin + 1;
    fit->shift = exponent < LEAST_UNSHIFTED ? SHIFT : exponent > MOST_UNSHIFTED ? -SHIFT : 0;
    mpfr_mul_2si(value, value, fit->shift, MPFR_RNDN);
    fit->polynomial.base = mpfr_get_d(value, MPFR_RNDN);
    *target = (double)((exponent > least ? exponent : least) - format->precision - WIDE_GOOD_BITS);
    return true;
}

/* Whether |r| <= |A| / 2 and the bound decides most inputs. */
static bool is_good(const struct fitter *fitter, const struct fit *fit) {
    const struct polynomial *polynomial = &fit->polynomial;
    double sum = 0, base = fabs(polynomial->base);
    int exponent = (int)(bits_of(base) >> 52) - 1023, least = fitter->format->emin + fit->shift;
    for (int j = 0; j < polynomial->terms; j++)
        sum += fabs(polynomial->coefficients[j]);
    double ulp =
        power_of_two((exponent > least ? exponent : least) + 1 - fitter->format->precision);
    return sum <= 0.49 * base && fit->bound <= WIDE_MOST_BOUND * ulp;
}

/* Around the centre that the polynomial has. */
static bool interpolate(struct fitter *fitter, int log2_count, int most_terms, struct fit *fit) {
    const double c = fit->polynomial.centre, h = fit->polynomial.half_width;
    double target, log2_error = 0;
    fit->shift = 0;
    fit->polynomial.base = 0;
    if (!(fitter->wide ? find_base : find_target)(fitter, fit, &target))
        return false;
    if (fitter->wide && most_terms > WIDE_MOST_NODES)
        most_terms = WIDE_MOST_NODES;
    int n = choose_nodes(fitter, &fit->polynomial, target, &log2_error);
    const struct node_set *set = n <= most_terms ? node_set(fitter, log2_count, n) : NULL;
    if (!set || !set->usable)
        return false;
    for (int k = 0; k < n; k++) {
        if (2 * k + 1 == n) /* that node is 0 */
            mpfr_set(fitter->values[k], fitter->centre, MPFR_RNDN);
        else if (!value_at(fitter, c + h * set->nodes[k], fitter->values[k]))
            return false;
        if (fitter->wide)
            shift_value(fit, fitter->values[k]);
    }
    solve(fitter, set, n, log2_error + set->extra + fit->shift, fit);
    if (fitter->wide && !is_good(fitter, fit))
        return false;
    if (FAULT(fit_without_margin))
        fit->bound = 0;
    if (FAULT(fit_coefficient_off)) {
        fit->polynomial.coefficients[0] *= 1 + 0x1p-40;
        fit->polynomial.coefficients[0] += fit->polynomial.base * 0x1p-70;
    }
    return true;
}

bool fitter_fit(struct fitter *fitter, uint64_t first, int log2_count, int most_terms,
                struct fit *fit) {
    place(fitter, first, log2_count, &fit->polynomial);
    return interpolate(fitter, log2_count, most_terms, fit);
}

/* 1 - c is exact: in the binades of 2^6 to 2^22, c is a multiple of 2^-17. In fp64 it is exact, and
 * the nodes are doubles, where 1 - x for all of the block is no larger than the binade. */
bool fitter_fit_reflected(struct fitter *fitter, uint64_t first, int log2_count, int most_terms,
                          struct fit *fit) {
    place(fitter, first, log2_count, &fit->polynomial);
    double c = fit->polynomial.centre, h = fit->polynomial.half_width;
    double end = power_of_two((int)(bits_of(-c) >> 52) - 1022);
    if (fitter->wide && !(h - c < end - 1))
        return false;
    fit->polynomial.centre = 1 - c;
    fit->polynomial.direction = -fit->polynomial.direction;
    return interpolate(fitter, log2_count, most_terms, fit);
}

bool fitter_fit_without_pole(struct fitter *fitter, uint64_t first, int log2_count, int most_terms,
                             struct fit *fit) {
    place(fitter, first, log2_count, &fit->polynomial);
    fitter->pole = (double)(int64_t)(fit->polynomial.centre - 0.5);
    mpfr_set_d(fitter->spacing_log, fit->polynomial.half_width * power_of_two(1 - log2_count),
               MPFR_RNDN);
    mpfr_log(fitter->spacing_log, fitter->spacing_log, MPFR_RNDN);
    bool fitted = interpolate(fitter, log2_count, most_terms, fit);
    fitter->pole = 0;
    return fitted;
}
