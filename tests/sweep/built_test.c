/* Inputs that are built lie where their solvers say: MPFR computes each result, with as many bits as it has or far more
 * than count, and it is a midpoint or a number plus the distance that was wanted. All distances are there, down to the
 * smallest ones that operands can have. */
#include "sweep/built/built.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A sum of numbers of fp64 has no more bits than the first; no other result is nearer a boundary than the second tell. */
enum { SUM_BITS = 4400, OTHER_BITS = 256, DEEPEST = 256 };

/* Down to which distance from a midpoint there are results of each magnitude: 2^-(times p + plus) ulp, p being the
 * precision, and no further than 2^-most, among so many inputs. */
static const struct row {
    const char *operation;
    int times, plus, most;
    uint64_t inputs;
} rows[] = {
    {"fma", 2, 0, DEEPEST, 12000},
    {"add", 1, -2, DEEPEST, 4000},
    {"sub", 1, -2, DEEPEST, 4000},
    {"mul", 1, -2, DEEPEST, 6000},
    {"div", 1, -2, DEEPEST, 6000},
    {"sqrt", 1, -1, DEEPEST, 6000},
    {"hypot", 1, 0, 40, 4000},
    {"recip", 1, -4, 9, 1500},
    {"rsqrt", 1, -4, 9, 1500},
    {"cbrt", 1, -4, 9, 1500},
    {"pow", 1, -4, 6, 1000},
    {"powr", 1, -4, 6, 1000},
    {"fmod", 0, 0, 0, 1000},
    {"remainder", 0, 0, 0, 1000},
    {"remquo", 0, 0, 0, 1000},
    {"pown", 1, -4, DEEPEST, 2500},
    {"compoundn", 1, -4, DEEPEST, 2500},
    {"rootn", 1, -1, DEEPEST, 3000},
};

/* Of 100 inputs that many are solved for, in formats of that precision. */
enum { LEAST_SOLVED = 95, LEAST_PRECISION = 8 };

struct seen {
    unsigned known, all, midpoints, depths[DEEPEST];
};

static void compute(const struct operation *operation, const struct format *format,
                    const uint64_t *codes, mpfr_ptr result) {
    const struct result_rule *rule = &operation->result[0];
    mpfr_t x[MAX_OPERANDS];
    for (int i = 0; i < MAX_OPERANDS; i++) {
        mpfr_init2(x[i], 128);
        struct real value = format_decode(format, i < operation->operands ? codes[i] : 0);
        real_to_mpfr(x[i], &value);
    }
    if (rule->mpfr1)
        rule->mpfr1(result, x[0], MPFR_RNDN);
    if (rule->mpfr2)
        rule->mpfr2(result, x[0], x[1], MPFR_RNDN);
    if (rule->mpfr3)
        rule->mpfr3(result, x[0], x[1], x[2], MPFR_RNDN);
    for (int i = 0; i < MAX_OPERANDS; i++)
        mpfr_clear(x[i]);
}

/* The distance, in ulps, of the result from the nearest midpoint or number. */
static double distance_of(const struct format *format, mpfr_ptr result, bool midpoint) {
    mpfr_t boundary;
    int exponent = mpfr_zero_p(result) ? format->emin : (int)mpfr_get_exp(result) - 1;
    exponent = exponent < format->emin ? format->emin : exponent;
    exponent = exponent > format->emax ? format->emax : exponent;
    mpfr_init2(boundary, mpfr_get_prec(result));
    mpfr_mul_2si(result, result, format->precision - 1 - exponent, MPFR_RNDN);
    if (midpoint) {
        mpfr_floor(boundary, result);
        mpfr_add_d(boundary, boundary, 0.5, MPFR_RNDN);
    } else
        mpfr_rint(boundary, result, MPFR_RNDN);
    mpfr_sub(result, result, boundary, MPFR_RNDN);
    double distance = mpfr_get_d(result, MPFR_RNDN);
    mpfr_clear(boundary);
    return distance;
}

