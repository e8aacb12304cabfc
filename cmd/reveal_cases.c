/* Options, and the steps: read, fit, decide, show. */
#include "reveal_cases.h"

#include "messages.h"
#include "reveal_cases_output.h"
#include "signals.h"

#include "base/json_output.h"

#include <string.h>

static bool check_options(const struct arguments *arguments, struct error *error) {
    static const char *const taken[] = {"cases", "format", "accumulate", "seed", "json"};
    if (arguments->positional_count)
        return error_set(error, "--cases takes no operation, and '%.40s' is one",
                         arguments->positional[0]);
    for (size_t i = 0; i < arguments->given_count; i++) {
        bool known = false;
        const char *name = arguments->given[i].option->name;
        for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
            known |= strcmp(name, taken[k]) == 0;
        if (!known)
            return error_set(error,
                             "--%s has no effect with --cases, which takes --format, "
                             "--accumulate, --seed and --json",
                             name);
    }
    return true;
}

static bool find_formats(const struct arguments *arguments, const struct format **format,
                         const struct format **result, struct error *error) {
    static const enum format_number results[] = {FORMAT_FP16, FORMAT_BF16, FORMAT_FP32,
                                                 FORMAT_FP64};
    const char *name = argument_value(arguments, "format", NULL);
    if (!name)
        return error_set(error, "--cases needs --format, the format of a and b, such as fp16");
    if (!(*format = format_find(name, error)))
        return false;
    if (!(*format)->has_zero || !(*format)->sign_bit)
        return error_set(error, "no products of %s: it has no sign", (*format)->name);
    const char *sum =
        argument_value(arguments, "accumulate", *format == &formats[FORMAT_FP64] ? "fp64" : "fp32");
    if (!(*result = format_find(sum, error)))
        return false;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (*result == &formats[results[i]])
            return true;
    return error_set(error, "--accumulate is fp16, bf16, fp32 or fp64 with --cases, not %s",
                     (*result)->name);
}

int reveal_cases(const struct arguments *arguments) {
    static struct unit_cases cases;
    static struct fit fit;
    static struct decision decision;
    static struct output json_file;
    struct error error;
    const struct format *format = NULL, *result = NULL;
    unsigned long long seed;
    const char *json = argument_value(arguments, "json", NULL);
    const char *path = argument_value(arguments, "cases", NULL);
    bool good = check_options(arguments, &error) &&
                find_formats(arguments, &format, &result, &error) &&
                argument_number(arguments, "seed", 0, UINT64_MAX, 1, &seed, &error) &&
                (!json || output_open(&json_file, json, &error)) &&
                unit_cases_read(path, format, result, &cases, &error);
    if (good) {
        signals_leave_to_command(true);
        good =
            fit_cases(&fit, &cases, &interrupted, &error) && decide(&decision, &fit, seed, &error);
    }
    bool found = fit.point_count > 0;
    for (size_t i = 0; i < fit.row_count; i++)
        found |= fit_row_fits(&fit.rows[i]);
    if (good && (!json || strcmp(json, "-") != 0)) {
        reveal_cases_print(path, &fit, &decision);
        good = output_flush_stdout(&error);
    }
    if (good && json)
        good = json_commit(reveal_cases_document(path, &fit, &decision), &json_file, &error);
    output_discard(&json_file);
    decision_close(&decision);
    fit_close(&fit);
    unit_cases_close(&cases);
    return !good ? trouble(&error) : found ? EXIT_OK : EXIT_JUDGED_BAD;
}
