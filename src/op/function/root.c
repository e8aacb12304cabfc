/* sqrt, cbrt, rsqrt. */
#include "op/function/family.h"
#include "op/function/p3109.h"

static void analytic_sqrt(acb_t y, const acb_t z, slong precision) {
    acb_sqrt_analytic(y, z, 1, precision);
}

static void analytic_rsqrt(acb_t y, const acb_t z, slong precision) {
    acb_rsqrt_analytic(y, z, 1, precision);
}

/* Odd: the left half-plane is the right one's mirror. */
static void analytic_cbrt(acb_t y, const acb_t z, slong precision) {
    if (arb_is_positive(acb_realref(z))) {
        acb_root_ui(y, z, 3, precision);
    } else if (arb_is_negative(acb_realref(z))) {
        acb_t w;
        acb_init(w);
        acb_neg(w, z);
        acb_root_ui(y, w, 3, precision);
        acb_neg(y, y);
        acb_clear(w);
    } else {
        acb_indeterminate(y);
    }
}

/* C23 F.10.4.9: rsqrt(-0) is -infinity; MPFR gives +infinity. */
static bool special_rsqrt(struct real *y, const struct real *x) {
    return x->kind == REAL_ZERO && decided(y, real_infinity(x->negative));
}

static const struct operation rows[] = {
    {
        .name = "sqrt",
        .formula = "x^(1/2)",
        .operands = 1,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_IEEE,
        .result = {{.is_monotone = true,
                    .mpfr1 = mpfr_sqrt,
                    .arb = ARB(.analytic = analytic_sqrt),
                    .asymptotes = ASYMPTOTES(NAN_BETWEEN(-INFINITY, 0)),
                    .root = 2,
                    .known_values = "0=0 -0=-0 -1=nan inf=inf -inf=nan 2.25=1.5 "
                                    "0x1p-1074=0x1p-537"}},
        .platform = {.symbol = "sqrt"},
        .landmarks = "1 2 4",
    },
    {
        .name = "cbrt",
        .formula = "x^(1/3)",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .is_monotone = true,
                    .mpfr1 = mpfr_cbrt,
                    .arb = ARB(.analytic = analytic_cbrt),
                    .root = 3,
                    .known_values = "0=0 -0=-0 inf=inf -inf=-inf -27=-3 0x1p-24=0x1p-8"}},
        .platform = {.symbol = "cbrt"},
        .landmarks = "1 8 27",
    },
    {
        .name = "rsqrt",
        .formula = "x^(-1/2)",
        .operands = 1,
        .results = 1,
        .result = {{.is_monotone = true,
                    .mpfr1 = mpfr_rec_sqrt,
                    .p3109 = p3109_recip,
                    .special = special_rsqrt,
                    .arb = ARB(.analytic = analytic_rsqrt),
                    .asymptotes = ASYMPTOTES(NAN_BETWEEN(-INFINITY, 0)),
                    .known_values = "0=inf -0=-inf inf=0 -1=nan -inf=nan 4=0.5 0x1p-24=4096"}},
        .platform = {.symbol = "rsqrt", .svml = "invsqrt"},
        .landmarks = "1 2 4",
    },
};
OPERATION_FAMILY(root, rows);
