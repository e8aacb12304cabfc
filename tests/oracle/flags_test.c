/* The flags that a call has to raise: against the processor for the operations that it has, in the
 * four roundings of C; and the cases that IEEE 754 and Annex F name, by name. */
#include "../format/processor_flags.h"
#include "oracle/flags.h"

#include "../base/random.h"
#include "../format/layout.h"
#include "oracle/exact.h"
#include "platform/tininess.h"

#include <errno.h>
#include <fenv.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { PAIRS = 30000 };

/* Runs one operation of the processor on codes, and gives back the flags. */
typedef uint8_t hardware_function(const uint64_t *codes);

/* `volatile` makes the processor compute, and between the two calls. */
#define HARDWARE(NAME, NUMBER, OF_CODE, RESULT, EXPRESSION)                                        \
    static uint8_t NAME(const uint64_t *codes) {                                                   \
        volatile NUMBER a = OF_CODE(codes[0]), b = OF_CODE(codes[1]), c = OF_CODE(codes[2]);       \
        volatile RESULT result;                                                                    \
        feclearexcept(FE_ALL_EXCEPT);                                                              \
        result = EXPRESSION;                                                                       \
        uint8_t flags = raised_now();                                                              \
        (void)result;                                                                              \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        return flags;                                                                              \
    }
