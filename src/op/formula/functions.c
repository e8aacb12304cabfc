/* The table of shapes and rewritings. */
#include "op/formula/functions.h"

#include "op/function/arb_rule.h"

#include <math.h>
#include <string.h>

#define EVERYWHERE -INFINITY, INFINITY
#define POSITIVE   0, INFINITY

#define REWRITTEN(NAME, TEXT)                                                                      \
    { .name = NAME, .low = -INFINITY, .high = INFINITY, .rewriting = TEXT }
#define INTEGER(NAME, ROUNDING)                                                                    \
    { .name = NAME, .shape = SHAPE_STEPS, .low = -INFINITY, .high = INFINITY, .rounding = ROUNDING }

/* A rewriting is the same number wherever its operands are finite, and loses nothing that the function has: no
 * difference in it cancels that does not in the function. */
static const struct function_rule rules[] = {
    {"exp", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"exp2", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"exp10", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"expm1", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"exp2m1", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"exp10m1", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"log", SHAPE_RISES, POSITIVE, 0, NULL},
    {"log2", SHAPE_RISES, POSITIVE, 0, NULL},
    {"log10", SHAPE_RISES, POSITIVE, 0, NULL},
    {"log1p", SHAPE_RISES, -1, INFINITY, 0, NULL},
    {"log2p1", SHAPE_RISES, -1, INFINITY, 0, NULL},
    {"log10p1", SHAPE_RISES, -1, INFINITY, 0, NULL},
    {"asin", SHAPE_RISES, -1, 1, 0, NULL},
    {"acos", SHAPE_FALLS, -1, 1, 0, NULL},
    {"atan", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"asinpi", SHAPE_RISES, -1, 1, 0, NULL},
    {"acospi", SHAPE_FALLS, -1, 1, 0, NULL},
    {"atanpi", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"sinh", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"cosh", SHAPE_EVEN_RISES, EVERYWHERE, 0, NULL},
    {"tanh", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"asinh", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"acosh", SHAPE_RISES, 1, INFINITY, 0, NULL},
    {"atanh", SHAPE_RISES, -1, 1, 0, NULL},
    {"sqrt", SHAPE_RISES, POSITIVE, 0, NULL},
    {"cbrt", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"rsqrt", SHAPE_FALLS, POSITIVE, 0, NULL},
    {"erf", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"erfc", SHAPE_FALLS, EVERYWHERE, 0, NULL},
    {"erfinv", SHAPE_RISES, -1, 1, 0, NULL},
    {"erfcx", SHAPE_FALLS, EVERYWHERE, 0, NULL},
    {"ndtr", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"log_ndtr", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"logit", SHAPE_RISES, 0, 1, 0, NULL},
    {"sigmoid", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"softplus", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"logsigmoid", SHAPE_RISES, EVERYWHERE, 0, NULL},
    {"i0", SHAPE_EVEN_RISES, EVERYWHERE, 0, NULL},
    {"i0e", SHAPE_EVEN_FALLS, EVERYWHERE, 0, NULL},
    {"i1", SHAPE_RISES, EVERYWHERE, 0, NULL},
    INTEGER("floor", ROUND_DOWN),
    INTEGER("ceil", ROUND_UP),
    INTEGER("trunc", ROUND_TOWARD_ZERO),
    INTEGER("round", ROUND_NEAREST_AWAY),
    INTEGER("roundeven", ROUND_NEAREST_EVEN),
    INTEGER("rint", ROUND_NEAREST_EVEN),
    INTEGER("nearbyint", ROUND_NEAREST_EVEN),
    REWRITTEN("recip", "1/x"),
    REWRITTEN("relu", "max(x, 0)"),
    REWRITTEN("relu6", "min(max(x, 0), 6)"),
    REWRITTEN("hardsigmoid", "min(max(x + 3, 0), 6)/6"),
    REWRITTEN("hardswish", "x*min(max(x + 3, 0), 6)/6"),
    REWRITTEN("softsign", "x/(1 + |x|)"),
    REWRITTEN("elu", "select(x > 0, x, expm1(x))"),
    REWRITTEN("selu", "1.0507009873554804934193349852946*select(x > 0, x, "
                      "1.6732632423543772848170429916717*expm1(x))"),
    REWRITTEN("silu", "x*sigmoid(x)"),
    REWRITTEN("quick_gelu", "x*sigmoid(1.702*x)"),
    REWRITTEN("gelu", "x*ndtr(x)"),
    REWRITTEN("gelu_tanh", "x*sigmoid(2*sqrt(2/pi)*x*(1 + 0.044715*x^2))"),
    REWRITTEN("mish", "x*tanh(softplus(x))"),
    REWRITTEN("hypot", "sqrt(x*x + y*y)"),
    REWRITTEN("fdim", "select(x > y, x - y, 0)"),
    REWRITTEN("logaddexp", "max(x, y) + log1p(exp(-|x - y|))"),
    REWRITTEN("fmod", "x - y*trunc(x/y)"),
    REWRITTEN("remainder", "x - y*roundeven(x/y)"),
    REWRITTEN("powr", "select(x < 0, nan, x^y)"),
    REWRITTEN("pown", "select(y == trunc(y), x^y, nan)"),
    REWRITTEN("compoundn", "select(y == trunc(y), select(x < -1, nan, (1 + x)^y), nan)"),
    REWRITTEN("scalbn", "select(y == trunc(y), x*2^y, nan)"),
    REWRITTEN("ldexp", "select(y == trunc(y), x*2^y, nan)"),
    REWRITTEN("atan2", "select(y > 0, atan(x/y), select(x > 0, pi/2 - atan(y/x), "
                       "select(x < 0, -pi/2 - atan(y/x), select(1/x > 0, pi, -pi))))"),
    REWRITTEN("atan2pi", "select(y > 0, atanpi(x/y), select(x > 0, 1/2 - atanpi(y/x), "
                         "select(x < 0, -1/2 - atanpi(y/x), select(1/x > 0, 1, -1))))"),
    REWRITTEN("fmin", "min(x, y)"),
    REWRITTEN("fmax", "max(x, y)"),
    REWRITTEN("fminimum_num", "min(x, y)"),
    REWRITTEN("fmaximum_num", "max(x, y)"),
    REWRITTEN("fminimum_mag", "select(|x| < |y|, x, select(|y| < |x|, y, min(x, y)))"),
    REWRITTEN("fmaximum_mag", "select(|x| > |y|, x, select(|y| > |x|, y, max(x, y)))"),
    REWRITTEN("fminimum_mag_num", "select(|x| < |y|, x, select(|y| < |x|, y, min(x, y)))"),
    REWRITTEN("fmaximum_mag_num", "select(|x| > |y|, x, select(|y| > |x|, y, max(x, y)))"),
};

