/* Built inputs show faults that are few: each row is a function that is right but in some places, and one of the inputs must lie where it
 * is wrong. MPFR says what is right. A row fails if what its operation builds leaves that place out. */
#include "sweep/built/built.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Bits of exact sums, and of others. */
enum { SUM_BITS = 4400, OTHER_BITS = 256, INPUTS = 16384 };

/* One input, its exact result, that rounded once, and the format's precision. */
struct seen {
    double x, y, z, right;
    mpfr_srcptr exact;
    int precision;
};

/* The wrong function's result. */
typedef double fault_function(const struct seen *seen);

/* The exact result cut to so many bits, or rounded to them, and rounded to the format. */
static double twice(const struct seen *seen, int bits, mpfr_rnd_t first) {
    mpfr_t value;
    mpfr_init2(value, bits);
    mpfr_set(value, seen->exact, first);
    const double result = seen->precision == 24 ? (double)mpfr_get_flt(value, MPFR_RNDN)
                                                : mpfr_get_d(value, MPFR_RNDN);
    mpfr_clear(value);
    return result;
}

/* How far |result| is beyond a power of two, of that: between -1/2 and 1. */
static double beyond_power(const struct seen *seen) {
    int exponent;
    const double part = frexp(fabs(seen->right), &exponent);
    return part > 0.75 ? part - 1 : 2 * part - 1;
}

static double by_fp64(const struct seen *seen) {
    return twice(seen, 53, MPFR_RNDN);
}

static double half_by_sqrt(const struct seen *seen) {
    return seen->y == 0.5 ? sqrt(seen->x) : seen->right;
}

static double half_by_rsqrt(const struct seen *seen) {
    return seen->y == -0.5 ? 1 / sqrt(seen->x) : seen->right;
}

static double third_by_cbrt(const struct seen *seen) {
    return seen->y == 1.0 / 3 ? (double)cbrtl(seen->x) : seen->right;
}

/* The first two terms of a power next to 1. */
static double linear(const struct seen *seen, long double product, double most) {
    return fabsl(product) < most && product == product ? (double)(1 + product) : seen->right;
}

static double power_linear(const struct seen *seen) {
    return seen->x > 0 ? linear(seen, seen->y * logl(seen->x), 0x1p-40) : seen->right;
}

static double root_linear(const struct seen *seen) {
    return seen->x > 0 ? linear(seen, logl(seen->x) / seen->y, 0x1p-40) : seen->right;
}

static double integer_power_linear(const struct seen *seen) {
    return linear(seen, (long double)seen->y * (seen->x - 1), 0x1p-40);
}

static double compound_linear(const struct seen *seen) {
    return linear(seen, (long double)seen->y * seen->x, 0x1p-50);
}

static double compound_of_tiny(const struct seen *seen) {
    return fabs(seen->x) < 0x1p-60 ? 1 + seen->y * seen->x : seen->right;
}

/* e^(n x): the logarithm of 1 + x is taken for x. */
static double compound_by_exp(const struct seen *seen) {
    return fabs(seen->x) < 0x1p-40 ? (double)expl((long double)seen->y * seen->x) : seen->right;
}

static double base_taken_for_one(const struct seen *seen) {
    return fabs(seen->x - 1) < 0x1p-50 ? 1 : seen->right;
}

/* Whether an exponent is odd is asked of the int that it becomes. */
static double odd_by_int(const struct seen *seen) {
    const bool is_large = fabs(seen->y) >= 0x1p31 && fabs(seen->y) < 0x1p53;
    return seen->x < 0 && is_large && seen->right < 0 ? -seen->right : seen->right;
}

static double odd_of_root(const struct seen *seen) {
    return seen->y < 0 && seen->right > 1 && seen->right < 1 + 0x1p-51 ? 1 : seen->right;
}

/* Bits of a product or a sum behind the 49th, or the 100th, that fall away are lost. */
static double without_sticky(const struct seen *seen, int bits) {
    return fabs(beyond_power(seen)) < 0x1p-51 ? twice(seen, seen->precision + bits, MPFR_RNDZ)
                                              : seen->right;
}

static double end_product_cut(const struct seen *seen) {
    return without_sticky(seen, 47);
}

static double end_sum_cut(const struct seen *seen) {
    return without_sticky(seen, 100);
}

static double end_sum_cut_fp32(const struct seen *seen) {
    return fabs(beyond_power(seen)) < 0x1p-22 ? twice(seen, 24 + 44, MPFR_RNDZ) : seen->right;
}

/* The product overflows by itself, and the sum does not. */
static double overflows_early(const struct seen *seen) {
    const double product = seen->x * seen->y;
    return isinf(product) && !isinf(seen->right) ? product : seen->right;
}

/* A product that is rounded to a power of two is taken for it. */
static double product_taken_for_power(const struct seen *seen) {
    int exponent;
    const double product = seen->x * seen->y;
    return fabs(frexp(product, &exponent)) == 0.5 && seen->z != 0 ? product + seen->z : seen->right;
}

/* Overflow begins 2^-47 ulp below the midpoint. */
static double threshold_too_low(const struct seen *seen) {
    mpfr_t most;
    mpfr_init2(most, OTHER_BITS);
    mpfr_set_ui_2exp(most, 1, 54, MPFR_RNDN);
    mpfr_sub_d(most, most, 1 + 0x1p-46, MPFR_RNDN);
    mpfr_mul_2ui(most, most, 970, MPFR_RNDN);
    const bool is_over = mpfr_cmpabs(seen->exact, most) >= 0;
    mpfr_clear(most);
    return is_over ? copysign(INFINITY, seen->right) : seen->right;
}