static void hold(const struct built_request *request, uint64_t number, const uint64_t *codes,
                 const struct built_aim *aim, struct seen *seen) {
    mpfr_t result;
    seen->all++;
    if (!aim->is_known)
        return;
    seen->known++;
    mpfr_init2(result, request->operation->sums ? SUM_BITS : OTHER_BITS);
    compute(request->operation, request->format, codes, result);
    double distance = distance_of(request->results, result, aim->is_midpoint);
    mpfr_clear(result);
    /* Half an ulp from one is half an ulp from the next. */
    bool alike = fabs(distance - aim->distance) <= 0x1p-40 * fabs(aim->distance) ||
                 (fabs(distance) >= 0.5 && fabs(aim->distance) >= 0.5);
    if (!alike)
        fail_msg("%s in %s: input %" PRIu64 ", 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64
                 ", lies %a ulp from a %s and not %a",
                 request->operation->name, request->format->name, number, codes[0], codes[1],
                 codes[2], distance, aim->is_midpoint ? "midpoint" : "number", aim->distance);
    seen->midpoints += aim->is_midpoint;
    double depth = aim->distance < 0 || aim->distance > 0 ? -log2(fabs(aim->distance)) : 0;
    if (aim->is_midpoint && depth < DEEPEST)
        seen->depths[(int)depth]++;
}

static void test_row(const struct row *row, const struct format *format, enum rounding rounding) {
    const struct operation *operation = operation_row(row->operation);
    const struct built_request request = {operation, format, format, rounding, 7};
    struct seen seen = {0};
    assert_true(built_is_for(operation, format));
    struct builder *builder = builder_open(&request);
    assert_non_null(builder);
    for (uint64_t number = 0;
         number < (rounding == ROUND_NEAREST_EVEN ? row->inputs : row->inputs / 8); number++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        struct built_aim aim;
        builder_make(builder, number, codes, &aim);
        hold(&request, number, codes, &aim, &seen);
    }
    builder_close(builder);
    if (format->precision < LEAST_PRECISION)
        return;
    if (seen.known * 100 < seen.all * LEAST_SOLVED)
        fail_msg("%s in %s: %u of %u inputs are solved for", row->operation, format->name,
                 seen.known, seen.all);
    int deepest = row->times * format->precision + row->plus;
    deepest = deepest < row->most ? deepest : row->most;
    for (int depth = 2; rounding == ROUND_NEAREST_EVEN && depth <= deepest; depth++)
        if (!seen.depths[depth])
            fail_msg("%s in %s: no midpoint at 2^-%d ulp", row->operation, format->name, depth);
}

static void test_all(void **state) {
    static const enum rounding roundings[] = {ROUND_NEAREST_EVEN, ROUND_UP, ROUNDING_COUNT};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < format_count; j++)
            for (size_t k = 0; k < sizeof roundings / sizeof *roundings; k++)
                if (formats[j].sign_bit)
                    test_row(&rows[i], &formats[j], roundings[k]);
}

/* To every format from every other one that is no narrower, at each distance that the wider one has. */
static void test_casts(void **state) {
    (void)state;
    for (size_t i = 0; i < format_count * format_count; i++) {
        const struct format *from = &formats[i / format_count], *to = &formats[i % format_count];
        const struct built_request request = {operation_row("cast"), from, to, ROUND_NEAREST_EVEN,
                                              5};
        struct seen seen = {0};
        struct builder *builder = builder_open(&request);
        assert_non_null(builder);
        for (uint64_t number = 0; number < 1500; number++) {
            uint64_t codes[MAX_OPERANDS] = {0};
            struct built_aim aim;
            builder_make(builder, number, codes, &aim);
            hold(&request, number, codes, &aim, &seen);
        }
        builder_close(builder);
        for (int depth = 2; depth < from->precision - to->precision && format_is_within(to, from);
             depth++)
            if (!seen.depths[depth])
                fail_msg("%s to %s: no midpoint at 2^-%d ulp", from->name, to->name, depth);
    }
}

