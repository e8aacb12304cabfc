/* Powers and roots with integers, and powr: C23's pown, rootn, compoundn, which take a long long
 * (op/operation.h, enum c_signature). */
#include "op/function/family.h"

#include "op/function/integer.h"

#include <limits.h>

static bool special_integer(struct real *y, const struct real *x) {
    long long n;
    return !integer_operand(&x[1], LLONG_MIN, LLONG_MAX, &n) && decided(y, real_nan());
}

/* MPFR has 1 for powr(1, NaN), as for pow. */
static bool special_powr(struct real *y, const struct real *x) {
    return (x[0].kind == REAL_NAN || x[1].kind == REAL_NAN) && decided(y, real_nan());
}

/* IEEE 754 (9.2.1) has invalid for every x < 0, and for NaN beside x >= 0 only that NaN is passed on;
 * C23 (F.10.5.6) says both of powr(x < 0, NaN), which is issue 1011 of its committee. */
static uint8_t open_flags_powr(const struct real *x) {
    bool below = x[0].kind != REAL_NAN && x[0].kind != REAL_ZERO && x[0].negative;
    return below && x[1].kind == REAL_NAN ? flag_bit(FLAG_INVALID) : 0;
}

/* C23, F.10.5.8: rootn(x, 0) is invalid "for all x (including NaN)", and 7.12.7.8: a domain error. */
static bool nan_domain_rootn(const struct real *x) {
    return x[1].kind == REAL_ZERO;
}

/* MPFR's orders are long, which may have 32 bits; these are the same everywhere. */
enum { LARGE_ORDER_LOG2 = 30 };

/* For x > 0 other than 1 and a large order: no number, as no number has an exponent so large. */
static int root_of_large_order(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr n, mpfr_rnd_t rounding) {
    struct interval root;
    mpfr_prec_t precision = mpfr_get_prec(y) + 64;
    mpfr_t other;
    int ternary[2];
    mpfr_inits2(precision, root.low, root.high, (mpfr_ptr)0);
    mpfr_init2(other, mpfr_get_prec(y));
    for (;; precision *= 2) {
        mpfr_set_prec(root.low, precision);
        mpfr_set_prec(root.high, precision);
        bool falls = mpfr_sgn(n) < 0;
        mpfr_log(root.low, x, falls ? MPFR_RNDU : MPFR_RNDD);
        mpfr_log(root.high, x, falls ? MPFR_RNDD : MPFR_RNDU);
        mpfr_div(root.low, root.low, n, MPFR_RNDD);
        mpfr_div(root.high, root.high, n, MPFR_RNDU);
        mpfr_exp(root.low, root.low, MPFR_RNDD);
        mpfr_exp(root.high, root.high, MPFR_RNDU);
        ternary[0] = mpfr_set(other, root.low, rounding);
        ternary[1] = mpfr_set(y, root.high, rounding);
        if (ternary[0] && ternary[1] && mpfr_equal_p(other, y) &&
            (ternary[0] > 0) == (ternary[1] > 0))
            break;
    }
    mpfr_clears(root.low, root.high, other, (mpfr_ptr)0);
    return ternary[1];
}

static int mpfr2_rootn(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr n, mpfr_rnd_t rounding) {
    if (!mpfr_regular_p(n) || mpfr_get_exp(n) <= LARGE_ORDER_LOG2)
        return mpfr_rootn_si(y, x, mpfr_get_si(n, MPFR_RNDN), rounding);
    mpfr_t part;
    mpfr_init2(part, mpfr_get_prec(n));
    mpfr_div_2ui(part, n, 1, MPFR_RNDN);
    bool even = mpfr_integer_p(part) != 0;
    mpfr_clear(part);
    bool special = !mpfr_regular_p(x) || (mpfr_sgn(x) < 0 && even) || mpfr_cmpabs_ui(x, 1) == 0;
    if (special) /* all that matters is the sign and the parity of n */
        return mpfr_rootn_si(y, x, (even ? 2 : 3) * mpfr_sgn(n), rounding);
    if (mpfr_sgn(x) > 0)
        return root_of_large_order(y, x, n, rounding);
    mpfr_t magnitude;
    mpfr_init2(magnitude, mpfr_get_prec(x));
    mpfr_neg(magnitude, x, MPFR_RNDN);
    mpfr_rnd_t mirrored = rounding == MPFR_RNDD   ? MPFR_RNDU
                          : rounding == MPFR_RNDU ? MPFR_RNDD
                                                  : rounding;
    int ternary = -root_of_large_order(y, magnitude, n, mirrored);
    mpfr_neg(y, y, MPFR_RNDN);
    mpfr_clear(magnitude);
    return ternary;
}

