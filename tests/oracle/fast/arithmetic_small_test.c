/* Arithmetic in narrow formats: the exact sum, difference and product of two numbers is a double,
 * and the nearest number is looked up among all. fmod and remainder, in every width, by integer
 * division. */
#include "../../base/random.h"
#include "../../format/ladder.h"
#include "op/operation.h"
#include "oracle/exact.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { SAMPLES = 20000 };

static double exact(char operation, double a, double b) {
    return operation == '+' ? a + b : operation == '-' ? a - b : a * b;
}

/* The code of an exact result, zero and infinity as IEEE 754 has them. */
static uint64_t wanted(const struct ladder *ladder, char operation, double a, double b,
                       enum rounding rounding, enum overflow overflow) {
    double value = exact(operation, a, b);
    if (isnan(value))
        return layout_nan(ladder->layout);
    bool negative = signbit(value) != 0;
    if (value == 0 && operation != '*' && rounding == ROUND_DOWN)
        negative = signbit(a) || signbit(operation == '-' ? -b : b);
    if (isinf(value))
        return ladder_code(ladder, ladder->count, negative, ROUND_NEAREST_EVEN, overflow);
    size_t index = ladder_round(ladder, fabs(value), false, negative, rounding);
    return ladder_code(ladder, index, negative, rounding, overflow);
}

static void check_pair(struct oracle *oracle, const struct ladder *ladder, char operation,
                       const uint64_t *codes) {
    double a = layout_value(ladder->layout, codes[0]), b = layout_value(ladder->layout, codes[1]);
    struct real y;
    struct error error;
    assert_true(oracle_exact(oracle, codes, 0, &y, &error));
    for (enum rounding r = 0; r < ROUNDING_COUNT; r++)
        for (enum overflow o = OVERFLOW_IEEE; o <= OVERFLOW_SATURATE; o++)
            if (format_encode(ladder->format, &y, r, o) != wanted(ladder, operation, a, b, r, o))
                fail_msg("%a %c %a in %s %s", a, operation, b, ladder->format->name,
                         rounding_names[r]);
}

static void check_operation(const struct ladder *ladder, const char *name, char operation) {
    struct oracle oracle;
    struct error error;
    uint64_t seed = 21, all = UINT64_C(1) << layout_width(ladder->layout);
    oracle_open(&oracle, operation_find(name, &error), ladder->format, NULL,
                oracle_precision(ladder->format));
    if (all == 256) {
        for (uint64_t n = 0; n < all * all; n++)
            check_pair(&oracle, ladder, operation, (const uint64_t[]){n / all, n % all});
    } else {
        for (int n = 0; n < SAMPLES; n++)
            check_pair(&oracle, ladder, operation,
                       (const uint64_t[]){random_bits(&seed) % all, random_bits(&seed) % all});
    }
    oracle_close(&oracle);
}

/* bf16 is left out: the sum of two of its numbers is no double. */
static void test_narrow_arithmetic(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct ladder ladder = ladder_make(&layouts[i]);
        check_operation(&ladder, "add", '+');
        check_operation(&ladder, "sub", '-');
        check_operation(&ladder, "mul", '*');
        ladder_free(&ladder);
    }
    oracle_thread_end();
}

/* x as an integer times 2^-1074. */
static void scaled(mpz_t z, double x) {
    int exponent;
    double fraction = frexp(x, &exponent);
    mpz_set_d(z, ldexp(fraction, 53));
    exponent += 1074 - 53;
    if (exponent >= 0)
        mpz_mul_2exp(z, z, (mp_bitcnt_t)exponent);
    else
        mpz_tdiv_q_2exp(z, z, (mp_bitcnt_t)-exponent);
}

/* The remainder of the truncated or the nearest-even quotient; a zero has the sign of x. */
static double remainder_of(double x, double y, bool nearest) {
    mpz_t a, b, q, r, twice;
    mpz_inits(a, b, q, r, twice, NULL);
    scaled(a, x);
    scaled(b, y);
    mpz_abs(b, b);
    mpz_tdiv_qr(q, r, a, b);
    mpz_mul_ui(twice, r, 2);
    int half = mpz_cmpabs(twice, b);
    if (nearest && (half > 0 || (half == 0 && mpz_odd_p(q)))) {
        if (mpz_sgn(r) > 0)
            mpz_sub(r, r, b);
        else
            mpz_add(r, r, b);
    }
    long exponent;
    double fraction = mpz_get_d_2exp(&exponent, r);
    double result = ldexp(fraction, (int)exponent - 1074);
    if (mpz_sgn(r) == 0)
        result = copysign(0.0, x);
    mpz_clears(a, b, q, r, twice, NULL);
    return result;
}

static void check_remainder(struct oracle *oracle, const struct layout *layout, bool nearest,
                            const uint64_t *codes) {
    double x = layout_value(layout, codes[0]), y = layout_value(layout, codes[1]);
    if (!isfinite(x) || !isfinite(y) || y == 0)
        return;
    double want = remainder_of(x, y, nearest);
    struct real result, exact_want = exact_real(want);
    struct error error;
    assert_true(oracle_exact(oracle, codes, 0, &result, &error));
    bool zero_lost = want == 0 && layout->kind == LAYOUT_FNUZ;
    for (enum rounding r = 0; r < ROUNDING_COUNT; r++) {
        uint64_t code = format_encode(oracle->format, &result, r, OVERFLOW_IEEE);
        if (!same_double(layout_value(layout, code), zero_lost ? 0 : want))
            fail_msg("%s(%a, %a) in %s %s", oracle->operation->name, x, y, layout->name,
                     rounding_names[r]);
    }
    assert_true(result.kind == exact_want.kind && !result.inexact && !result.cancelled);
}

static void check_remainders(const char *name, bool nearest) {
    for (int i = 0; i < LAYOUTS; i++) {
        struct oracle oracle;
        struct error error;
        const struct format *format = layout_format(&layouts[i]);
        uint64_t seed = 22, mask = UINT64_MAX >> (64 - layout_width(&layouts[i]));
        oracle_open(&oracle, operation_find(name, &error), format, NULL, oracle_precision(format));
        for (int n = 0; n < SAMPLES / 2; n++) {
            uint64_t codes[] = {random_bits(&seed) & mask, random_bits(&seed) & mask};
            /* Half of them of like size, where quotients are small and ties happen. */
            if (n & 1)
                codes[1] = codes[0] ^ (random_bits(&seed) & mask >> (layouts[i].exponent_bits + 1));
            check_remainder(&oracle, &layouts[i], nearest, codes);
        }
        oracle_close(&oracle);
    }
    oracle_thread_end();
}

static void test_fmod(void **state) {
    (void)state;
    check_remainders("fmod", false);
}

static void test_remainder(void **state) {
    (void)state;
    check_remainders("remainder", true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_narrow_arithmetic),
        cmocka_unit_test(test_fmod),
        cmocka_unit_test(test_remainder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