#define HARDWARE_PAIR(NAME, ON_FLOATS, ON_DOUBLES)                                                 \
    HARDWARE(NAME##_fp32, float, float_of_code, float, ON_FLOATS)                                  \
    HARDWARE(NAME##_fp64, double, double_of_code, double, ON_DOUBLES)
HARDWARE_PAIR(add, a + b, a + b)
HARDWARE_PAIR(sub, a - b, a - b)
HARDWARE_PAIR(mul, a *b, a *b)
HARDWARE_PAIR(div, a / b, a / b)
HARDWARE_PAIR(sqrt, sqrtf(a), sqrt(a))
HARDWARE_PAIR(fma, fmaf(a, b, c), fma(a, b, c))
HARDWARE_PAIR(rint, rintf(a), rint(a))
HARDWARE(llrint_fp32, float, float_of_code, long long, llrintf(a))
HARDWARE(llrint_fp64, double, double_of_code, long long, llrint(a))
HARDWARE(narrow, double, double_of_code, float, (float)a)
HARDWARE(widen, float, float_of_code, double, (double)a)

static const struct {
    const char *operation, *format, *results;
    hardware_function *call;
} hardware[] = {
    {"add", "fp32", "fp32", add_fp32},       {"add", "fp64", "fp64", add_fp64},
    {"sub", "fp32", "fp32", sub_fp32},       {"sub", "fp64", "fp64", sub_fp64},
    {"mul", "fp32", "fp32", mul_fp32},       {"mul", "fp64", "fp64", mul_fp64},
    {"div", "fp32", "fp32", div_fp32},       {"div", "fp64", "fp64", div_fp64},
    {"sqrt", "fp32", "fp32", sqrt_fp32},     {"sqrt", "fp64", "fp64", sqrt_fp64},
    {"fma", "fp32", "fp32", fma_fp32},       {"fma", "fp64", "fp64", fma_fp64},
    {"rint", "fp32", "fp32", rint_fp32},     {"rint", "fp64", "fp64", rint_fp64},
    {"cast", "fp64", "fp32", narrow},        {"cast", "fp32", "fp64", widen},
    {"llrint", "fp32", "fp32", llrint_fp32}, {"llrint", "fp64", "fp64", llrint_fp64},
};

struct run {
    struct oracle oracle;
    struct flag_setting setting;
};

static const struct format *find(const char *name) {
    struct error error;
    return format_find(name, &error);
}

static void run_open(struct run *run, const char *operation, const char *format,
                     const char *results) {
    struct error error;
    run->setting = (struct flag_setting){
        .operation = operation_find(operation, &error),
        .format = find(format),
        .results = find(results),
        .rules = {.tiny_after_rounding = tininess_is_after_rounding(), .inexact = true}};
    oracle_open(&run->oracle, run->setting.operation, run->setting.format, NULL,
                oracle_precision(run->setting.results));
}

static struct flag_expectation expected(struct run *run, const uint64_t *codes,
                                        enum rounding rounding) {
    struct real exact[MAX_RESULTS];
    struct error error;
    run->setting.rounding = run->oracle.rounding = rounding;
    for (int i = 0; i < run->setting.operation->results; i++)
        assert_true(oracle_exact(&run->oracle, codes, i, &exact[i], &error));
    return oracle_flags(&run->setting, codes, exact);
}

/* Ends of binades and ranges, some bits, or few bits: where results are exact, tiny, or nearly. */
static uint64_t draw(const struct format *format, uint64_t *seed) {
    int fraction = format->precision - 1;
    uint64_t bits = random_bits(seed), mask = format_mask(format);
    uint64_t exponents = (mask >> 1) >> fraction;
    static const int near_ends[] = {0, 1, 2, -1, -2};
    switch (random_bits(seed) % 8) {
    case 0: /* special codes and what lies beside them */
        return ((bits % 3 ? (bits >> 8) % (exponents + 1) << fraction : 0) + (bits >> 32) % 3 - 1 +
                (bits >> 40 & 1 ? format->sign_bit : 0)) &
               mask;
    case 1: { /* the lowest and the highest binades */
        uint64_t exponent = (exponents + 1 + (uint64_t)near_ends[bits % 5]) % (exponents + 1);
        return exponent << fraction | (random_bits(seed) & ((UINT64_C(1) << fraction) - 1)) |
               (bits >> 32 & 1 ? format->sign_bit : 0);
    }
    case 2: /* few bits, near 1: exact results */
    case 3:
        return ((uint64_t)(format->exponent_bias + (int)(bits % 16) - 8) << fraction |
                (random_bits(seed) & (UINT64_C(7) << (fraction - 3)))) |
               (bits >> 32 & 1 ? format->sign_bit : 0);
    case 4: /* near 1, all bits */
        return ((uint64_t)(format->exponent_bias + (int)(bits % 64) - 32) << fraction |
                (random_bits(seed) & ((UINT64_C(1) << fraction) - 1))) |
               (bits >> 32 & 1 ? format->sign_bit : 0);
    case 5: /* half the exponent: products and roots at the ends */
        return ((uint64_t)((int)exponents / (bits & 1 ? 4 : 2) + (int)(bits >> 8 & 63) - 32)
                    << fraction |
                (random_bits(seed) & ((UINT64_C(1) << fraction) - 1))) |
               (bits >> 32 & 1 ? format->sign_bit : 0);
    default:
        return bits & mask;
    }
}

static void check_hardware(struct run *run, hardware_function *call, const uint64_t *codes) {
    for (int i = 0; i < MODES; i++) {
        fesetround(modes[i].hardware);
        uint8_t got = call(codes);
        fesetround(FE_TONEAREST);
        struct flag_expectation want = expected(run, codes, modes[i].rounding);
        char text[2][FLAGS_TEXT];
        if ((want.required & ~got) || (got & ~want.permitted))
            fail_msg("%s in %s of 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " %s: %s required, %s",
                     run->setting.operation->name, run->setting.format->name, codes[0], codes[1],
                     codes[2], rounding_names[modes[i].rounding],
                     flags_text(want.required, text[0]), flags_text(got, text[1]));
    }
}

static void test_operations_of_the_processor(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof hardware / sizeof *hardware; i++) {
        struct run run;
        uint64_t seed = 754 + i;
        run_open(&run, hardware[i].operation, hardware[i].format, hardware[i].results);
        for (int n = 0; n < PAIRS / run.setting.operation->operands; n++) {
            uint64_t codes[MAX_OPERANDS] = {0};
            for (int j = 0; j < run.setting.operation->operands; j++)
                codes[j] = draw(run.setting.format, &seed);
            check_hardware(&run, hardware[i].call, codes);
        }
        oracle_close(&run.oracle);
    }
    oracle_thread_end();
}

/* Operands as the bits of fp32; what is required, and what may be raised besides. Inexact is judged
 * where the third text does not leave it open. */
static const struct {
    const char *operation;
    uint32_t operands[3];
    enum rounding rounding;
    const char *required, *open, *errnos;
} cases[] = {
    /* IEEE 754-2019, 6.2: signalling NaNs, where a quiet one is disregarded too */
    {"pow", {0x3f800000, 0x7f800001}, 0, "invalid", "none", "none EDOM"},
    {"pow", {0x3f800000, 0x7fc00000}, 0, "none", "inexact", "none"},
    {"hypot", {0x7f800000, 0x7fa00000}, 0, "invalid", "none", "none EDOM"},
    {"fmin", {0x7f800001, 0x3f800000}, 0, "invalid", "none", "none EDOM"},
    {"fmin", {0x7fc00000, 0x3f800000}, 0, "none", "none", "none"},
    {"fminimum_num", {0x3f800000, 0xff800001}, 0, "invalid", "none", "none EDOM"},
    {"nextup", {0x7f800001}, 0, "invalid", "none", "none EDOM"},
    {"modf", {0x7f800001}, 0, "invalid", "none", "none EDOM"},
    {"sincos", {0x7f800001}, 0, "invalid", "none", "none EDOM"},
    /* 7.2 */
    {"fma", {0, 0x7f800000, 0x7fc00000}, 0, "none", "invalid", "none EDOM"},
    {"fma", {0, 0x7f800000, 0x3f800000}, 0, "invalid", "none", "none EDOM"},
    {"fma", {0x7f800000, 0x3f800000, 0xff800000}, 0, "invalid", "none", "none EDOM"},
    {"sqrt", {0xbf800000}, 0, "invalid", "none", "EDOM"},
    {"sqrt", {0x80000000}, 0, "none", "none", "none"},
    {"remainder", {0x7f800000, 0x3f800000}, 0, "invalid", "none", "none EDOM"},
    {"fmod", {0x3f800000, 0}, 0, "invalid", "none", "none EDOM"},
    {"fmod", {0x3f8ccccd, 0x3dcccccd}, 0, "none", "none", "none"},
    {"remquo", {0x3f800000, 0}, 0, "invalid", "none", "none EDOM"},
    {"remquo", {0x7fc00000, 0}, 0, "none", "none", "none"},
    {"sin", {0x7f800000}, 0, "invalid", "inexact", "EDOM"},
    {"log", {0xbf800000}, 0, "invalid", "inexact", "EDOM"},
    {"acosh", {0}, 0, "invalid", "inexact", "EDOM"},
    {"tgamma", {0xbf800000}, 0, "invalid", "inexact", "EDOM"},
    {"powr", {0, 0}, 0, "invalid", "inexact", "EDOM"},
    {"rootn", {0x3f800000, 0}, 0, "invalid", "inexact", "EDOM"},
    /* C23, F.10.5.8, 7.12.7.8, and what its committee's issue 1011 leaves open */
    {"rootn", {0x7fc00000, 0}, 0, "invalid", "inexact", "EDOM"},
    {"rootn", {0x7fc00000, 0x80000000}, 0, "invalid", "inexact", "EDOM"},
    {"rootn", {0x7f800001, 0}, 0, "invalid", "none", "none EDOM"},
    {"rootn", {0x7fc00000, 0x40000000}, 0, "none", "inexact", "none"},
    {"powr", {0xbf800000, 0x7fc00000}, 0, "none", "invalid inexact", "none EDOM"},
    {"powr", {0xff800000, 0x7fc00000}, 0, "none", "invalid inexact", "none EDOM"},
    {"powr", {0xbf800000, 0x40000000}, 0, "invalid", "inexact", "EDOM"},
    {"powr", {0x80000000, 0x7fc00000}, 0, "none", "inexact", "none"},
    {"powr", {0x7fc00000, 0xbf800000}, 0, "none", "inexact", "none"},
    {"compoundn", {0x7fc00000, 0}, 0, "none", "inexact", "none"},
    {"compoundn", {0xc0000000, 0}, 0, "invalid", "inexact", "EDOM"},
    {"pown", {0x7fc00000, 0}, 0, "none", "inexact", "none"},
    /* 7.3: exact infinities of finite operands */
    {"div", {0x3f800000, 0x80000000}, 0, "divide-by-zero", "none", "none ERANGE"},
    {"div", {0x7f800000, 0}, 0, "none", "none", "none"},
    {"div", {0, 0}, 0, "invalid", "none", "none EDOM"},
    {"log", {0x80000000}, 0, "divide-by-zero", "inexact", "ERANGE"},
    {"log1p", {0xbf800000}, 0, "divide-by-zero", "inexact", "ERANGE"},
    {"atanh", {0x3f800000}, 0, "divide-by-zero", "inexact", "ERANGE"},
    {"tanpi", {0x3f000000}, 0, "divide-by-zero", "inexact", "ERANGE"},
    {"tgamma", {0x80000000}, 0, "divide-by-zero", "inexact", "ERANGE"},
    {"lgamma", {0xc0400000}, 0, "divide-by-zero", "inexact", "ERANGE"},
    {"lgamma", {0xff800000}, 0, "none", "inexact", "none"},
    {"logb", {0}, 0, "divide-by-zero", "none", "none ERANGE"},
    {"logb", {0xff800000}, 0, "none", "none", "none"},
    {"pow", {0x80000000, 0xc0400000}, 0, "divide-by-zero", "inexact", "ERANGE"},
    {"pow", {0, 0xff800000}, 0, "none", "divide-by-zero inexact", "none ERANGE"},
    {"pown", {0, 0xbf800000}, 0, "divide-by-zero", "inexact", "ERANGE"},
    {"y0", {0}, 0, "divide-by-zero", "inexact", "none ERANGE"},
    /* 7.4: overflow, also where the largest finite number is what is returned */
    {"exp", {0x43000000}, 0, "overflow", "inexact", "ERANGE"},
    {"exp", {0x43000000}, ROUND_TOWARD_ZERO, "overflow", "inexact", "none ERANGE"},
    {"exp", {0x7f800000}, 0, "none", "inexact", "none"},
    {"mul", {0x7f7fffff, 0x3f800001}, ROUND_DOWN, "overflow inexact", "none", "none ERANGE"},
    /* Rounded as if the exponent had no upper bound, 2^128 - 2^102 is the largest finite number. */
    {"add", {0x7f7fffff, 0x72800000}, 0, "inexact", "none", "none"},
    {"add", {0x7f7fffff, 0x72800000}, ROUND_UP, "overflow inexact", "none", "none ERANGE"},
    /* 7.5, and F.10: underflow of exact subnormal numbers */
    {"exp", {0xc2b40000}, 0, "underflow", "inexact", "none ERANGE"},
    {"exp2", {0xc3030000}, 0, "none", "underflow inexact", "none ERANGE"},
    {"sin", {1}, 0, "underflow", "inexact", "none ERANGE"},
    {"asin", {0x80000000}, 0, "none", "inexact", "none"},
    {"hypot", {1, 0}, 0, "none", "underflow inexact", "none ERANGE"},
    {"mul", {1, 0x3f800000}, 0, "none", "none", "none"},
    {"mul", {3, 0x3f000000}, 0, "underflow inexact", "none", "none ERANGE"},
    {"fmod", {3, 2}, 0, "none", "none", "none"},
    {"sincos", {1}, 0, "underflow", "inexact", "none ERANGE"},
    {"scalbn", {0x3f800001, 0xc3020000}, 0, "underflow inexact", "none", "none ERANGE"},
    {"ldexp", {0x3f800000, 0xc3020000}, 0, "none", "none", "none"},
    {"ldexp", {0x3f800000, 0x43000000}, 0, "overflow inexact", "none", "none ERANGE"},
    /* No call of C: the second operand is no int. */
    {"ldexp",
     {0x3f800000, 0x3f000000},
     0,
     "none",
     "invalid divide-by-zero overflow underflow inexact",
     "none EDOM ERANGE other"},
    {"jn",
     {0x3f000000, 0x3f800000},
     0,
     "none",
     "invalid divide-by-zero overflow underflow inexact",
     "none EDOM ERANGE other"},
    {"yn", {0x40000000, 0}, 0, "divide-by-zero", "inexact", "none ERANGE"},
    /* 5.9, F.10.6: integers */
    {"rint", {0x3fc00000}, 0, "inexact", "none", "none"},
    {"rint", {0x40000000}, 0, "none", "none", "none"},
    {"rint", {0x80000001}, 0, "inexact", "none", "none"},
    {"nearbyint", {0x3fc00000}, 0, "none", "none", "none"},
    {"floor", {0x3fc00000}, 0, "none", "none", "none"},
    {"roundeven", {0x3fc00000}, 0, "none", "none", "none"},
    {"lrint", {0x3fc00000}, 0, "inexact", "none", "none"},
    {"lrint", {0x5f000000}, 0, "invalid", "none", "none EDOM ERANGE"},
    {"lrint", {0x7fc00000}, 0, "invalid", "none", "none EDOM ERANGE"},
    {"lround", {0x3fc00000}, 0, "none", "inexact", "none"},
    {"lround", {0x40000000}, 0, "none", "inexact", "none"},
    {"llround", {0x7f800000}, 0, "invalid", "inexact", "none EDOM ERANGE"},
    {"ilogb", {0}, 0, "invalid", "none", "none EDOM ERANGE"},
    {"ilogb", {0x7fc00000}, 0, "invalid", "none", "none EDOM ERANGE"},
    {"ilogb", {0xff800000}, 0, "invalid", "none", "none EDOM ERANGE"},
    /* F.10.3, F.10.8: parts and neighbours */
    {"frexp", {0x7f800000}, 0, "none", "none", "none"},
    {"modf", {0x3fc00000}, 0, "none", "none", "none"},
    {"nextafter", {0x7f7fffff, 0x7f800000}, 0, "overflow inexact", "none", "none ERANGE"},
    {"nextafter", {0x00800000, 0}, 0, "underflow inexact", "none", "none ERANGE"},
    {"nextafter", {1, 0x3f800000}, 0, "underflow inexact", "none", "none ERANGE"},
    {"nextafter", {1, 1}, 0, "none", "none", "none"},
    {"nextafter", {0, 0x80000000}, 0, "none", "none", "none"},
    {"nextafter", {0x3f800000, 0x40000000}, 0, "none", "none", "none"},
    {"nextup", {0x7f7fffff}, 0, "none", "none", "none"},
    {"nextdown", {0x00800000}, 0, "none", "none", "none"},
};

static const char *errnos_text(uint8_t errnos, char *text) {
    *text = '\0';
    for (int i = 0; i < ERRNO_KINDS; i++)
        if (errnos >> i & 1) {
            strcat(text, *text ? " " : "");
            strcat(text, errno_names[i]);
        }
    return text;
}

static void test_cases_of_the_standards(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run run;
        uint64_t codes[MAX_OPERANDS];
        char required[FLAGS_TEXT], open[FLAGS_TEXT], errnos[FLAGS_TEXT];
        run_open(&run, cases[i].operation, "fp32", "fp32");
        run.setting.rules.inexact = false;
        for (int j = 0; j < MAX_OPERANDS; j++)
            codes[j] = cases[i].operands[j];
        struct flag_expectation want = expected(&run, codes, cases[i].rounding);
        flags_text(want.required, required);
        flags_text((uint8_t)(want.permitted & ~want.required), open);
        if (strcmp(required, cases[i].required) != 0 || strcmp(open, cases[i].open) != 0 ||
            strcmp(errnos_text(want.errnos, errnos), cases[i].errnos) != 0)
            fail_msg("%s of 0x%" PRIx64 " 0x%" PRIx64 ": %s, open %s, errno %s", cases[i].operation,
                     codes[0], codes[1], required, open, errnos);
        oracle_close(&run.oracle);
    }
    oracle_thread_end();
}

