/* The table of rewritings. */
#include "explain/identity.h"

#include <stddef.h>
#include <string.h>

/* The power y of x by its squares, each product rounded, where y has at most 12 bits. FIRST looks after others; 1/p, the inverse of
 * the power of -y, is that of a y below 0. */
#define WITH_BIT(POWER, BIT, NEXT)                                                                 \
    "select(n - " #NEXT "*floor(n/" #NEXT ") >= " #BIT ", " POWER ", 1)"
#define SQUARE(NAME, OF) "let " NAME " = " OF "*" OF " in "
#define BY_SQUARING(FIRST)                                                                                                                                   \
    "by_squaring(x, y) = let n = |y| in " SQUARE("b", "x") SQUARE("c", "b") SQUARE(                                                                          \
        "d",                                                                                                                                                 \
        "c") SQUARE("f",                                                                                                                                     \
                    "d") SQUARE("g",                                                                                                                         \
                                "f") SQUARE("h",                                                                                                             \
                                            "g") SQUARE("i",                                                                                                 \
                                                        "h") SQUARE("j",                                                                                     \
                                                                    "i") SQUARE("k",                                                                         \
                                                                                "j") SQUARE("l",                                                             \
                                                                                            "k")                                                             \
        SQUARE("m", "l") "let p = " WITH_BIT("x", 1, 2) "*" WITH_BIT("b", 2, 4) "*" WITH_BIT("c", 4, 8) "*" WITH_BIT("d", 8, 16) "*" WITH_BIT(               \
            "f", 16,                                                                                                                                         \
            32) "*" WITH_BIT("g", 32,                                                                                                                        \
                             64) "*" WITH_BIT("h", 64,                                                                                                       \
                                              128) "*" WITH_BIT("i", 128,                                                                                    \
                                                                256) "*" WITH_BIT("j", 256,                                                                  \
                                                                                  512) "*" WITH_BIT("k",                                                     \
                                                                                                    512,                                                     \
                                                                                                    1024) "*" WITH_BIT("l",                                  \
                                                                                                                       1024,                                 \
                                                                                                                       2048) "*" WITH_BIT("m",               \
                                                                                                                                          2048,              \
                                                                                                                                          4096) " in " FIRST \
                                                                                                                                                "select(y < 0, 1/p, p)))"

