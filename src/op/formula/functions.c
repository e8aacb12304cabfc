/* The table of shapes and rewritings. */
#include "op/formula/functions.h"

#include "op/function/arb_rule.h"

#include <math.h>
#include <string.h>

#define EVERYWHERE -INFINITY, INFINITY
#define POSITIVE   0, INFINITY

#define SHAPED(NAME, SHAPE, ...)                                                                   \
    { NAME, SHAPE, __VA_ARGS__, 0, NULL, false }
#define REWRITTEN(NAME, TEXT)                                                                      \
    { .name = NAME, .low = -INFINITY, .high = INFINITY, .rewriting = TEXT }
#define FRACTION(NAME, TEXT)                                                                       \
    { .name = NAME, .low = -INFINITY, .high = INFINITY, .rewriting = TEXT, .may_be_fraction = true }
#define INTEGER(NAME, ROUNDING)                                                                    \
    { .name = NAME, .shape = SHAPE_STEPS, .low = -INFINITY, .high = INFINITY, .rounding = ROUNDING }

/* A rewriting has the function's value wherever one operand at least is a number other than 0 that is no binary fraction;
 * the others may be anything, NaN excepted. 1/y is 0 at an infinite y; exponents that are long long or int have its bounds. */
static const struct function_rule rules[] = {
    SHAPED("exp", SHAPE_RISES, EVERYWHERE),
    SHAPED("exp2", SHAPE_RISES, EVERYWHERE),
    SHAPED("exp10", SHAPE_RISES, EVERYWHERE),
    SHAPED("expm1", SHAPE_RISES, EVERYWHERE),
    SHAPED("exp2m1", SHAPE_RISES, EVERYWHERE),
    SHAPED("exp10m1", SHAPE_RISES, EVERYWHERE),
    SHAPED("log", SHAPE_RISES, POSITIVE),
    SHAPED("log2", SHAPE_RISES, POSITIVE),
    SHAPED("log10", SHAPE_RISES, POSITIVE),
    SHAPED("log1p", SHAPE_RISES, -1, INFINITY),
    SHAPED("log2p1", SHAPE_RISES, -1, INFINITY),
    SHAPED("log10p1", SHAPE_RISES, -1, INFINITY),
    SHAPED("asin", SHAPE_RISES, -1, 1),
    SHAPED("acos", SHAPE_FALLS, -1, 1),
    SHAPED("atan", SHAPE_RISES, EVERYWHERE),
    SHAPED("asinpi", SHAPE_RISES, -1, 1),
    SHAPED("acospi", SHAPE_FALLS, -1, 1),
    SHAPED("atanpi", SHAPE_RISES, EVERYWHERE),
    SHAPED("sinh", SHAPE_RISES, EVERYWHERE),
    SHAPED("cosh", SHAPE_EVEN_RISES, EVERYWHERE),
    SHAPED("tanh", SHAPE_RISES, EVERYWHERE),
    SHAPED("asinh", SHAPE_RISES, EVERYWHERE),
    SHAPED("acosh", SHAPE_RISES, 1, INFINITY),
    SHAPED("atanh", SHAPE_RISES, -1, 1),
    SHAPED("sqrt", SHAPE_RISES, POSITIVE),
    SHAPED("cbrt", SHAPE_RISES, EVERYWHERE),
    SHAPED("rsqrt", SHAPE_FALLS, POSITIVE),
    SHAPED("erf", SHAPE_RISES, EVERYWHERE),
    SHAPED("erfc", SHAPE_FALLS, EVERYWHERE),
    SHAPED("erfinv", SHAPE_RISES, -1, 1),
    SHAPED("erfcx", SHAPE_FALLS, EVERYWHERE),
    SHAPED("ndtr", SHAPE_RISES, EVERYWHERE),
    SHAPED("log_ndtr", SHAPE_RISES, EVERYWHERE),
    SHAPED("logit", SHAPE_RISES, 0, 1),
    SHAPED("sigmoid", SHAPE_RISES, EVERYWHERE),
    SHAPED("softplus", SHAPE_RISES, EVERYWHERE),
    SHAPED("logsigmoid", SHAPE_RISES, EVERYWHERE),
    SHAPED("i0", SHAPE_EVEN_RISES, EVERYWHERE),
    SHAPED("i0e", SHAPE_EVEN_FALLS, EVERYWHERE),
    SHAPED("i1", SHAPE_RISES, EVERYWHERE),
    SHAPED("y0", SHAPE_OTHER, POSITIVE),
    SHAPED("y1", SHAPE_OTHER, POSITIVE),
    INTEGER("floor", ROUND_DOWN),
    INTEGER("ceil", ROUND_UP),
    INTEGER("trunc", ROUND_TOWARD_ZERO),
    INTEGER("round", ROUND_NEAREST_AWAY),
    INTEGER("roundeven", ROUND_NEAREST_EVEN),
    INTEGER("rint", ROUND_NEAREST_EVEN),
    INTEGER("nearbyint", ROUND_NEAREST_EVEN),
    FRACTION("recip", "1/x"),
    REWRITTEN("relu", "max(x, 0)"),
    REWRITTEN("relu6", "min(max(x, 0), 6)"),
    FRACTION("hardsigmoid", "min(max(x + 3, 0), 6)/6"),
    FRACTION("hardswish", "x*min(max(x + 3, 0), 6)/6"),
    FRACTION("softsign", "x/(1 + |x|)"),
    REWRITTEN("elu", "select(x > 0, x, expm1(x))"),
    FRACTION("selu", "1.0507009873554804934193349852946*select(x > 0, x, "
                     "1.6732632423543772848170429916717*expm1(x))"),
    REWRITTEN("silu", "x*sigmoid(x)"),
    REWRITTEN("quick_gelu", "x*sigmoid(1.702*x)"),
    REWRITTEN("gelu", "x*ndtr(x)"),
    REWRITTEN("gelu_tanh", "x*sigmoid(2*sqrt(2/pi)*x*(1 + 0.044715*x^2))"),
    REWRITTEN("mish", "x*tanh(softplus(x))"),
    FRACTION("hypot", "sqrt(x*x + y*y)"),
    REWRITTEN("fdim", "select(x > y, x - y, 0)"),
    REWRITTEN("logaddexp", "max(x, y) + log1p(exp(-|x - y|))"),
    REWRITTEN("fmod", "let r = x - y*trunc(x/y) in select(1/y == 0, x, select(r == 0, x*0, r))"),
    REWRITTEN("remainder",
              "let r = x - y*roundeven(x/y) in select(1/y == 0, x, select(r == 0, x*0, r))"),
    REWRITTEN("powr", "select(x < 0, nan, x^y)"),
    FRACTION("pown", "select(|y + 1/2| < 2^63, select(y == trunc(y), x^y, nan), nan)"),
    FRACTION("compoundn", "select(|y + 1/2| < 2^63, select(y == trunc(y), "
                          "select(x < -1, nan, (1 + x)^y), nan), nan)"),
    REWRITTEN("scalbn", "select(|y + 1/2| < 2^31, select(y == trunc(y), x*2^y, nan), nan)"),
    REWRITTEN("ldexp", "select(|y + 1/2| < 2^31, select(y == trunc(y), x*2^y, nan), nan)"),
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

/* Rows with `exact` know the format of the operands, but for those that the table above has. The language has no name with a
 * dot, as those of a draft have. */
bool formula_takes(const struct operation *operation) {
    return !strchr(operation->name, '.') && !operation->array && !operation->converts &&
           !operation->parameters && operation->results == 1 &&
           (!operation->result[0].exact || function_rule(operation));
}

bool formula_wants_points(const struct operation *operation) {
    const struct arb_rule *arb = operation->result[0].arb;
    return !function_rule(operation) && !(operation->operands == 1 && arb && arb->analytic);
}

const char *function_inverse(const char *outer) {
    static const char *const pairs[][2] = {
        {"exp", "log"},       {"log", "exp"},       {"exp2", "log2"},       {"log2", "exp2"},
        {"exp10", "log10"},   {"log10", "exp10"},   {"expm1", "log1p"},     {"log1p", "expm1"},
        {"sinh", "asinh"},    {"asinh", "sinh"},    {"cosh", "acosh"},      {"tanh", "atanh"},
        {"atanh", "tanh"},    {"sin", "asin"},      {"cos", "acos"},        {"tan", "atan"},
        {"erf", "erfinv"},    {"erfinv", "erf"},    {"sigmoid", "logit"},   {"logit", "sigmoid"},
        {"exp2m1", "log2p1"}, {"log2p1", "exp2m1"}, {"exp10m1", "log10p1"}, {"log10p1", "exp10m1"},
        {"sinpi", "asinpi"},  {"cospi", "acospi"},  {"tanpi", "atanpi"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(outer, pairs[i][0]) == 0)
            return pairs[i][1];
    return NULL;
}

const char *function_of_node(const struct formula_node *nodes, const struct formula_node *node,
                             int *argument) {
    const struct formula_node *base = &nodes[node->arguments[0]];
    *argument = node->arguments[node->kind == FORMULA_POWER];
    if (node->kind == FORMULA_FUNCTION)
        return node->count == 1 ? node->operation->name : NULL;
    if (node->kind != FORMULA_POWER)
        return NULL;
    if (base->kind == FORMULA_E)
        return "exp";
    if (base->kind != FORMULA_NUMBER)
        return NULL;
    return mpq_cmp_ui(base->number, 2, 1) == 0    ? "exp2"
           : mpq_cmp_ui(base->number, 10, 1) == 0 ? "exp10"
                                                  : NULL;
}