/* --inexact: functions then have to raise it where the result is inexact, and not else. */
static void test_inexact_of_functions_when_judged(void **state) {
    (void)state;
    static const struct {
        const char *operation;
        uint32_t operand;
        const char *required;
    } judged[] = {{"exp", 0x3f800000, "inexact"},    {"exp", 0, "none"},
                  {"exp2", 0x40400000, "none"},      {"log2", 0x41000000, "none"},
                  {"cospi", 0x3f000000, "none"},     {"atan", 0x7f800000, "inexact"},
                  {"lround", 0x3fc00000, "inexact"}, {"lround", 0x40000000, "none"}};
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++) {
        struct run run;
        uint64_t codes[MAX_OPERANDS] = {judged[i].operand};
        char text[FLAGS_TEXT];
        run_open(&run, judged[i].operation, "fp32", "fp32");
        struct flag_expectation want = expected(&run, codes, ROUND_NEAREST_EVEN);
        assert_string_equal(flags_text(want.required, text), judged[i].required);
        assert_int_equal(want.permitted, want.required);
        oracle_close(&run.oracle);
    }
    oracle_thread_end();
}

/* A conversion to a format that has no infinity, NaN or sign to give: the standard does not say. */
static void test_conversions_beyond_the_standard(void **state) {
    (void)state;
    static const struct {
        const char *results;
        uint32_t operand;
        bool open;
    } conversions[] = {{"fp8_e4m3fn", 0x7f800000, true},  {"fp8_e4m3fn", 0x7fc00000, false},
                       {"fp4_e2m1fn", 0x7fc00000, true},  {"fp8_e8m0fnu", 0xbf800000, true},
                       {"fp8_e4m3fn", 0x47800000, false}, {"fp8_e5m2", 0x7f800000, false}};
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
        struct run run;
        uint64_t codes[MAX_OPERANDS] = {conversions[i].operand};
        run_open(&run, "cast", "fp32", conversions[i].results);
        struct flag_expectation want = expected(&run, codes, ROUND_NEAREST_EVEN);
        assert_int_equal(want.permitted == (1 << FLAGS) - 1 && !want.required, conversions[i].open);
        oracle_close(&run.oracle);
    }
    oracle_thread_end();
}

static void test_errno_values(void **state) {
    (void)state;
    assert_int_equal(errno_kind_of(0), ERRNO_NONE);
    assert_int_equal(errno_kind_of(EDOM), ERRNO_EDOM);
    assert_int_equal(errno_kind_of(ERANGE), ERRNO_ERANGE);
    assert_int_equal(errno_kind_of(ENOMEM), ERRNO_OTHER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations_of_the_processor),
        cmocka_unit_test(test_cases_of_the_standards),
        cmocka_unit_test(test_inexact_of_functions_when_judged),
        cmocka_unit_test(test_conversions_beyond_the_standard),
        cmocka_unit_test(test_errno_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