/* Holds 1 + x for every number of fp64 that is small enough for it to matter, and of formulas up to 2^MOST_EXPONENT. */
enum { EXACT_BITS = 2200, MOST_EXPONENT = 1 << 20 };

/* (1 + x)^n with the exact 1 + x; IEEE 754 has 1 for a NaN and n = 0. Where x, of a formula, is below 2^-far, it is taken for
 * that: with an n of 64 bits neither can be told from 1 by more than its side. */
static int mpfr2_compoundn(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr n, mpfr_rnd_t rounding) {
    mpfr_t base;
    mpfr_exp_t far = mpfr_get_prec(x) + mpfr_get_prec(y) + 128;
    mpfr_exp_t exponent = mpfr_regular_p(x) ? mpfr_get_exp(x) : 0;
    mpfr_prec_t bits = far + mpfr_get_prec(x) + 2;
    if (exponent > 0)
        bits += exponent < MOST_EXPONENT ? exponent : MOST_EXPONENT;
    mpfr_init2(base, bits > EXACT_BITS ? bits : EXACT_BITS);
    if (exponent < -far)
        mpfr_set_si_2exp(base, mpfr_sgn(x), -far, MPFR_RNDN);
    else
        mpfr_set(base, x, MPFR_RNDN);
    mpfr_add_ui(base, base, 1, MPFR_RNDN);
    if (mpfr_sgn(base) < 0)
        mpfr_set_nan(base);
    else if (mpfr_zero_p(base))
        mpfr_set_zero(base, 1);
    int ternary = 0;
    if (mpfr_nan_p(base) && !mpfr_nan_p(x))
        mpfr_set_nan(y);
    else
        ternary = mpfr_pow(y, base, n, rounding);
    mpfr_clear(base);
    return ternary;
}

/* x^(1/n), which is negative for x < 0 and odd n, and NaN for even n. */
static void ball_rootn(arb_t y, const arb_t x, const arb_t n, slong precision) {
    bool negative = arb_is_negative(x);
    if (negative && arb_is_int_2exp_si(n, 1)) {
        arb_indeterminate(y);
        return;
    }
    arb_abs(y, x);
    arb_log(y, y, precision + 16);
    arb_div(y, y, n, precision + 16);
    arb_exp(y, y, precision);
    if (negative)
        arb_neg(y, y);
}

static void ball_compoundn(arb_t y, const arb_t x, const arb_t n, slong precision) {
    arb_log1p(y, x, precision + 16);
    arb_mul(y, y, n, precision + 16);
    arb_exp(y, y, precision);
}

/* For functions of a long long: NaN beyond its range and off integers, and the asymptotes besides. All
 * numbers of p bits from 2^(p-1) on are integers, and from 2^p on even ones. */
static void set_integer_section(struct section *section, const struct asymptote *asymptotes,
                                int count, bool odd_negates) {
    struct asymptote all[SECTION_ASYMPTOTES] = {NAN_BETWEEN(0x1.fffffffffffffp+62, INFINITY),
                                                NAN_BETWEEN(-INFINITY, -0x1p63)};
    for (int i = 0; i < count; i++)
        all[2 + i] = asymptotes[i];
    section_set_asymptotes(section, all, 2 + count);
    section->least = ldexp(1, section->precision - !odd_negates);
    section->most = 0x1p63;
    section->nan_off_integers = true;
    section->odd_negates = odd_negates;
}

/* Strictly below the least long long, and no number between. */
#define BELOW_INTEGERS -0x1.0000000000001p63