/* The code of the number nearest to a power of two and some halves. */
static uint64_t code_beside(const struct format *format, int power, int halves, bool negative) {
    mpfr_t value;
    mpfr_init2(value, OTHER_BITS);
    mpfr_set_ui_2exp(value, 1, power, MPFR_RNDN);
    mpfr_add_d(value, value, halves / 2.0, MPFR_RNDN);
    mpfr_setsign(value, value, negative, MPFR_RNDN);
    uint64_t code = format_encode_mpfr(format, value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    mpfr_clear(value);
    return code;
}

/* Whether the builder comes to a code among so many inputs, each of which lies where its aim says. */
static void test_end(const struct built_request *request, uint64_t wanted) {
    struct seen seen = {0};
    struct builder *builder = builder_open(request);
    bool found = false;
    assert_non_null(builder);
    for (uint64_t number = 0; number < 6000 && !found; number++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        struct built_aim aim;
        builder_make(builder, number, codes, &aim);
        hold(request, number, codes, &aim, &seen);
        found = codes[0] == wanted;
    }
    builder_close(builder);
    if (!found)
        fail_msg("%s to %s: 0x%" PRIx64 " is not built", request->format->name,
                 request->results->name, wanted);
}

/* To integers: next to both ends of each, in whole units and in halves. */
static void test_integer_ends(void **state) {
    (void)state;
    static const int from[] = {FORMAT_FP16, FORMAT_FP32, FORMAT_FP64};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        for (size_t j = 0; j < integer_format_count; j++) {
            const struct format *to = &integer_formats[j], *format = &formats[from[i]];
            const struct built_request request = {operation_row("cast"), format, to,
                                                  j % 2 ? ROUND_TOWARD_ZERO : ROUND_NEAREST_EVEN,
                                                  9};
            const int power = (int)to->width - (to->sign_bit != 0);
            for (int halves = -2; power <= format->emax && halves <= 2; halves++)
                for (int negative = 0; negative < 2; negative++)
                    test_end(&request, code_beside(format, power, halves, negative));
        }
}

/* Rests next to 0, to the divisor and to its middle, with quotients of every length. */
static void test_remainders(void **state) {
    (void)state;
    const struct format *format = &formats[FORMAT_FP32];
    const struct built_request request = {operation_row("fmod"), format, format, ROUND_NEAREST_EVEN,
                                          5};
    unsigned small[24] = {0}, great[24] = {0}, middle[24] = {0}, lengths[256] = {0};
    struct builder *builder = builder_open(&request);
    assert_non_null(builder);
    for (uint64_t number = 0; number < 20000; number++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        builder_make(builder, number, codes, NULL);
        struct real x = format_decode(format, codes[0]), y = format_decode(format, codes[1]);
        double dividend = fabs(real_to_double(&x)), divisor = fabs(real_to_double(&y));
        double rest = fmod(dividend, divisor) / divisor, half = fabs(rest - 0.5);
        int length = x.exponent - y.exponent;
        if (length >= 0 && length < 256)
            lengths[length]++;
        if (rest > 0 && rest < 1 && length > 24) {
            small[(int)fmin(-log2(rest), 23)]++;
            great[(int)fmin(-log2(1 - rest), 23)]++;
            middle[half > 0 ? (int)fmin(-log2(half), 23) : 23]++;
        }
    }
    builder_close(builder);
    for (int i = 2; i < 24; i++)
        assert_true(small[i] && great[i] && middle[i]);
    for (int i = 0; i < 220; i++)
        assert_true(lengths[i]);
}

/* Results that are numbers or midpoints, and those that lie nearest to one without being one, by MPFR alone. */
static void count_exact(const char *name, unsigned exact[2], unsigned beside[2],
                        unsigned negative[2]) {
    const struct format *format = &formats[FORMAT_FP64];
    const struct built_request request = {operation_row(name), format, format, ROUNDING_COUNT, 3};
    struct builder *builder = builder_open(&request);
    assert_non_null(builder);
    for (uint64_t number = 0; number < 4000; number++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        struct built_aim aim;
        mpfr_t result;
        builder_make(builder, number, codes, &aim);
        const struct real x = format_decode(format, codes[0]), n = format_decode(format, codes[1]);
        if (!aim.is_known)
            continue;
        assert_true(n.kind == REAL_FINITE && n.exponent < 63 &&
                    trunc(real_to_double(&n)) == real_to_double(&n));
        mpfr_init2(result, OTHER_BITS);
        compute(request.operation, format, codes, result);
        const double distance = fabs(distance_of(format, result, aim.is_midpoint));
        mpfr_clear(result);
        exact[aim.is_midpoint] += !(distance > 0);
        beside[aim.is_midpoint] += distance > 0 && distance < 0x1p-30;
        negative[0] += x.negative;
        negative[1] += n.negative;
    }
    builder_close(builder);
}

/* Powers that are numbers or midpoints, and roots that are numbers; those of p + 1 bits have no power of p bits. */
static void test_integer_powers(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"pown", "compoundn", "rootn"};
        unsigned exact[2] = {0}, beside[2] = {0}, negative[2] = {0};
        count_exact(names[i], exact, beside, negative);
        assert_true(exact[0] > 100 && beside[0] > 100 && beside[1] > 100);
        assert_true(i == 2 ? !exact[1] : exact[1] > 100);
        assert_true(negative[0] > 100 && negative[1] > 100);
    }
}

