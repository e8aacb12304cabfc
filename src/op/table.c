/* The table of operations. */
#include "base/names.h"
#include "op/composites.h"
#include "op/natives.h"
#include "op/operation.h"

#include <stdio.h>
#include <string.h>

/* The shapes that most rows have: one result, from MPFR, named in libm as here. */
#define UNARY_ROW(NAME, ALIASES, FORMULA, FUNCTION, SPECIAL, LANDMARKS)                            \
    {                                                                                              \
        .name = #NAME, .aliases = ALIASES, .formula = FORMULA, .operands = 1, .results = 1,        \
        .result = {{.mpfr1 = FUNCTION, .special = SPECIAL}}, .platform = {.symbol = #NAME},        \
        .landmarks = LANDMARKS                                                                     \
    }
#define UNARY(NAME, FORMULA, FUNCTION, LANDMARKS)                                                  \
    UNARY_ROW(NAME, NULL, FORMULA, FUNCTION, NULL, LANDMARKS)
#define BINARY(NAME, FORMULA, FUNCTION, LANDMARKS)                                                 \
    {                                                                                              \
        .name = #NAME, .formula = FORMULA, .operands = 2, .results = 1,                            \
        .result = {{.mpfr2 = FUNCTION}}, .platform = {.symbol = #NAME}, .landmarks = LANDMARKS     \
    }
#define ARITHMETIC(NAME, FORMULA, FUNCTION, SUMS)                                                  \
    {                                                                                              \
        .name = #NAME, .formula = FORMULA, .operands = 2, .results = 1, .sums = SUMS,              \
        .result = {{.mpfr2 = FUNCTION}}, .platform = {                                             \
            .operator_fp32 = operator_##NAME##_fp32,                                               \
            .operator_fp64 = operator_##NAME##_fp64                                                \
        }                                                                                          \
    }
/* No function of libm; enclosed in intervals. */
#define COMPOSITE(NAME, ALIASES, OPERANDS, FORMULA, SPECIAL, LANDMARKS)                            \
    {                                                                                              \
        .name = #NAME, .aliases = ALIASES, .formula = FORMULA, .operands = OPERANDS, .results = 1, \
        .result = {{.bracket = bracket_##NAME, .special = SPECIAL}}, .landmarks = LANDMARKS        \
    }

/* Where results overflow and underflow in fp16, fp32 and fp64, for the functions that grow so. */
#define EXP_ENDS      "11.09 -9.7 -17.4 88.72 -87.34 -103.98 709.78 -708.4 -745.13"
#define EXP2_ENDS     "16 -14 -25 128 -126 -150 1024 -1022 -1075"
#define EXP10_ENDS    "4.816 -4.214 -7.526 38.53 -37.93 -45.15 308.25 -307.65 -323.6"
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

const struct operation operations[] = {
    UNARY(exp, "e^x", mpfr_exp, "1 " EXP_ENDS),
    UNARY(exp2, "2^x", mpfr_exp2, "1 " EXP2_ENDS),
    UNARY(exp10, "10^x", mpfr_exp10, "1 " EXP10_ENDS),
    UNARY(expm1, "e^x - 1", mpfr_expm1, EXP_MINUS_ONE " " EXP_ENDS),
    UNARY(exp2m1, "2^x - 1", mpfr_exp2m1, "1 -1 -24 -25 -54 " EXP2_ENDS),
    UNARY(exp10m1, "10^x - 1", mpfr_exp10m1, "1 -1 -7.5 -16.3 " EXP10_ENDS),
    UNARY(log, "ln x", mpfr_log, "1 2.718281828459045"),
    UNARY(log2, "log2 x", mpfr_log2, "1 2 3"),
    UNARY(log10, "log10 x", mpfr_log10, "1 10 100 1000"),
    UNARY_ROW(log1p, "logp1", "ln(1 + x)", mpfr_log1p, NULL, "-1 1 -0.5"),
    UNARY(log2p1, "log2(1 + x)", mpfr_log2p1, "-1 1 3 -0.5"),
    UNARY(log10p1, "log10(1 + x)", mpfr_log10p1, "-1 9 99 -0.5"),
    UNARY(sin, "sin x", mpfr_sin, QUARTER_TURNS),
    UNARY(cos, "cos x", mpfr_cos, QUARTER_TURNS),
    UNARY(tan, "tan x", mpfr_tan, QUARTER_TURNS),
    UNARY(asin, "arcsin x", mpfr_asin, UNIT_ENDS),
    UNARY(acos, "arccos x", mpfr_acos, UNIT_ENDS),
    UNARY(atan, "arctan x", mpfr_atan, UNIT_ENDS),
    UNARY(sinpi, "sin(pi x)", mpfr_sinpi, HALF_INTEGERS),
    UNARY(cospi, "cos(pi x)", mpfr_cospi, HALF_INTEGERS),
    UNARY(tanpi, "tan(pi x)", mpfr_tanpi, HALF_INTEGERS),
    UNARY(asinpi, "arcsin(x) / pi", mpfr_asinpi, UNIT_ENDS),
    UNARY(acospi, "arccos(x) / pi", mpfr_acospi, UNIT_ENDS),
    UNARY(atanpi, "arctan(x) / pi", mpfr_atanpi, UNIT_ENDS),
    UNARY(sinh, "sinh x", mpfr_sinh, EXP_ENDS " 89.41 710.47"),
    UNARY(cosh, "cosh x", mpfr_cosh, EXP_ENDS " 89.41 710.47"),
    UNARY(tanh, "tanh x", mpfr_tanh, "0.5 1 4.5 9.01 19.06"),
    UNARY(asinh, "arsinh x", mpfr_asinh, "1"),
    UNARY(acosh, "arcosh x", mpfr_acosh, "1 2"),
    UNARY(atanh, "artanh x", mpfr_atanh, UNIT_ENDS),
    UNARY(sqrt, "x^(1/2)", mpfr_sqrt, "1 2 4"),
    UNARY(cbrt, "x^(1/3)", mpfr_cbrt, "1 8 27"),
    UNARY_ROW(rsqrt, NULL, "x^(-1/2)", mpfr_rec_sqrt, special_rsqrt, "1 2 4"),
    UNARY(erf, "erf x", mpfr_erf, "1 2.4 3.92 5.92"),
    UNARY(erfc, "1 - erf x", mpfr_erfc, "1 3.5 9.19 10.06 26.54 27.23 -3.9 -5.8"),
    UNARY(tgamma, "gamma(x)", mpfr_gamma, GAMMA_POLES),
    UNARY(lgamma, "ln|gamma(x)|", native_lgamma, GAMMA_POLES " -2.4570247382208006"),
    COMPOSITE(sigmoid, "logistic expit", 1, "1 / (1 + e^-x)", special_sigmoid, EXP_ENDS " 17.33"),
    COMPOSITE(softplus, NULL, 1, "ln(1 + e^x)", special_softplus, EXP_ENDS " 17.33"),
    COMPOSITE(silu, "swish", 1, "x / (1 + e^-x)", special_times_gate, EXP_ENDS " 17.33 -1.2784645"),
    COMPOSITE(gelu, "gelu_erf", 1, "x/2 * (1 + erf(x / 2^(1/2)))", special_times_gate,
              "1 5.3 -5.3 -13.2 -14.3 -37.5 -38.5 -0.7517915247"),
    COMPOSITE(gelu_tanh, NULL, 1, "x/2 * (1 + tanh((2/pi)^(1/2) * (x + 0.044715 x^3)))",
              special_times_gate, "1 4.7 -4.7 -9.9 -10.1 -21 -0.7524614"),
    COMPOSITE(logsigmoid, "log_sigmoid", 1, "-ln(1 + e^-x)", special_logsigmoid, EXP_ENDS " 17.33"),
    COMPOSITE(mish, NULL, 1, "x * tanh(ln(1 + e^x))", special_times_gate, EXP_ENDS " -1.1924"),
    {.name = "recip",
     .aliases = "reciprocal",
     .formula = "1 / x",
     .operands = 1,
     .results = 1,
     .result = {{.mpfr1 = native_recip}},
     .platform = {.operator_fp32 = operator_recip_fp32, .operator_fp64 = operator_recip_fp64},
     .landmarks = "1 3"},
    {.name = "sincos",
     .formula = "sin x and cos x",
     .operands = 1,
     .results = 2,
     .result = {{.name = "sin", .mpfr1 = mpfr_sin}, {.name = "cos", .mpfr1 = mpfr_cos}},
     .platform = {.symbol = "sincos"},
     .landmarks = QUARTER_TURNS},
    ARITHMETIC(add, "x + y", mpfr_add, true),
    ARITHMETIC(sub, "x - y", mpfr_sub, true),
    ARITHMETIC(mul, "x * y", mpfr_mul, false),
    ARITHMETIC(div, "x / y", mpfr_div, false),
    BINARY(pow, "x^y", mpfr_pow, "0.5 1 -1 2 -2 3 10"),
    BINARY(atan2, "arg(y, x), the angle of (x, y); the first operand is y", mpfr_atan2, "1 -1"),
    BINARY(hypot, "(x^2 + y^2)^(1/2)", mpfr_hypot, "1 3 4"),
    BINARY(fmod, "x - y * trunc(x / y)", mpfr_fmod, "1 3"),
    BINARY(remainder, "x - y * round(x / y), ties to even", mpfr_remainder, "1 3"),
    BINARY(fdim, "max(x - y, 0)", mpfr_dim, "1"),
    COMPOSITE(logaddexp, NULL, 2, "ln(e^x + e^y)", special_logaddexp,
              "1 -0.6931471805599453 88.72 -103.98"),
    {.name = "fma",
     .formula = "x * y + z",
     .operands = 3,
     .results = 1,
     .sums = true,
     .result = {{.mpfr3 = mpfr_fma}},
     .platform = {.symbol = "fma"},
     .landmarks = "1"},
#ifdef DETCHECK_EXTRA_OPERATIONS
/* A file of further rows; a test adds one to show that a row is all it takes. */
#include DETCHECK_EXTRA_OPERATIONS
#endif
};
const size_t operation_count = sizeof operations / sizeof *operations;

const char *const operation_groups[OPERATION_GROUPS] = {"all", "unary", "binary", "ternary"};

bool operation_in_group(const struct operation *operation, const char *group) {
    for (int i = 0; i < OPERATION_GROUPS; i++)
        if (strcmp(group, operation_groups[i]) == 0)
            return i == 0 || operation->operands == i;
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

const char *operation_result_name(const struct operation *operation, int result, char *text) {
    const char *name = operation->result[result].name;
    snprintf(text, 64, "%s%s%s", operation->name, name ? "." : "", name ? name : "");
    return text;
}