/* A base from 0 on to the power of integers. That of 0 is all zeros and poles. */
static void open_base(struct section *section, double base, bool odd_negates) {
    const struct asymptote zeros[] = {{RIGHT, LINE(0, 0), ASYMPTOTE_EXACT},
                                      {BELOW_INTEGERS, 0, LINE(0, INFINITY), ASYMPTOTE_EXACT}};
    const struct asymptote ones[] = {{BELOW_INTEGERS, INFINITY, LINE(0, 1), ASYMPTOTE_EXACT}};
    struct asymptote others[POWER_ASYMPTOTES];
    set_power_asymptotes(others, base > 1);
    bool is_zero = !(base > 0), is_one = !(base < 1) && !(base > 1);
    set_integer_section(section,
                        is_zero  ? zeros
                        : is_one ? ones
                                 : others,
                        is_zero  ? 2
                        : is_one ? 1
                                 : POWER_ASYMPTOTES,
                        odd_negates);
}

static bool open_pown(struct section *section) {
    double base = fabs(section->fixed);
    open_base(section, base, signbit(section->fixed));
    return true;
}

/* Of x < -1 all is NaN. Else all that matters is where 1 + x lies beside 0 and 1. */
static bool open_compoundn(struct section *section) {
    const struct asymptote nan[] = {{WHOLE, LINE(0, NAN), ASYMPTOTE_EXACT}};
    double x = section->fixed;
    if (x < -1)
        section_set_asymptotes(section, nan, 1);
    else
        open_base(section, x > 0 ? 2 : x < 0 ? (x > -1 ? 0.5 : 0) : 1, false);
    return true;
}

static void analytic_compoundn(acb_t y, const acb_t z, const arb_t fixed, slong precision) {
    arb_t logarithm;
    arb_init(logarithm);
    arb_log1p(logarithm, fixed, precision);
    acb_mul_arb(y, z, logarithm, precision);
    acb_exp(y, y, precision);
    arb_clear(logarithm);
}

/* x^(1/z) runs to 1 at both ends. Of x < 0 roots of even order are NaN, and those of odd order are all
 * below 2^p. */
static bool open_rootn(struct section *section) {
    double x = section->fixed, even_from = ldexp(1, section->precision) * (1 - 0x1p-53);
    enum asymptote_side sides[] = {ASYMPTOTE_BELOW, ASYMPTOTE_ABOVE};
    const struct asymptote roots[] = {{LEFT, LINE(0, 1), sides[x < 1]},
                                      {RIGHT, LINE(0, 1), sides[x > 1]}};
    const struct asymptote negative[] = {NAN_BETWEEN(-INFINITY, -even_from),
                                         NAN_BETWEEN(even_from, INFINITY)};
    if (x < 0) {
        set_integer_section(section, negative, 2, true);
        return true;
    }
    if (x > 0 && (x < 1 || x > 1))
        set_integer_section(section, roots, 2, false);
    else
        open_base(section, x, signbit(x));
    return true;
}

static void analytic_rootn(acb_t y, const acb_t z, const arb_t fixed, slong precision) {
    arb_t logarithm;
    arb_init(logarithm);
    arb_log(logarithm, fixed, precision);
    acb_inv(y, z, precision);
    acb_mul_arb(y, y, logarithm, precision);
    acb_exp(y, y, precision);
    arb_clear(logarithm);
}

/* log2 |x| to within a sixth of it, by no function of libm; 0 for 1, 0, infinity and NaN. */
static double rough_log2(double x) {
    x = fabs(x);
    if (!(x > 0) || x > 0x1p1023)
        return 0;
    if (x > 0.5 && x < 2)
        return (x - 1) * 1.4375;
    int exponent;
    double fraction = frexp(x, &exponent);
    return exponent - 2 + 2 * fraction;
}

/* x^n for |n log2 x| up to the largest exponent, or that of the least number. */
static struct integer_span span_of_base(const struct format *format, double logarithm) {
    double size = fabs(logarithm), reach = format->emax + format->precision;
    reach = size > 0 ? reach / size : INFINITY;
    return (struct integer_span){-reach, reach};
}

static struct integer_span span_pown(const struct format *format, double x) {
    return span_of_base(format, rough_log2(x));
}

static struct integer_span span_compoundn(const struct format *format, double x) {
    bool near = fabs(x) < 0x1p-20; /* where 1 + x would lose x */
    return span_of_base(format, near ? x * 1.4375 : rough_log2(1 + x));
}