const struct function_rule *function_rule(const struct operation *operation) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].name, operation->name) == 0)
            return &rules[i];
    return NULL;
}

/* Rows with `exact` know the format of the operands, but for those that the table above has. */
bool formula_takes(const struct operation *operation) {
    return !operation->array && !operation->converts && !operation->parameters &&
           operation->results == 1 && (!operation->result[0].exact || function_rule(operation));
}

bool formula_wants_points(const struct operation *operation) {
    const struct arb_rule *arb = operation->result[0].arb;
    return !function_rule(operation) && !(operation->operands == 1 && arb && arb->analytic);
}

bool function_undoes(const struct operation *outer, const struct operation *inner) {
    static const char *const pairs[][2] = {
        {"exp", "log"},       {"log", "exp"},       {"exp2", "log2"},       {"log2", "exp2"},
        {"exp10", "log10"},   {"log10", "exp10"},   {"expm1", "log1p"},     {"log1p", "expm1"},
        {"sinh", "asinh"},    {"asinh", "sinh"},    {"cosh", "acosh"},      {"tanh", "atanh"},
        {"atanh", "tanh"},    {"sin", "asin"},      {"cos", "acos"},        {"tan", "atan"},
        {"erf", "erfinv"},    {"erfinv", "erf"},    {"sigmoid", "logit"},   {"logit", "sigmoid"},
        {"exp2m1", "log2p1"}, {"log2p1", "exp2m1"}, {"exp10m1", "log10p1"}, {"log10p1", "exp10m1"},
        {"sinpi", "asinpi"},  {"cospi", "acospi"},  {"tanpi", "atanpi"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(outer->name, pairs[i][0]) == 0 && strcmp(inner->name, pairs[i][1]) == 0)
            return true;
    return false;
}