/* All last three bits of quotients, of either sign, with rests next to 0 and next to the middle of the divisor; MPFR
 * divides. */
static void test_quotients(void **state) {
    (void)state;
    const struct format *format = &formats[FORMAT_FP32];
    const struct built_request request = {operation_row("remquo"), format, format,
                                          ROUND_NEAREST_EVEN, 5};
    unsigned seen[2][2][8] = {0};
    struct builder *builder = builder_open(&request);
    mpfr_t x, y, rest;
    mpfr_inits2(64, x, y, rest, (mpfr_ptr)0);
    assert_non_null(builder);
    for (uint64_t number = 0; number < 8000; number++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        long quotient;
        builder_make(builder, number, codes, NULL);
        const struct real a = format_decode(format, codes[0]), b = format_decode(format, codes[1]);
        mpfr_set_d(x, real_to_double(&a), MPFR_RNDN);
        mpfr_set_d(y, real_to_double(&b), MPFR_RNDN);
        mpfr_remquo(rest, &quotient, x, y, MPFR_RNDN);
        const double part = fabs(mpfr_get_d(rest, MPFR_RNDN) / real_to_double(&b));
        if (part < 0x1p-10 || fabs(part - 0.5) < 0x1p-10)
            seen[part > 0.25][quotient < 0][labs(quotient) % 8]++;
    }
    mpfr_clears(x, y, rest, (mpfr_ptr)0);
    builder_close(builder);
    for (int i = 0; i < 32; i++)
        assert_true((&seen[0][0][0])[i] > 5 || i % 16 == 8); /* of 0 nothing says the sign */
}

/* The same number gives the same input, whichever came before it. */
static void test_by_number(void **state) {
    (void)state;
    const struct built_request request = {operation_row("fma"), &formats[FORMAT_FP32],
                                          &formats[FORMAT_FP32], ROUND_DOWN, 3};
    struct builder *builder = builder_open(&request);
    assert_non_null(builder);
    for (uint64_t number = 0; number < 100; number++) {
        uint64_t a[MAX_OPERANDS], b[MAX_OPERANDS], between[MAX_OPERANDS];
        builder_make(builder, number, a, NULL);
        builder_make(builder, number + 1, between, NULL);
        builder_make(builder, number, b, NULL);
        assert_memory_equal(a, b, sizeof a);
        assert_true(memcmp(a, between, sizeof a) != 0);
    }
    builder_close(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all),
                                       cmocka_unit_test(test_casts),
                                       cmocka_unit_test(test_integer_ends),
                                       cmocka_unit_test(test_remainders),
                                       cmocka_unit_test(test_integer_powers),
                                       cmocka_unit_test(test_quotients),
                                       cmocka_unit_test(test_by_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
