/* Holds the oracle against lines of TestFloat's form, from stdin: hexadecimal operands, the result,
 * the flags. A line "@ OPERATION FORMAT RESULTS ROUNDING before|after" says what the lines after it
 * are of; RESULTS is a format, or i64 for a conversion to an integer. Says how many lines there were;
 * exit 1 and the first differences where some differ. */
#include "oracle/exact.h"
#include "oracle/flags.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 5 };

struct check {
    struct oracle oracle;
    struct flag_setting setting;
    bool is_open, to_integer;
    unsigned long lines, wrong;
};

static void check_close(struct check *check) {
    if (check->is_open)
        oracle_close(&check->oracle);
    check->is_open = false;
}

static bool check_open(struct check *check, const char *header) {
    char operation[32], format[16], results[16], rounding[16], tininess[16];
    struct error error;
    check_close(check);
    if (sscanf(header, "@ %31s %15s %15s %15s %15s", operation, format, results, rounding,
               tininess) != 5)
        return false;
    check->to_integer = strcmp(results, "i64") == 0;
    check->setting = (struct flag_setting){
        .operation = operation_find(operation, &error),
        .format = format_find(format, &error),
        .results = format_find(check->to_integer ? format : results, &error),
        .rules = {.tiny_after_rounding = strcmp(tininess, "after") == 0, .inexact = true}};
    while (check->setting.rounding < ROUNDING_COUNT &&
           strcmp(rounding, rounding_names[check->setting.rounding]) != 0)
        check->setting.rounding++;
    if (!check->setting.operation || !check->setting.format || !check->setting.results ||
        check->setting.rounding == ROUNDING_COUNT)
        return false;
    oracle_open(&check->oracle, check->setting.operation, check->setting.format, NULL,
                oracle_precision(check->setting.results));
    check->oracle.rounding = check->setting.rounding;
    check->is_open = true;
    return true;
}

/* Any NaN serves for a NaN, and any integer where there is none. */
static bool is_result(const struct check *check, const struct real *exact, uint64_t result) {
    const struct format *results = check->setting.results;
    if (check->to_integer)
        return exact->kind == REAL_NAN ||
               result == format_encode(&integer_formats[FORMAT_INT64], exact, ROUND_TOWARD_ZERO,
                                       OVERFLOW_SATURATE);
    uint64_t want = format_encode(results, exact, check->setting.rounding, OVERFLOW_IEEE);
    return want == result || (format_is_nan(results, want) && format_is_nan(results, result));
}

static bool check_line(struct check *check, const char *line) {
    uint64_t words[MAX_OPERANDS + 2];
    int count = 0, wanted = check->setting.operation->operands + 2;
    struct real exact;
    struct error error;
    char *end = NULL;
    for (const char *at = line; count < wanted; at = end) {
        words[count++] = strtoull(at, &end, 16);
        if (end == at)
            return false;
    }
    uint64_t result = words[wanted - 2];
    uint8_t flags = flags_from_testfloat((unsigned)words[wanted - 1]);
    if (!oracle_exact(&check->oracle, words, 0, &exact, &error))
        return false;
    struct flag_expectation want = oracle_flags(&check->setting, words, &exact);
    bool right =
        is_result(check, &exact, result) && !(want.required & ~flags) && !(flags & ~want.permitted);
    check->lines++;
    if (!right && check->wrong++ < MOST_SHOWN) {
        char text[2][FLAGS_TEXT];
        printf("%s %s to %s %s: %.*s: flags %s, required %s\n", check->setting.operation->name,
               check->setting.format->name, check->setting.results->name,
               rounding_names[check->setting.rounding], (int)strcspn(line, "\n"), line,
               flags_text(flags, text[0]), flags_text(want.required, text[1]));
    }
    return true;
}

int main(void) {
    struct check check = {.is_open = false};
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        bool good =
            *line == '@' ? check_open(&check, line) : check.is_open && check_line(&check, line);
        if (!good) {
            fprintf(stderr, "not understood: %s", line);
            return 2;
        }
    }
    check_close(&check);
    oracle_thread_end();
    printf("%lu lines, %lu differ\n", check.lines, check.wrong);
    return check.wrong != 0 || check.lines == 0;
}