static const struct row {
    const char *operation;
    int format;
    const char *name;
    fault_function *fault;
} rows[] = {{"pow", FORMAT_FP32, "by fp64", by_fp64},
            {"powr", FORMAT_FP32, "by fp64", by_fp64},
            {"pown", FORMAT_FP32, "by fp64", by_fp64},
            {"pow", FORMAT_FP64, "x^0.5 by sqrt", half_by_sqrt},
            {"pow", FORMAT_FP64, "x^-0.5 by 1 / sqrt", half_by_rsqrt},
            {"powr", FORMAT_FP64, "x^-0.5 by 1 / sqrt", half_by_rsqrt},
            {"pow", FORMAT_FP64, "x^(1/3) by cbrt", third_by_cbrt},
            {"powr", FORMAT_FP64, "x^(1/3) by cbrt", third_by_cbrt},
            {"pow", FORMAT_FP64, "linear next to 1", power_linear},
            {"powr", FORMAT_FP64, "linear next to 1", power_linear},
            {"pow", FORMAT_FP64, "x next to 1 is 1", base_taken_for_one},
            {"powr", FORMAT_FP64, "x next to 1 is 1", base_taken_for_one},
            {"pow", FORMAT_FP64, "odd exponents by int", odd_by_int},
            {"pown", FORMAT_FP64, "linear next to 1", integer_power_linear},
            {"rootn", FORMAT_FP64, "linear next to 1", root_linear},
            {"rootn", FORMAT_FP64, "1 + ulp is 1", odd_of_root},
            {"compoundn", FORMAT_FP64, "linear next to 1", compound_linear},
            {"compoundn", FORMAT_FP64, "linear for tiny x", compound_of_tiny},
            {"compoundn", FORMAT_FP64, "e^(n x)", compound_by_exp},
            {"mul", FORMAT_FP64, "cut next to powers of two", end_product_cut},
            {"mul", FORMAT_FP64, "overflow begins too low", threshold_too_low},
            {"fma", FORMAT_FP64, "overflow begins too low", threshold_too_low},
            {"fma", FORMAT_FP64, "cut next to powers of two", end_sum_cut},
            {"fma", FORMAT_FP32, "cut next to powers of two", end_sum_cut_fp32},
            {"fma", FORMAT_FP64, "product overflows", overflows_early},
            {"fma", FORMAT_FP64, "product taken for a power of two", product_taken_for_power}};

static double number_of(const struct format *format, uint64_t code) {
    const struct real value = format_decode(format, code);
    return real_to_double(&value);
}

/* Fills what is seen; false where an operand is no number that MPFR takes. */
static void see(struct seen *seen, const struct operation *operation, const struct format *format,
                const uint64_t *codes, mpfr_ptr exact) {
    const struct result_rule *rule = &operation->result[0];
    double x[MAX_OPERANDS] = {0};
    mpfr_t operands[MAX_OPERANDS];
    for (int i = 0; i < MAX_OPERANDS; i++) {
        x[i] = i < operation->operands ? number_of(format, codes[i]) : 0;
        mpfr_init2(operands[i], 53);
        mpfr_set_d(operands[i], x[i], MPFR_RNDN);
    }
    if (rule->mpfr3)
        rule->mpfr3(exact, operands[0], operands[1], operands[2], MPFR_RNDN);
    else
        rule->mpfr2(exact, operands[0], operands[1], MPFR_RNDN);
    for (int i = 0; i < MAX_OPERANDS; i++)
        mpfr_clear(operands[i]);
    *seen = (struct seen){x[0], x[1], x[2], 0, exact, format->precision};
    seen->right = format->precision == 24 ? (double)mpfr_get_flt(exact, MPFR_RNDN)
                                          : mpfr_get_d(exact, MPFR_RNDN);
}

/* The number of the first input that shows it; INPUTS if none does. */
static unsigned first_shown(const struct row *row) {
    const struct operation *operation = operation_row(row->operation);
    const struct format *format = &formats[row->format];
    const struct built_request request = {operation, format, format, ROUND_NEAREST_EVEN, 1};
    struct builder *builder = builder_open(&request);
    unsigned first = INPUTS;
    mpfr_t exact;
    assert_non_null(builder);
    mpfr_init2(exact, operation->sums ? SUM_BITS : OTHER_BITS);
    for (unsigned number = 0; number < INPUTS && first == INPUTS; number++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        struct seen seen;
        builder_make(builder, number, codes, NULL);
        see(&seen, operation, format, codes, exact);
        const double wrong = row->fault(&seen);
        const bool both_nan = wrong != wrong && seen.right != seen.right;
        if (!both_nan && memcmp(&wrong, &seen.right, sizeof wrong) != 0)
            first = number;
    }
    mpfr_clear(exact);
    builder_close(builder);
    return first;
}

static void test_faults(void **state) {
    unsigned missed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const unsigned first = first_shown(&rows[i]);
        print_message("%s %s, %s: %u\n", rows[i].operation, formats[rows[i].format].name,
                      rows[i].name, first);
        if (first == INPUTS)
            print_error("%s %s, %s: of %d built inputs none shows it\n", rows[i].operation,
                        formats[rows[i].format].name, rows[i].name, INPUTS);
        missed += first == INPUTS;
    }
    assert_int_equal(missed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
