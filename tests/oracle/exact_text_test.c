/* The exact result in decimal: known constants, what "..." promises, and results of any size. */
#include "../format/layout.h"
#include "op/operation.h"
#include "oracle/exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { DIGITS = 30, ROOM = 200 };

struct text_case {
    const char *operation;
    double x[2];
    const char *text;
};

#define INF ((double)INFINITY)

static const struct text_case cases[] = {
    /* e, pi, ln 2, the square root of 2, from any table; truncated, not rounded. */
    {"exp", {1}, "2.71828182845904523536028747135..."},
    {"acos", {-1}, "3.14159265358979323846264338327..."},
    {"asin", {-1}, "-1.57079632679489661923132169163..."},
    {"log", {2}, "0.693147180559945309417232121458..."},
    {"softplus", {0}, "0.693147180559945309417232121458..."},
    {"logsigmoid", {0}, "-0.693147180559945309417232121458..."},
    /* A zero at the end of the digits is left away. */
    {"sqrt", {2}, "1.4142135623730950488016887242..."},
    {"div", {1, 3}, "0.333333333333333333333333333333..."},
    {"div", {2, -3}, "-0.666666666666666666666666666666..."},
    /* Exact ones have nothing behind them. */
    {"exp2", {-1}, "0.5"},
    {"sqrt", {2.25}, "1.5"},
    {"sigmoid", {0}, "0.5"},
    {"add", {1, 2}, "3"},
    {"sub", {1, 0x1p-10}, "0.9990234375"},
    {"sin", {-0.0}, "-0"},
    {"cos", {0}, "1"},
    {"log", {0}, "-inf"},
    {"logsigmoid", {INF}, "-0"},
    {"silu", {-INF}, "-0"},
    {"softplus", {INF}, "inf"},
    {"sqrt", {-1}, "nan"},
    /* Exact, but with more digits than are shown. */
    {"add", {1, 0x1p-52}, "1.00000000000000022204460492503..."},
    {"add", {1, 0x1p-110}, "1..."},
    {"mul", {0x1.0000000000001p0, 0x1.0000000000001p0}, "1.00000000000000044408920985006..."},
};

static void check_text(const char *operation, const double *x, char text[ROOM]) {
    struct oracle oracle;
    struct error error;
    const uint64_t codes[] = {code_of_double(x[0]), code_of_double(x[1])};
    oracle_open(&oracle, operation_find(operation, &error), format_find("fp64", &error), NULL,
                ORACLE_MOST_BITS);
    if (!oracle_text(&oracle, codes, 0, DIGITS, text, ROOM, &error))
        fail_msg("%s", error.text);
    oracle_close(&oracle);
    oracle_thread_end();
}

static void test_text(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[ROOM];
        check_text(cases[i].operation, cases[i].x, text);
        if (strcmp(text, cases[i].text) != 0)
            fail_msg("%s(%a, %a): %s, not %s", cases[i].operation, cases[i].x[0], cases[i].x[1],
                     text, cases[i].text);
    }
}

/* Results beyond MPFR's range are described and not printed as zero or infinity. */
static void test_sizes_beyond_range(void **state) {
    (void)state;
    static const struct {
        const char *operation;
        double x;
        const char *start, *end;
    } sizes[] = {
        {"exp", 1e300, "2^", "or beyond"},          {"exp", -1e300, "2^-", "or nearer to 0"},
        {"sinh", -1e300, "-2^", "or beyond"},       {"sigmoid", -1e300, "2^-", "or nearer to 0"},
        {"silu", -1e300, "-2^-", "or nearer to 0"}, {"erfc", 1e300, "2^-", "or nearer to 0"},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double x[2] = {sizes[i].x};
        char text[ROOM];
        check_text(sizes[i].operation, x, text);
        if (strncmp(text, sizes[i].start, strlen(sizes[i].start)) != 0 ||
            !strstr(text, sizes[i].end))
            fail_msg("%s(%g): %s", sizes[i].operation, sizes[i].x, text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_sizes_beyond_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