static const struct {
    const char *operation, *formula; /* with a name where it is long */
} rows[] = {
    {"exp", "exp2(x*1.4426950408889634)"},
    {"exp2", "exp(x*0.6931471805599453)"},
    {"exp2", "pow(2, x)"},
    {"exp10", "exp(x*2.302585092994046)"},
    {"exp10", "pow(10, x)"},
    {"expm1", "exp(x) - 1"},
    {"log2", "log(x)/log(2)"},
    {"log2", "log(x)*1.4426950408889634"},
    {"log10", "log(x)/log(10)"},
    {"log10", "log(x)*0.4342944819032518"},
    {"log1p", "log(1 + x)"},
    {"sin", "cos(x - pi/2)"},
    {"cos", "sin(x + pi/2)"},
    {"tan", "sin(x)/cos(x)"},
    {"sinh", "(exp(x) - exp(-x))/2"},
    {"cosh", "(exp(x) + exp(-x))/2"},
    {"tanh", "(exp(2*x) - 1)/(exp(2*x) + 1)"},
    {"tanh", "1 - 2/(exp(2*x) + 1)"},
    {"tanh", "2*sigmoid(2*x) - 1"},
    {"tanh", "sinh(x)/cosh(x)"},
    {"tanh", "2/(1 + exp(-2*x)) - 1"},
    {"tanh", "(1 - exp(-2*x))/(1 + exp(-2*x))"},
    {"tanh", "(exp(x) - exp(-x))/(exp(x) + exp(-x))"},
    {"tanh", "expm1(2*x)/(expm1(2*x) + 2)"},
    {"asinh", "log(x + sqrt(x*x + 1))"},
    {"acosh", "log(x + sqrt(x*x - 1))"},
    {"atanh", "0.5*log((1 + x)/(1 - x))"},
    {"sqrt", "x*rsqrt(x)"},
    {"sqrt", "1/rsqrt(x)"},
    {"sqrt", "x*(1/sqrt(x))"},
    {"sqrt", "1/(1/sqrt(x))"},
    {"cbrt", "x^(1/3)"},
    {"rsqrt", "1/sqrt(x)"},
    {"rsqrt", "sqrt(1/x)"},
    {"erf", "1 - erfc(x)"},
    {"erfc", "1 - erf(x)"},
    {"sigmoid", "1/(1 + exp(-x))"},
    {"sigmoid", "exp(x)/(1 + exp(x))"},
    {"sigmoid", "0.5*tanh(0.5*x) + 0.5"},
    {"silu", "x*sigmoid(x)"},
    {"silu", "x/(1 + exp(-x))"},
    {"silu", "x*(1/(1 + exp(-x)))"},
    {"silu", "x*(0.5*tanh(0.5*x) + 0.5)"},
    {"quick_gelu", "x*sigmoid(1.702*x)"},
    {"quick_gelu", "x/(1 + exp(-1.702*x))"},
    {"quick_gelu", "x*(1/(1 + exp(-1.702*x)))"},
    {"gelu", "0.5*x*(1 + erf(x*0.7071067811865476))"},
    {"gelu", "0.5*x*(1 + tanh(0.7978845608028654*(x + 0.044715*x*x*x)))"},
    {"gelu", "x*sigmoid(1.702*x)"},
    {"gelu", "x/(1 + exp(-1.702*x))"},
    {"gelu", "x*(1/(1 + exp(-1.702*x)))"},
    {"gelu", "0.5*x*erfc(-0.7071067811865476*x)"},
    {"gelu_tanh", "0.5*x*(1 + tanh(0.7978845608028654*(x + 0.044715*x*x*x)))"},
    {"gelu_tanh", "x*sigmoid(1.5957691216057308*(x + 0.044715*x*x*x))"},
    {"gelu_tanh", "x/(1 + exp(-1.5957691216057308*(x + 0.044715*x*x*x)))"},
    {"softplus", "log(1 + exp(x))"},
    {"softplus", "log1p(exp(x))"},
    {"softplus", "max(x, 0) + log1p(exp(-|x|))"},
    {"softplus", "max(x, 0) + log(1 + exp(-|x|))"},
    {"logsigmoid", "-(log(1 + exp(-x)))"},
    {"logsigmoid", "-(softplus(-x))"},
    {"logsigmoid", "log(sigmoid(x))"},
    {"logsigmoid", "log(1/(1 + exp(-x)))"},
    {"logsigmoid", "min(x, 0) - log1p(exp(-|x|))"},
    {"mish", "x*tanh(softplus(x))"},
    {"mish", "x*tanh(log1p(exp(x)))"},
    {"mish", "x*tanh(log(1 + exp(x)))"},
    {"round", "floor(x + 0.5)"},
    {"roundeven", "floor(x + 0.5)"},
    {"rint", "floor(x + 0.5)"},
    {"div", "x*recip(y)"},
    {"div", "x*(recip(y)*(2 - y*recip(y)))"},
    {"div", "let r = recip(y) in x*fma(r, fma(-(y), r, 1), r)"},
    {"div", "let r = round(bf16, recip(y)) in x*(r*(2 - y*r))"},
    {"div", "let r = round(bf16, recip(y)) in let s = r*(2 - y*r) in x*(s*(2 - y*s))"},
    {"div", "let r = recip(y) in let q = x*r in fma(fma(-(q), y, x), r, q)"},
    {"recip", "by_newton_from_12_bits(x) = let q = 1/x in let u = exp2(floor(log2(|q|)) - 11) in "
              "let r = trunc(q/u)*u in r + r*(1 - x*r)"},
    {"add",
     "with_3_bits_behind_the_larger(x, y) = let a = select(|x| > |y|, x, y) in let b = select(|x| "
     "> |y|, y, x) in "
     "let u = exp2(floor(log2(|a|)) - 26) in let r = a + trunc(b/u)*u in select(r == r, r, x + y)"},
    {"pow", "exp2(y*log2(x))"},
    {"pow", "exp(y*log(x))"},
    {"pow", BY_SQUARING("select(n != floor(n), pow(x, y), select(n >= 4096, pow(x, y), ")},
    {"pown", BY_SQUARING("select(n != floor(n), pown(x, y), select(n >= 4096, pown(x, y), ")},
    {"rootn", "pow(x, 1/y)"},
    {"compoundn", "pow(1 + x, y)"},
    {"hypot", "sqrt(x*x + y*y)"},
    {"fmod", "x - y*trunc(x/y)"},
    {"fmod", "fma(-(trunc(x*recip(y))), y, x)"},
    {"remainder", "x - y*roundeven(x/y)"},
    {"remainder", "fmod(x, y)"},
    {"remainder", "ties_away(x, y) = let r = remainder(x, y) in select(2*|r| == |y|, select(x < 0, "
                  "|r|, -(|r|)), r)"},
    {"logaddexp", "log(exp(x) + exp(y))"},
    {"fma", "x*y + z"},
    {"fma", "with_rounded_rests(x, y, z) = let p = x*y in let s = p + z in let b = s - p in s + "
            "(fma(x, y, -(p)) + ((p - (s - b)) + (z - b)))"},
    {"fma",
     "without_the_products_rest(x, y, z) = let p = x*y in let s = p + z in let b = s - p in s + "
     "((p - (s - b)) + (z - b))"},
    {"fma", "without_z_where_x_is_0(x, y, z) = select(x == 0, x*y, fma(x, y, z))"},
};
enum { ROWS = sizeof rows / sizeof *rows };

const char *identity_row(size_t index, const char **operation) {
    *operation = index < ROWS ? rows[index].operation : NULL;
    return index < ROWS ? rows[index].formula : NULL;
}

int identity_name_length(const char *formula) {
    const char *end = strstr(formula, ") = ");
    return end ? (int)(end - formula) + 1 : (int)strlen(formula);
}
