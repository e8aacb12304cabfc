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

/* Holds 1 + x for every number of fp64 that is small enough for it to matter. */
enum { EXACT_BITS = 2200 };

/* (1 + x)^n with the exact 1 + x; IEEE 754 has 1 for a NaN and n = 0. */
static int mpfr2_compoundn(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr n, mpfr_rnd_t rounding) {
    mpfr_t base;
    mpfr_init2(base, EXACT_BITS);
    mpfr_add_ui(base, x, 1, MPFR_RNDN);
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

static const struct operation rows[] = {
    {
        .name = "powr",
        .formula = "e^(y ln x)",
        .operands = 2,
        .results = 1,
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
        .formula = "x^y, y a long long",
        .operands = 2,
        .results = 1,
        .result = {{.mpfr2 = mpfr_pow,
                    .special = special_integer,
                    .known_values =
                        "2,3=8 -2,3=-8 -2,2=4 2,-1=0.5 nan,0=1 inf,0=1 0,0=1 -1,0=1 "
                        "0,-3=inf -0,-3=-inf 0,-2=inf -0,-2=inf -0,3=-0 -0,2=0 inf,3=inf "
                        "-inf,3=-inf -inf,-3=-0 2,0.5=nan 2,inf=nan 1,nan=nan nan,1=nan "
                        "1,0x1p63=nan 1,-0x1p63=1"}},
        .platform = {.symbol = "pown", .signature = C_LONG_LONG_SECOND},
        .landmarks = "1 -1 2 -2 3 10",
    },
    {
        .name = "rootn",
        .formula = "x^(1/y), y a long long",
        .operands = 2,
        .results = 1,
        .result = {{.mpfr2 = mpfr2_rootn,
                    .special = special_integer,
                    .known_values =
                        "8,3=2 -8,3=-2 16,4=2 -16,4=nan 4,-2=0.5 3,1=3 3,0=nan nan,0=nan "
                        "0,-3=inf -0,-3=-inf 0,-2=inf -0,-2=inf 0,2=0 -0,2=0 0,3=0 "
                        "-0,3=-0 inf,2=inf -inf,3=-inf -inf,2=nan inf,-2=0 -inf,-3=-0 "
                        "4,0.5=nan 4,inf=nan nan,1=nan 1,0x1p62=1 -1,0x1p62=nan 0,-0x1p62=inf "
                        "inf,0x1p62=inf 2,0x1p63=nan"}},
        .platform = {.symbol = "rootn", .signature = C_LONG_LONG_SECOND},
        .landmarks = "1 -1 2 -2 3 8 16",
    },
    {
        .name = "compoundn",
        .formula = "(1 + x)^y, y a long long",
        .operands = 2,
        .results = 1,
        .result = {{.mpfr2 = mpfr2_compoundn,
                    .special = special_integer,
                    .known_values = "0,5=1 -0,-5=1 1,3=8 1,-1=0.5 -0.5,2=0.25 -1,0=1 -1,-3=inf "
                                    "-1,2=0 inf,0=1 inf,2=inf inf,-2=0 nan,0=1 nan,1=nan -2,0=nan "
                                    "-2,1=nan -inf,2=nan 1,0.5=nan 1,inf=nan"}},
        .platform = {.symbol = "compoundn", .signature = C_LONG_LONG_SECOND},
        .landmarks = "1 -1 -0.5 2 12",
    },
};
OPERATION_FAMILY(power, rows);
