/* Prints the policy that holds detmath to what its headers promise (detcheck-policy(7)): of det the budgets of
 * src/detmath/functions.inc, of cr that no rounding is wrong.
 *
 * In a format of p digits, narrower than fp32's 24, det widens its operands, which is exact, and rounds its
 * fp32 result y once more. With B the budget, y is within B of fp32's ulps of the exact result, and that is
 * B 2^(p-24) ulps of the format: a format's least exponent is not below fp32's, so its ulp is nowhere less than
 * 2^(24-p) of fp32's. Rounding y adds half an ulp of y, which is half an ulp of the exact result too: y could
 * be in a higher binade only as the power of two that begins it (B < 1), and that is a number of the format.
 * So the error is at most 1/2 + B 2^(p-24). For overflow it is the same, since an infinity counts as the power
 * of two after the largest number. */
#include <math.h>
#include <stdio.h>

/* The budget of a pair is that of its functions. */
#define DETMATH_UNARY(NAME, DET, CR, ULP)  static const double budget_##NAME = ULP;
#define DETMATH_BINARY(NAME, DET, CR, ULP) static const double budget_##NAME = ULP;
#define DETMATH_PAIR(NAME, A, B, ...)
#include "detmath/functions.inc"

/* What the narrow formats' bound rests on. */
#define BELOW_ONE(NAME, ULP)                                                                       \
    _Static_assert((int)(ULP) == 0, #NAME " has a budget of 1 ulp or more");
#define DETMATH_UNARY(NAME, DET, CR, ULP)  BELOW_ONE(NAME, ULP)
#define DETMATH_BINARY(NAME, DET, CR, ULP) BELOW_ONE(NAME, ULP)
#define DETMATH_PAIR(NAME, A, B, ...)
#include "detmath/functions.inc"

static const struct {
    const char *operation;
    const double *budget;
    const char *reason;
} functions[] = {
#define ALL_INPUTS               "all 2^32 inputs of fp32 were tried"
#define DETMATH_UNARY(NAME, ...) {#NAME, &budget_##NAME, ALL_INPUTS},
#define DETMATH_BINARY(NAME, ...)                                                                  \
    {#NAME, &budget_##NAME, "the largest error of the fp32 pairs sampled"},
#define DETMATH_PAIR(NAME, A, B, ...)                                                              \
    {#NAME "." #A, &budget_##A, ALL_INPUTS}, {#NAME "." #B, &budget_##B, ALL_INPUTS},
#include "detmath/functions.inc"
};

static const struct {
    const char *name;
    int precision;
} narrow_formats[] = {{"fp16", 11}, {"bf16", 8}};

enum {
    FUNCTIONS = sizeof functions / sizeof *functions,
    NARROW_FORMATS = sizeof narrow_formats / sizeof *narrow_formats
};

static void print_rules(const char *operation, double budget, const char *reason) {
    printf(",\n    {\"operation\": \"%s\", \"implementation\": \"det\", \"format\": \"fp32\", "
           "\"max_ulp\": %.6f, \"reason\": \"%s\"}",
           operation, budget, reason);
    for (int i = 0; i < NARROW_FORMATS; i++) {
        double bound = 0.5 + ldexp(budget, narrow_formats[i].precision - 24);
        printf(",\n    {\"operation\": \"%s\", \"implementation\": \"det\", \"format\": \"%s\", "
               "\"max_ulp\": %.9f, \"reason\": \"fp32's, rounded once more\"}",
               operation, narrow_formats[i].name, ceil(bound * 1e9) / 1e9);
    }
}

int main(void) {
    puts("{\n  \"schema\": \"detcheck/policy/1\",\n"
         "  \"notes\": \"made of src/detmath/functions.inc\",\n  \"rules\": [\n"
         "    {\"implementation\": \"cr\", \"rounding\": \"nearest-even\", \"max_ulp\": 0.5, "
         "\"require_correct\": true, \"max_mismatches\": 0},");
    fputs("    {\"implementation\": \"det\", \"rounding\": \"nearest-even\", \"require_faithful\": "
          "true, "
          "\"max_mismatches\": 0}",
          stdout);
    for (int i = 0; i < FUNCTIONS; i++)
        print_rules(functions[i].operation, *functions[i].budget, functions[i].reason);
    puts("\n  ]\n}");
    return fflush(stdout) || ferror(stdout);
}
