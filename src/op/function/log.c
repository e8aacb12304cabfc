/* Logarithms: log, log2, log10, and the same of 1 + x. */
#include "op/function/family.h"

#define NAN_LEFT_OF_0       ASYMPTOTES(NAN_BETWEEN(-INFINITY, 0))
#define NAN_LEFT_OF_MINUS_1 ASYMPTOTES(NAN_BETWEEN(-INFINITY, -1))

static void ball_log2(arb_t y, const arb_t x, slong precision) {
    arb_log_base_ui(y, x, 2, precision);
}

static void ball_log10(arb_t y, const arb_t x, slong precision) {
    arb_log_base_ui(y, x, 10, precision);
}

static void ball_log2p1(arb_t y, const arb_t x, slong precision) {
    ball_over_constant(y, x, arb_log1p, arb_const_log2, precision);
}

static void ball_log10p1(arb_t y, const arb_t x, slong precision) {
    ball_over_constant(y, x, arb_log1p, arb_const_log10, precision);
}

static void analytic_log(acb_t y, const acb_t z, slong precision) {
    acb_log_analytic(y, z, 1, precision);
}

static void analytic_log2(acb_t y, const acb_t z, slong precision) {
    analytic_over_constant(y, z, analytic_log, arb_const_log2, precision);
}

static void analytic_log10(acb_t y, const acb_t z, slong precision) {
    analytic_over_constant(y, z, analytic_log, arb_const_log10, precision);
}

/* acb_log1p is accurate near 0 but knows no cut: left of -1 lies the domain's end. */
void analytic_log1p(acb_t y, const acb_t z, slong precision) {
    arb_t w;
    arb_init(w);
    arb_add_ui(w, acb_realref(z), 1, precision);
    analytic_only_where(arb_is_positive(w), acb_log1p, y, z, precision);
    arb_clear(w);
}

static void analytic_log2p1(acb_t y, const acb_t z, slong precision) {
    analytic_over_constant(y, z, analytic_log1p, arb_const_log2, precision);
}

static void analytic_log10p1(acb_t y, const acb_t z, slong precision) {
    analytic_over_constant(y, z, analytic_log1p, arb_const_log10, precision);
}

static const struct operation rows[] = {
    {
        .name = "log",
        .formula = "ln x",
        .operands = 1,
        .results = 1,
        .result = {{.is_monotone = true,
                    .mpfr1 = mpfr_log,
                    .arb = ARB(.ball = arb_log, .analytic = analytic_log),
                    .asymptotes = NAN_LEFT_OF_0,
                    .known_values = "0=-inf -0=-inf 1=0 -1=nan -inf=nan inf=inf"}},
        .platform = {.symbol = "log"},
        .landmarks = "1 2.718281828459045",
    },
    {
        .name = "log2",
        .formula = "log2 x",
        .operands = 1,
        .results = 1,
        .result = {{.is_monotone = true,
                    .mpfr1 = mpfr_log2,
                    .arb = ARB(.ball = ball_log2, .analytic = analytic_log2),
                    .asymptotes = NAN_LEFT_OF_0,
                    .known_values = "-0=-inf 0=-inf 1=0 -2=nan inf=inf 8=3 0x1p-1074=-1074 "
                                    "0x1p-24=-24"}},
        .platform = {.symbol = "log2"},
        .landmarks = "1 2 3",
    },
    {
        .name = "log10",
        .formula = "log10 x",
        .operands = 1,
        .results = 1,
        .result = {{.is_monotone = true,
                    .mpfr1 = mpfr_log10,
                    .arb = ARB(.ball = ball_log10, .analytic = analytic_log10),
                    .asymptotes = NAN_LEFT_OF_0,
                    .known_values = "-0=-inf 0=-inf 1=0 -1=nan inf=inf 100=2 1e22=22"}},
        .platform = {.symbol = "log10"},
        .landmarks = "1 10 100 1000",
    },
    {
        .name = "log1p",
        .aliases = "logp1",
        .formula = "ln(1 + x)",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr_log1p,
                    .arb = ARB(.ball = arb_log1p, .analytic = analytic_log1p),
                    /* x - log(1 + x) has the derivative x / (1 + x). */
                    .asymptotes = ASYMPTOTES({-1, 0, LINE(1, 0), ASYMPTOTE_BELOW},
                                             {RIGHT, LINE(1, 0), ASYMPTOTE_BELOW},
                                             NAN_BETWEEN(-INFINITY, -1)),
                    .known_values = "0=0 -0=-0 -1=-inf -1.5=nan inf=inf -inf=nan"}},
        .platform = {.symbol = "log1p"},
        .landmarks = "-1 1 -0.5",
    },
    {
        .name = "log2p1",
        .formula = "log2(1 + x)",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr_log2p1,
                    .arb = ARB(.ball = ball_log2p1, .analytic = analytic_log2p1),
                    .asymptotes = NAN_LEFT_OF_MINUS_1,
                    .known_values = "0=0 -0=-0 -1=-inf -2=nan inf=inf 1=1 3=2 -0.5=-1 -0.75=-2 "
                                    "255=8"}},
        .platform = {.symbol = "log2p1"},
        .landmarks = "-1 1 3 -0.5",
    },
    {
        .name = "log10p1",
        .formula = "log10(1 + x)",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr_log10p1,
                    .arb = ARB(.ball = ball_log10p1, .analytic = analytic_log10p1),
                    .asymptotes = NAN_LEFT_OF_MINUS_1,
                    .known_values = "0=0 -0=-0 -1=-inf -2=nan inf=inf 9=1 999=3"}},
        .platform = {.symbol = "log10p1"},
        .landmarks = "-1 9 99 -0.5",
    },
};
OPERATION_FAMILY(log, rows);