static const struct operation rows[] = {
    {
        .name = "powr",
        .formula = "e^(y ln x)",
        .operands = 2,
        .results = 1,
        .open_flags = open_flags_powr,
        .result = {{.mpfr2 = mpfr_powr,
                    .special = special_powr,
                    .section =
                        &(const struct section_rule){.open = open_powr, .analytic = analytic_pow},
                    .known_values =
                        "2,3=8 2,-0=1 0,-1=inf -0,-1=inf 0,-inf=inf 0,2=0 -0,3=0 "
                        "1,5=1 1,-3.5=1 1,inf=nan 0,0=nan inf,0=nan -1,2=nan -inf,1=nan "
                        "nan,0=nan 1,nan=nan 9,0.5=3 0.5,inf=0 2,inf=inf inf,-1=0"}},
        .platform = {.symbol = "powr"},
        .landmarks = "0.5 1 2 3 10",
    },
    {
        .name = "pown",
        .formula = "x^y with a long long y",
        .operands = 2,
        .results = 1,
        .result = {{.mpfr2 = mpfr_pow,
                    .special = special_integer,
                    .arb = ARB(.ball2 = ball_pow),
                    .section =
                        &(const struct section_rule){.open = open_pown, .analytic = analytic_pow},
                    .known_values =
                        "2,3=8 -2,3=-8 -2,2=4 2,-1=0.5 nan,0=1 inf,0=1 0,0=1 -1,0=1 "
                        "0,-3=inf -0,-3=-inf 0,-2=inf -0,-2=inf -0,3=-0 -0,2=0 inf,3=inf "
                        "-inf,3=-inf -inf,-3=-0 2,0.5=nan 2,inf=nan 1,nan=nan nan,1=nan "
                        "1,0x1p63=nan 1,-0x1p63=1"}},
        .platform = {.symbol = "pown", .signature = C_LONG_LONG_SECOND, .span = span_pown},
        .landmarks = "1 -1 2 -2 3 10 0x1p63 " LARGE_INTEGERS,
    },
    {
        .name = "rootn",
        .formula = "x^(1/y) with a long long y",
        .operands = 2,
        .results = 1,
        .nan_domain = nan_domain_rootn,
        .result = {{.mpfr2 = mpfr2_rootn,
                    .special = special_integer,
                    .arb = ARB(.ball2 = ball_rootn),
                    .section = &(const struct section_rule){.open = open_rootn,
                                                            .analytic = analytic_rootn},
                    .known_values =
                        "8,3=2 -8,3=-2 16,4=2 -16,4=nan 4,-2=0.5 3,1=3 3,0=nan nan,0=nan "
                        "0,-3=inf -0,-3=-inf 0,-2=inf -0,-2=inf 0,2=0 -0,2=0 0,3=0 "
                        "-0,3=-0 inf,2=inf -inf,3=-inf -inf,2=nan inf,-2=0 -inf,-3=-0 "
                        "4,0.5=nan 4,inf=nan nan,1=nan 1,0x1p62=1 -1,0x1p62=nan 0,-0x1p62=inf "
                        "inf,0x1p62=inf 2,0x1p63=nan"}},
        .platform = {.symbol = "rootn", .signature = C_LONG_LONG_SECOND},
        .landmarks = "1 -1 2 -2 3 8 16 0x1p63 " LARGE_INTEGERS,
    },
    {
        .name = "compoundn",
        .formula = "(1 + x)^y with a long long y",
        .operands = 2,
        .results = 1,
        .result = {{.mpfr2 = mpfr2_compoundn,
                    .special = special_integer,
                    .arb = ARB(.ball2 = ball_compoundn),
                    .section = &(const struct section_rule){.open = open_compoundn,
                                                            .analytic = analytic_compoundn},
                    .known_values = "0,5=1 -0,-5=1 1,3=8 1,-1=0.5 -0.5,2=0.25 -1,0=1 -1,-3=inf "
                                    "-1,2=0 inf,0=1 inf,2=inf inf,-2=0 nan,0=1 nan,1=nan -2,0=nan "
                                    "-2,1=nan -inf,2=nan 1,0.5=nan 1,inf=nan"}},
        .platform = {.symbol = "compoundn",
                     .signature = C_LONG_LONG_SECOND,
                     .span = span_compoundn},
        .landmarks = "1 -1 -0.5 2 12 0x1p63 " LARGE_INTEGERS,
    },
};
OPERATION_FAMILY(power, rows);
