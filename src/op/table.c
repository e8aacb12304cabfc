/* The table of operations. */
#include "base/names.h"
#include "detmath/library/kernels.h"
#include "op/array/rows.h"
#include "op/dyadic/rows.h"
#include "op/function/composites.h"
#include "op/function/natives.h"
#include "op/mx/rows.h"
#include "op/operation.h"
#include "op/scaled/rows.h"

#include <stdio.h>
#include <string.h>

/* The shapes that most rows have: one result, from MPFR, named in libm as here. */
#define UNARY_ROW(NAME, ALIASES, FORMULA, FUNCTION, BALL, SPECIAL, ANALYTIC, ASYMPTOTES,           \
                  REDUCTION, LANDMARKS)                                                            \
    {                                                                                              \
        .name = #NAME, .aliases = ALIASES, .formula = FORMULA, .operands = 1, .results = 1,        \
        .result = {{.mpfr1 = FUNCTION,                                                             \
                    .ball = BALL,                                                                  \
                    .special = SPECIAL,                                                            \
                    .analytic = ANALYTIC,                                                          \
                    .asymptotes = ASYMPTOTES,                                                      \
                    .reduction = REDUCTION}},                                                      \
        .platform = {.symbol = #NAME}, .landmarks = LANDMARKS, .kernels = DETMATH_KERNELS(NAME)    \
    }
#define UNARY(NAME, FORMULA, FUNCTION, BALL, ANALYTIC, ASYMPTOTES, LANDMARKS)                      \
    UNARY_ROW(NAME, NULL, FORMULA, FUNCTION, BALL, NULL, ANALYTIC, ASYMPTOTES, REDUCTION_NONE,     \
              LANDMARKS)
#define PERIODIC(NAME, FORMULA, FUNCTION, BALL, ANALYTIC, ASYMPTOTES, REDUCTION)                   \
    UNARY_ROW(NAME, NULL, FORMULA, FUNCTION, BALL, NULL, ANALYTIC, ASYMPTOTES, REDUCTION,          \
              QUARTER_TURNS)
#define PERIOD_TWO(NAME, FORMULA, FUNCTION, BALL, ANALYTIC, ASYMPTOTES, REDUCTION)                 \
    {                                                                                              \
        .name = #NAME, .formula = FORMULA, .operands = 1, .results = 1,                            \
        .result = {{.mpfr1 = FUNCTION,                                                             \
                    .ball = BALL,                                                                  \
                    .analytic = ANALYTIC,                                                          \
                    .asymptotes = ASYMPTOTES,                                                      \
                    .reduction = REDUCTION,                                                        \
                    .has_period_two = true}},                                                      \
        .platform = {.symbol = #NAME}, .landmarks = HALF_INTEGERS,                                 \
        .kernels = DETMATH_KERNELS(NAME)                                                           \
    }
#define ROOT(NAME, FORMULA, FUNCTION, DEGREE, ANALYTIC, ASYMPTOTES, LANDMARKS)                     \
    {                                                                                              \
        .name = #NAME, .formula = FORMULA, .operands = 1, .results = 1,                            \
        .result =                                                                                  \
            {{.mpfr1 = FUNCTION, .analytic = ANALYTIC, .asymptotes = ASYMPTOTES, .root = DEGREE}}, \
        .platform = {.symbol = #NAME}, .landmarks = LANDMARKS, .kernels = DETMATH_KERNELS(NAME)    \
    }
#define GAMMA(NAME, FORMULA, FUNCTION, REDUCTION, LANDMARKS)                                       \
    {                                                                                              \
        .name = #NAME, .formula = FORMULA, .operands = 1, .results = 1,                            \
        .result = {{.mpfr1 = FUNCTION,                                                             \
                    .ball = ball_##NAME,                                                           \
                    .analytic = analytic_##NAME,                                                   \
                    .asymptotes = asymptotes_##NAME,                                               \
                    .reduction = REDUCTION,                                                        \
                    .poles = &poles_##NAME}},                                                      \
        .platform = {.symbol = #NAME}, .landmarks = LANDMARKS, .kernels = DETMATH_KERNELS(NAME)    \
    }
#define BINARY(NAME, FORMULA, FUNCTION, SECTION, LANDMARKS)                                        \
    {                                                                                              \
        .name = #NAME, .formula = FORMULA, .operands = 2, .results = 1,                            \
        .result = {{.mpfr2 = FUNCTION, .section = SECTION}}, .platform = {.symbol = #NAME},        \
        .landmarks = LANDMARKS, .kernels = DETMATH_KERNELS(NAME)                                   \
    }
#define ARITHMETIC(NAME, FORMULA, FUNCTION, SUMS, SECTION)                                         \
    {                                                                                              \
        .name = #NAME, .formula = FORMULA, .operands = 2, .results = 1, .sums = SUMS,              \
        .result = {{.mpfr2 = FUNCTION, .section = SECTION}}, .platform = {                         \
            .operator_fp32 = operator_##NAME##_fp32,                                               \
            .operator_fp64 = operator_##NAME##_fp64                                                \
        }                                                                                          \
    }
/* No function of libm; enclosed in intervals. */
#define COMPOSITE(NAME, ALIASES, OPERANDS, FORMULA, BALL, SPECIAL, ANALYTIC, ASYMPTOTES,           \
                  SUPPORTING_LINE, SECTION, LANDMARKS)                                             \
    {                                                                                              \
        .name = #NAME, .aliases = ALIASES, .formula = FORMULA, .operands = OPERANDS, .results = 1, \
        .result = {{.bracket = bracket_##NAME,                                                     \
                    .ball = BALL,                                                                  \
                    .special = SPECIAL,                                                            \
                    .analytic = ANALYTIC,                                                          \
                    .asymptotes = ASYMPTOTES,                                                      \
                    .supporting_line = SUPPORTING_LINE,                                            \
                    .section = SECTION}},                                                          \
        .landmarks = LANDMARKS, .kernels = DETMATH_KERNELS(NAME)                                   \
    }

/* Where results overflow and underflow in fp16, fp32 and fp64, for the functions that grow so. */
#define EXP_ENDS                                                                                   \
    "11.090110718527 -9.7040605278392 -17.3286795139986 88.7228390818707 -87.3365447505531 "       \
    "-103.9720770839918 709.782712893384 -708.3964185322641 -745.1332191019412"
#define EXP2_ENDS "16 -14 -25 128 -126 -150 1024 -1022 -1075"
#define EXP10_ENDS                                                                                 \
    "4.8163738887524 -4.2144199392957 -7.5257498915995 38.5318394320466 -37.9297794536616 "        \
    "-45.1544993495972 308.2547155599167 -307.6526555685888 -323.6072453387798"
#define EXP_MINUS_ONE "-0.6931471805599453 1 -17.33 -37.43"
/* Zeros and extrema of sin and cos. */
#define QUARTER_TURNS                                                                              \
    "0.7853981633974483 1.5707963267948966 2.356194490192345 3.141592653589793 "                   \
    "4.71238898038469 6.283185307179586 355 710 16367173 0x1.6ac5b262ca1ffp+849"
#define HALF_INTEGERS                                                                              \
    "0.25 0.5 0.75 1 1.5 2 2.5 3 1023.5 4194303.5 8388607.5 8388609 16777215 4503599627370495.5"
#define UNIT_ENDS "0.5 1 -1"
#define GAMMA_POLES                                                                                \
    "1 2 3 4 12 34 35.04 170.6 -0.5 -1 -2 -3 -4 -10 -42 -177 -184 1.4616321449683623"

/* x g(x) with g(0) = tanh(ln 2) = 3/5, and g rising: g > 3/5 right of 0, and less left of it. */
static const struct supporting_line three_fifths = {3, 5};

const struct operation operations[] = {
    UNARY(exp, "e^x", mpfr_exp, arb_exp, acb_exp, asymptotes_exp, "1 " EXP_ENDS),
    UNARY(exp2, "2^x", mpfr_exp2, ball_exp2, analytic_exp2, asymptotes_exp, "1 " EXP2_ENDS),
    UNARY(exp10, "10^x", mpfr_exp10, ball_exp10, analytic_exp10, asymptotes_exp, "1 " EXP10_ENDS),
    UNARY(expm1, "e^x - 1", mpfr_expm1, arb_expm1, acb_expm1, asymptotes_expm1,
          EXP_MINUS_ONE " " EXP_ENDS),
    UNARY(exp2m1, "2^x - 1", mpfr_exp2m1, ball_exp2m1, analytic_exp2m1, asymptotes_base_m1,
          "1 -1 -24 -25 -54 " EXP2_ENDS),
    UNARY(exp10m1, "10^x - 1", mpfr_exp10m1, ball_exp10m1, analytic_exp10m1, asymptotes_base_m1,
          "1 -1 -7.5 -16.3 " EXP10_ENDS),
    UNARY(log, "ln x", mpfr_log, arb_log, analytic_log, asymptotes_left_nan, "1 2.718281828459045"),
    UNARY(log2, "log2 x", mpfr_log2, ball_log2, analytic_log2, asymptotes_left_nan, "1 2 3"),
    UNARY(log10, "log10 x", mpfr_log10, ball_log10, analytic_log10, asymptotes_left_nan,
          "1 10 100 1000"),
    UNARY_ROW(log1p, "logp1", "ln(1 + x)", mpfr_log1p, arb_log1p, NULL, analytic_log1p,
              asymptotes_log1p, REDUCTION_NONE, "-1 1 -0.5"),
    UNARY(log2p1, "log2(1 + x)", mpfr_log2p1, ball_log2p1, analytic_log2p1,
          asymptotes_left_of_minus_one_nan, "-1 1 3 -0.5"),
    UNARY(log10p1, "log10(1 + x)", mpfr_log10p1, ball_log10p1, analytic_log10p1,
          asymptotes_left_of_minus_one_nan, "-1 9 99 -0.5"),
    PERIODIC(sin, "sin x", mpfr_sin, arb_sin, acb_sin, asymptotes_sin, REDUCTION_SIN),
    PERIODIC(cos, "cos x", mpfr_cos, arb_cos, acb_cos, asymptotes_cos, REDUCTION_COS),
    PERIODIC(tan, "tan x", mpfr_tan, arb_tan, acb_tan, asymptotes_tan, REDUCTION_TAN),
    UNARY(asin, "arcsin x", mpfr_asin, arb_asin, analytic_asin, asymptotes_asin, UNIT_ENDS),
    UNARY(acos, "arccos x", mpfr_acos, arb_acos, analytic_acos, asymptotes_beyond_one_nan,
          UNIT_ENDS),
    UNARY(atan, "arctan x", mpfr_atan, arb_atan, analytic_atan, asymptotes_atan, UNIT_ENDS),
    PERIOD_TWO(sinpi, "sin(pi x)", mpfr_sinpi, arb_sin_pi, acb_sin_pi, asymptotes_sinpi,
               REDUCTION_SIN),
    PERIOD_TWO(cospi, "cos(pi x)", mpfr_cospi, arb_cos_pi, acb_cos_pi, asymptotes_cospi,
               REDUCTION_COS),
    PERIOD_TWO(tanpi, "tan(pi x)", mpfr_tanpi, arb_tan_pi, acb_tan_pi, asymptotes_sinpi,
               REDUCTION_TAN),
    UNARY(asinpi, "arcsin(x) / pi", mpfr_asinpi, ball_asinpi, analytic_asinpi,
          asymptotes_beyond_one_nan, UNIT_ENDS),
    UNARY(acospi, "arccos(x) / pi", mpfr_acospi, ball_acospi, analytic_acospi, asymptotes_acospi,
          UNIT_ENDS),
    UNARY(atanpi, "arctan(x) / pi", mpfr_atanpi, ball_atanpi, analytic_atanpi, asymptotes_atanpi,
          UNIT_ENDS),
    UNARY(sinh, "sinh x", mpfr_sinh, arb_sinh, acb_sinh, asymptotes_sinh, EXP_ENDS " 89.41 710.47"),
    UNARY(cosh, "cosh x", mpfr_cosh, arb_cosh, acb_cosh, asymptotes_cosh, EXP_ENDS " 89.41 710.47"),
    UNARY(tanh, "tanh x", mpfr_tanh, arb_tanh, acb_tanh, asymptotes_tanh, "0.5 1 4.5 9.01 19.06"),
    UNARY(asinh, "arsinh x", mpfr_asinh, arb_asinh, analytic_asinh, asymptotes_asinh, "1"),
    UNARY(acosh, "arcosh x", mpfr_acosh, arb_acosh, analytic_acosh, asymptotes_acosh, "1 2"),
    UNARY(atanh, "artanh x", mpfr_atanh, arb_atanh, analytic_atanh, asymptotes_atanh, UNIT_ENDS),
    ROOT(sqrt, "x^(1/2)", mpfr_sqrt, 2, analytic_sqrt, asymptotes_left_nan, "1 2 4"),
    ROOT(cbrt, "x^(1/3)", mpfr_cbrt, 3, analytic_cbrt, NULL, "1 8 27"),
    UNARY_ROW(rsqrt, NULL, "x^(-1/2)", mpfr_rec_sqrt, NULL, special_rsqrt, analytic_rsqrt,
              asymptotes_left_nan, REDUCTION_NONE, "1 2 4"),
    UNARY(erf, "erf x", mpfr_erf, ball_erf, analytic_erf, asymptotes_erf, "1 2.4 3.92 5.92"),
    UNARY(erfc, "1 - erf x", mpfr_erfc, ball_erfc, analytic_erfc, asymptotes_erfc,
          "1 3.5 9.19 10.06 26.54 27.23 -3.9 -5.8"),
    GAMMA(tgamma, "gamma(x)", mpfr_gamma, REDUCTION_NONE, GAMMA_POLES),
    GAMMA(lgamma, "ln|gamma(x)|", native_lgamma, REDUCTION_REFLECTION,
          GAMMA_POLES " -2.4570247382208006"),
    COMPOSITE(sigmoid, "logistic expit", 1, "1 / (1 + e^-x)", ball_sigmoid, special_sigmoid,
              analytic_sigmoid, asymptotes_sigmoid, NULL, NULL, EXP_ENDS " 17.33"),
    COMPOSITE(softplus, NULL, 1, "ln(1 + e^x)", ball_softplus, special_softplus, analytic_softplus,
              asymptotes_softplus, NULL, NULL, EXP_ENDS " 17.33"),
    COMPOSITE(silu, "swish", 1, "x / (1 + e^-x)", ball_silu, special_times_gate, analytic_silu,
              asymptotes_gate, NULL, NULL, EXP_ENDS " 17.33 -1.2784645"),
    COMPOSITE(gelu, "gelu_erf", 1, "x/2 * (1 + erf(x / 2^(1/2)))", ball_gelu, special_times_gate,
              analytic_gelu, asymptotes_gate, NULL, NULL,
              "1 5.3 -5.3 -13.2 -14.3 -37.5 -38.5 -0.7517915247"),
    COMPOSITE(gelu_tanh, NULL, 1, "x/2 * (1 + tanh((2/pi)^(1/2) * (x + 0.044715 x^3)))",
              ball_gelu_tanh, special_times_gate, analytic_gelu_tanh, asymptotes_gate, NULL, NULL,
              "1 4.7 -4.7 -9.9 -10.1 -21 -0.7524614"),
    COMPOSITE(logsigmoid, "log_sigmoid", 1, "-ln(1 + e^-x)", ball_logsigmoid, special_logsigmoid,
              analytic_logsigmoid, asymptotes_logsigmoid, NULL, NULL, EXP_ENDS " 17.33"),
    COMPOSITE(mish, NULL, 1, "x * tanh(ln(1 + e^x))", ball_mish, special_times_gate, analytic_mish,
              asymptotes_mish, &three_fifths, NULL, EXP_ENDS " -1.1924"),
    {.name = "recip",
     .aliases = "reciprocal",
     .formula = "1 / x",
     .operands = 1,
     .results = 1,
     .result = {{.mpfr1 = native_recip,
                 .analytic = analytic_recip,
                 .asymptotes = asymptotes_recip}},
     .platform = {.operator_fp32 = operator_recip_fp32, .operator_fp64 = operator_recip_fp64},
     .landmarks = "1 3",
     .kernels = DETMATH_KERNELS(recip)},
    {.name = "sincos",
     .formula = "sin x and cos x",
     .operands = 1,
     .results = 2,
     .result = {{.name = "sin",
                 .mpfr1 = mpfr_sin,
                 .ball = arb_sin,
                 .analytic = acb_sin,
                 .asymptotes = asymptotes_sin,
                 .reduction = REDUCTION_SIN},
                {.name = "cos",
                 .mpfr1 = mpfr_cos,
                 .ball = arb_cos,
                 .analytic = acb_cos,
                 .asymptotes = asymptotes_cos,
                 .reduction = REDUCTION_COS}},
     .platform = {.symbol = "sincos"},
     .landmarks = QUARTER_TURNS,
     .kernels = DETMATH_KERNELS(sincos)},
    {.name = "cast",
     .aliases = "convert",
     .formula = "x, in the format that --to names",
     .operands = 1,
     .results = 1,
     .parameters = PARAMETER_BIT(TO) | PARAMETER_BIT(PROFILE) | PARAMETER_BIT(RANDOM_BITS) |
                   PARAMETER_BIT(RANDOM) | PARAMETER_BIT(RANDOM_SEED),
     .needed = PARAMETER_BIT(TO),
     .stands_alone = true,
     .converts = true,
     .result = {{.mpfr1 = mpfr_set}},
     .landmarks = "6 7.5 15.5 28 30 240 448 464 57344 61440 65504 65520"},
    ARITHMETIC(add, "x + y", mpfr_add, true, &section_add),
    ARITHMETIC(sub, "x - y", mpfr_sub, true, &section_sub),
    ARITHMETIC(mul, "x * y", mpfr_mul, false, &section_mul),
    ARITHMETIC(div, "x / y", mpfr_div, false, &section_div),
    BINARY(pow, "x^y", mpfr_pow, &section_pow, "0.5 1 -1 2 -2 3 10"),
    BINARY(atan2, "arg(y, x), the angle of (x, y); the first operand is y", mpfr_atan2,
           &section_atan2, "1 -1"),
    BINARY(hypot, "(x^2 + y^2)^(1/2)", mpfr_hypot, &section_hypot, "1 3 4"),
    BINARY(fmod, "x - y * trunc(x / y)", mpfr_fmod, &section_fmod, "1 3"),
    BINARY(remainder, "x - y * round(x / y), ties to even", mpfr_remainder, &section_remainder,
           "1 3"),
    BINARY(fdim, "max(x - y, 0)", mpfr_dim, &section_fdim, "1"),
    COMPOSITE(logaddexp, NULL, 2, "ln(e^x + e^y)", NULL, special_logaddexp, NULL, NULL, NULL,
              &section_logaddexp, "1 -0.6931471805599453 88.72 -103.98"),
    {.name = "fma",
     .formula = "x * y + z",
     .operands = 3,
     .results = 1,
     .sums = true,
     .result = {{.mpfr3 = mpfr_fma}},
     .platform = {.symbol = "fma"},
     .landmarks = "1"},
    ARRAY("sum", "reduce_sum", 1, "x[0] + ... + x[n-1]", sum, REDUCTION_PARAMETERS),
    ARRAY("mean", "reduce_mean", 1, "(x[0] + ... + x[n-1]) / n", mean, REDUCTION_PARAMETERS),
    ARRAY("cumsum", NULL, 1, "y[i] = x[0] + ... + x[i]", cumsum, SCAN_PARAMETERS),
    ARRAY("dot", NULL, 2, "x[0] y[0] + ... + x[n-1] y[n-1]", dot, REDUCTION_PARAMETERS),
    ARRAY("matmul", NULL, 2, "z[i,j] = x[i,0] y[0,j] + ... + x[i,n-1] y[n-1,j]", matmul,
          ARRAY_PARAMETERS),
    ARRAY("logsumexp", "reduce_logsumexp", 1, "ln(e^x[0] + ... + e^x[n-1])", logsumexp,
          REDUCTION_PARAMETERS),
    ARRAY("logcumsumexp", "cumulative_logsumexp", 1, "y[i] = ln(e^x[0] + ... + e^x[i])",
          logcumsumexp, SCAN_PARAMETERS),
    ARRAY("softmax", NULL, 1, "y[i] = e^x[i] / (e^x[0] + ... + e^x[n-1])", softmax,
          REDUCTION_PARAMETERS),
    ARRAY("log_softmax", NULL, 1, "y[i] = x[i] - ln(e^x[0] + ... + e^x[n-1])", log_softmax,
          REDUCTION_PARAMETERS),
    DYADIC("align", 1, "x 2^(t-s)", align, DYADIC_ONE | DYADIC_TO),
    DYADIC("add", 2, "x 2^(t-s1) + y 2^(t-s2)", add, DYADIC_TWO | PARAMETER_BIT(ALIGN)),
    DYADIC("sub", 2, "x 2^(t-s1) - y 2^(t-s2)", sub, DYADIC_TWO | PARAMETER_BIT(ALIGN)),
    DYADIC("mul", 2, "x y 2^-q", mul, DYADIC_TWO | PARAMETER_BIT(Q)),
    DYADIC("div", 2, "x 2^p / y", div, DYADIC_TWO | PARAMETER_BIT(P)),
    DYADIC("requantise", 1, "clip(x 2^(t-s))", requantise, DYADIC_ONE | DYADIC_TO | DYADIC_CLIP),
    DYADIC("gradient", 2, "g where x 2^(t-s) is in bounds, else 0", gradient,
           DYADIC_TWO | DYADIC_TO | DYADIC_CLIP),
    SCALED("add", 2, "x + y", add, 0),
    SCALED("sub", 2, "x - y", sub, 0),
    SCALED("mul", 2, "x y", mul, 0),
    SCALED("div", 2, "x / y", div, 0),
    SCALED("max", 2, "max(x, y)", max, 0),
    SCALED("min", 2, "min(x, y)", min, 0),
    SCALED("relu", 1, "max(x, 0)", relu, 0),
    SCALED("gelu", 1, "x/2 * (1 + erf(x / 2^(1/2)))", gelu, 0),
    SCALED("reduce_max", 1, "max of x[i]", reduce_max, 0),
    SCALED("softmax", 1, "e^x[i] / sum of e^x[j]", softmax, PARAMETER_BIT(COMPUTE)),
    SCALED("matmul", 2, "sum of x[i,k] y[k,j]", matmul, PARAMETER_BIT(STATIC)),
    SCALED("cast", 1, "x", cast, PARAMETER_BIT(TO)),
    SCALED("rebalance", 1, "x", rebalance, PARAMETER_BIT(TO) | PARAMETER_BIT(BY)),
    {.name = "mx.quantise",
     .aliases = "mx mx.quantize",
     .formula = "s = 2^n, e[i] = x[i] / s: blocks of 32 with one scale",
     .operands = 1,
     .results = 2,
     .parameters = MX_PARAMETERS | PARAMETER_BIT(PROFILE),
     .defaults = {{PARAMETER_TO, "mxfp8_e4m3"}, {PARAMETER_PROFILE, "ocp"}},
     .group = "blocks",
     .result = {{.name = "elements"}, {.name = "scales"}},
     .array = &mx_quantise},
    {.name = "mx.dequantise",
     .aliases = "mx.dequantize",
     .formula = "y[i] = s x[i], elements times the scale of their block",
     .operands = 2,
     .results = 1,
     .parameters = MX_PARAMETERS,
     .defaults = {{PARAMETER_TO, "fp32"}},
     .group = "blocks",
     .array = &mx_dequantise,
     .format = "mxfp8_e4m3"},
#ifdef DETCHECK_EXTRA_OPERATIONS
/* A file of further rows; a test adds one to show that a row is all it takes. */
#include DETCHECK_EXTRA_OPERATIONS
#endif
};
const size_t operation_count = sizeof operations / sizeof *operations;

const char *const operation_groups[OPERATION_GROUPS] = {"all",    "unary",  "binary", "ternary",
                                                        "arrays", "dyadic", "scaled", "blocks"};

bool operation_takes_format(const struct operation *operation, const struct format *format,
                            struct error *error) {
    struct error ignored;
    const struct format *own =
        format_find(operation->format ? operation->format : "fp32", &ignored);
    if (own->is_element == format->is_element &&
        (own->is_element || own->is_integer == format->is_integer))
        return true;
    return error_set(error, "%s is on %s, and %s is none of their formats", operation->name,
                     own->is_element   ? "elements of blocks (mxfp8_e5m2, mxfp8_e4m3, mxfp6_e3m2, "
                                         "mxfp6_e2m3, mxfp4_e2m1, mxint8)"
                     : own->is_integer ? "integers (int8, int16, int32, int64)"
                                       : "real numbers",
                     format->name);
}

bool operation_settle(const struct operation *operation, const struct format *format,
                      const struct parameters *given, struct parameters *settled,
                      struct error *error) {
    if (!operation_takes_format(operation, format, error) ||
        !parameters_settle(given, operation->parameters, operation->needed, operation->defaults,
                           operation->name, settled, error))
        return false;
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter_value *value = &settled->values[i];
        struct error why;
        if (parameter_rows[i].casts_operands && value->present &&
            !operation_takes_format(operation, value->format, &why))
            return error_set(error, "--%s: %s", parameter_rows[i].name, why.text);
    }
    return true;
}

bool operation_in_group(const struct operation *operation, const char *group) {
    for (int i = 0; i < OPERATION_GROUPS; i++)
        if (name_matches(group, operation_groups[i], NULL))
            return operation->group
                       ? name_matches(group, operation->group, NULL)
                       : !operation->stands_alone && (i == 0 || operation->operands == i);
    return false;
}

const struct operation *operation_find(const char *text, struct error *error) {
    const char *names[sizeof operations / sizeof *operations];
    for (size_t i = 0; i < operation_count; i++) {
        if (name_matches(text, operations[i].name, operations[i].aliases))
            return &operations[i];
        names[i] = operations[i].name;
    }
    const char *nearest = name_nearest(text, names, operation_count);
    if (nearest)
        error_set(error, "unknown operation '%s'; did you mean %s?", text, nearest);
    else
        error_set(error, "unknown operation '%s'; 'detcheck list operations' names them all", text);
    return NULL;
}

const struct operation *operation_of_result(const char *name, int *result, struct error *error) {
    char own[64];
    for (size_t i = 0; i < operation_count; i++)
        for (*result = 0; *result < operations[i].results; ++*result)
            if (strcmp(operation_result_name(&operations[i], *result, own), name) == 0)
                return &operations[i];
    error_set(error, "no operation has a result '%.80s'", name);
    return NULL;
}

const char *operation_result_name(const struct operation *operation, int result, char *text) {
    const char *name = operation->result[result].name;
    snprintf(text, 64, "%s%s%s", operation->name, name ? "." : "", name ? name : "");
    return text;
}
