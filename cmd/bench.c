/* `detcheck bench`: how long implementations take, beside how far off they are. */
#include "bench_output.h"
#include "bench_ratios.h"
#include "command.h"
#include "messages.h"
#include "options.h"
#include "selection.h"
#include "threads.h"

#include "base/json.h"
#include "base/json_output.h"
#include "base/output.h"
#include "bench/array_bench.h"
#include "bench/bench.h"
#include "detmath/library/kernels.h"
#include "impl/vector_libm.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_ELEMENTS = 4096, DEFAULT_ROUNDS = 31, DEFAULT_SECONDS = 6, MOST_SECONDS = 1000000 };

static const struct option options[] = {
    OPTION_OPERATIONS,
    OPTION_FORMAT_AS("fp32 or fp64, default fp32; for arrays the formats of the operation"),
    OPTION_IMPL(
        "det,cr,libm,sleef,libmvec, if\ninstalled; for arrays plain or copy, det, cr, blas"),
    OPTION_AS,
    {"range", 0, VALUE_TEXT, "A:B", "draw inputs evenly from A to B, decimal; default -8:8"},
    {"elements", 0, VALUE_TEXT, "N",
     "length of the arrays, default 4096; functions of one number at\na time take 65536 numbers or "
     "more"},
    {"rounds", 0, VALUE_TEXT, "N",
     "interleaved timings of each implementation, default 31; bench shows\nmedians"},
    {"seconds", 0, VALUE_TEXT, "N",
     "time limit of the rounds, and of the largest errors; default 6"},
    {"errors", 0, VALUE_TEXT, "A:B",
     "inputs of the largest errors, from A to B, decimal; default all"},
    {"exhaustive", 0, VALUE_NONE, NULL,
     "try all these inputs for the largest errors, not 2^26 (with\n--errors 2^22)"},
    {"instructions", 0, VALUE_TEXT, "NAME",
     "use no better instructions than baseline, avx2 or avx512 for\ndet, cr, sleef, libmvec, svml"},
    {"threads", 't', VALUE_TEXT, "N", "threads for the largest errors; default one per processor"},
    OPTION_JSON,
    {0}};

static const char details[] =
    "Times are nanoseconds per element, in one thread; compare only times of one run. bench "
    "leaves\n"
    "out inputs without a finite result. It times operations on arrays and casts beside plain "
    "loops\n"
    "in C, a copy of the operands, and OpenBLAS if it is installed; they take --to, --profile and\n"
    "--shape.\n";

static const char *const default_names[] = {"det", "cr", "libm", "sleef", "libmvec"};

struct bench_options {
    struct selection selection;
    struct bench_request request;
    bool on_arrays;
    char words[BENCH_ROWS][256]; /* --impl, of arrays */
    const char *names[BENCH_ROWS];
    size_t name_count;
    cJSON *document, *results;
    struct bench_ratios ratios;
};

static bool read_range(const char *option, const char *text, double *low, double *high,
                       struct error *error) {
    char *end;
    *low = strtod(text, &end);
    bool good = end != text && *end == ':';
    const char *second = end + 1;
    *high = good ? strtod(second, &end) : 0;
    good = good && end != second && !*end && isfinite(*low) && isfinite(*high) && *low < *high;
    return good ||
           error_set(error, "--%s needs A:B with A < B, such as 0:10, not '%.40s'", option, text);
}

/* --errors: of functions of one operand in fp32. */
static bool read_errors(struct bench_options *plan, const char *text, struct error *error) {
    struct bench_request *request = &plan->request;
    if (!text)
        return true;
    request->has_errors = true;
    if (!read_range("errors", text, &request->errors_low, &request->errors_high, error))
        return false;
    if (request->format->width == 64 || !isfinite((float)request->errors_low) ||
        !isfinite((float)request->errors_high))
        return error_set(error, "--errors is for numbers of fp32, not for %s in %s", text,
                         request->format->name);
    for (size_t i = 0; i < plan->selection.operation_count; i++)
        if (plan->selection.operations[i]->operands > 1)
            return error_set(error, "--errors is for functions of one operand; %s has %d",
                             plan->selection.operations[i]->name,
                             plan->selection.operations[i]->operands);
    return true;
}

/* Those that are installed here. */
static void default_implementations(struct selection *selection) {
    for (size_t i = 0; i < sizeof default_names / sizeof *default_names; i++) {
        struct error unused;
        struct implementation *next = &selection->implementations[selection->implementation_count];
        selection->implementation_count +=
            implementation_open(next, default_names[i], &selection->foreign, &unused);
    }
}

/* --instructions: of what is opened from here on. */
static bool limit_instructions(const char *name, struct error *error) {
    static const struct {
        const char *name;
        size_t bytes;
    } rows[] = {{"baseline", 16}, {"avx2", 32}, {"avx512", 64}};
    if (!name)
        return true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i].name) == 0) {
            vector_libm_limit(rows[i].bytes);
            return detmath_limit_level(name) ||
                   error_set(error, "det and cr have no %s in this build", name);
        }
    return error_set(error, "--instructions needs baseline, avx2 or avx512, not '%.40s'", name);
}

static bool read_sizes(struct bench_options *plan, const struct arguments *arguments,
                       struct error *error) {
    unsigned long long elements, rounds, seconds;
    const struct operation *first = plan->selection.operations[0];
    const char *usual = first->made_of && first->ranges[0] ? first->ranges[0] : "-8:8";
    if (!argument_number(arguments, "elements", 1, BENCH_MOST_ELEMENTS, DEFAULT_ELEMENTS, &elements,
                         error) ||
        !argument_number(arguments, "rounds", 1, BENCH_MOST_ROUNDS, DEFAULT_ROUNDS, &rounds,
                         error) ||
        !argument_number(arguments, "seconds", 1, MOST_SECONDS, DEFAULT_SECONDS, &seconds, error) ||
        !read_range("range", argument_value(arguments, "range", usual), &plan->request.low,
                    &plan->request.high, error))
        return false;
    plan->request.elements = (size_t)elements;
    plan->request.rounds = (int)rounds;
    plan->request.seconds = (double)seconds;
    return true;
}

/* --impl of operations on arrays, whose names are those of rows. */
static bool read_names(struct bench_options *plan, const struct arguments *arguments,
                       struct error *error) {
    for (size_t i = 0; i < arguments->given_count; i++) {
        const char *value = arguments->given[i].value;
        if (arguments->given[i].option->kind != VALUE_IMPLEMENTATION)
            continue;
        for (size_t length; *value; value += length + (value[length] == ',')) {
            length = strchr(value, ':') ? strlen(value) : strcspn(value, ",");
            if (!length || length >= sizeof plan->words[0] || plan->name_count == BENCH_ROWS)
                return error_set(error, "--impl needs names, not '%.80s'", value);
            char *word = plan->words[plan->name_count];
            memcpy(word, value, length);
            plan->names[plan->name_count++] = word;
        }
    }
    return true;
}

/* Operations on arrays and casts: formats and parameters as commands that judge take them. */
static bool plan_arrays(struct bench_options *plan, const struct arguments *arguments,
                        struct error *error) {
    static const parameter_set heeded =
        PARAMETER_BIT(TO) | PARAMETER_BIT(PROFILE) | PARAMETER_BIT(SHAPE_OF);
    struct selection *selection = &plan->selection;
    for (size_t i = 0; i < selection->operation_count; i++)
        if (!array_bench_has(selection->operations[i]))
            return error_set(error, "bench has no loops to time %s beside%s",
                             selection->operations[i]->name,
                             selection->operations[i]->array
                                 ? ""
                                 : "; numbers and arrays are timed in runs of their own");
    if (!limit_instructions(argument_value(arguments, "instructions", NULL), error))
        return false;
    if (argument_given(arguments, "errors") || argument_given(arguments, "exhaustive"))
        return error_set(error,
                         "--errors and --exhaustive are for operations on numbers; 'detcheck "
                         "sweep %s' has the errors of this one",
                         selection->operations[0]->name);
    if (!select_options(selection, arguments, NULL, error) || !read_names(plan, arguments, error))
        return false;
    for (int i = 0; i < PARAMETER_COUNT; i++)
        if (selection->parameters.values[i].present && !(heeded >> i & 1))
            return error_set(error, "bench takes --to, --profile and --shape, not --%s",
                             parameter_rows[i].name);
    return true;
}

static bool plan_numbers(struct bench_options *plan, const struct arguments *arguments,
                         struct error *error) {
    for (size_t i = 0; i < PARAMETER_COUNT; i++)
        if (argument_given(arguments, parameter_rows[i].name))
            return error_set(error, "%s takes no --%s", plan->selection.operations[0]->name,
                             parameter_rows[i].name);
    if (!limit_instructions(argument_value(arguments, "instructions", NULL), error))
        return false;
    plan->selection.foreign.in_process = true; /* what crosses processes is not to be timed */
    if (!argument_given(arguments, "impl"))
        default_implementations(&plan->selection);
    else if (!select_options(&plan->selection, arguments, "det", error))
        return false;
    plan->request.implementations = plan->selection.implementations;
    plan->request.implementation_count = plan->selection.implementation_count;
    plan->request.format = format_find(argument_value(arguments, "format", "fp32"), error);
    if (!plan->request.format)
        return false;
    if (plan->request.format != &formats[FORMAT_FP32] &&
        plan->request.format != &formats[FORMAT_FP64])
        return error_set(error, "bench times in fp32 and fp64, not in %s",
                         plan->request.format->name);
    if (plan->request.format->width == 64 && argument_given(arguments, "exhaustive"))
        return error_set(error, "--exhaustive is for fp32; fp64 has too many inputs");
    if (!read_errors(plan, argument_value(arguments, "errors", NULL), error))
        return false;
    plan->selection.formats[0] = plan->request.format;
    plan->selection.format_count = 1;
    plan->request.exhaustive = argument_given(arguments, "exhaustive");
    return threads_given(arguments, &plan->request.threads, error);
}

static bool make_plan(struct bench_options *plan, const struct arguments *arguments,
                      struct error *error) {
    if (!arguments->positional_count)
        return error_set(error, "bench needs an operation, such as exp; 'detcheck list operations' "
                                "names them all");
    if (!select_operations(&plan->selection, arguments->positional, arguments->positional_count,
                           error) ||
        !read_sizes(plan, arguments, error))
        return false;
    for (size_t i = 0; i < plan->selection.operation_count; i++)
        plan->on_arrays |= plan->selection.operations[i]->array != NULL ||
                           array_bench_has(plan->selection.operations[i]);
    return (plan->on_arrays ? plan_arrays : plan_numbers)(plan, arguments, error);
}

/* One operation on arrays in one format. */
static bool run_arrays(const struct bench_options *plan, const struct operation *operation,
                       const struct format *format, struct bench_outcome *outcome,
                       struct error *why) {
    struct parameters parameters;
    struct error left_out;
    const struct array_bench_request request = {.work = {.operation = operation,
                                                         .format = format,
                                                         .parameters = &parameters,
                                                         .elements = plan->request.elements,
                                                         .low = plan->request.low,
                                                         .high = plan->request.high},
                                                .rounds = plan->request.rounds,
                                                .seconds = plan->request.seconds,
                                                .names = plan->names,
                                                .name_count = plan->name_count};
    if (!select_parameters(&plan->selection, operation, format, ROUND_NEAREST_EVEN, &parameters,
                           why) ||
        !array_bench_run(&request, outcome, &left_out, why))
        return false;
    if (*left_out.text)
        remark("note", &left_out);
    return true;
}

static bool run_numbers(struct bench_options *plan, const struct operation *operation,
                        struct bench_outcome *outcome, struct error *why) {
    plan->request.operation = operation;
    return bench_run(&plan->request, outcome, why);
}

static bool run_all(struct bench_options *plan, bool text, struct error *error) {
    plan->document = cJSON_CreateObject();
    cJSON_AddStringToObject(plan->document, "schema", "detcheck/bench/1");
    plan->results = cJSON_AddArrayToObject(plan->document, "results");
    const struct selection *selection = &plan->selection;
    size_t measured = 0, runs = selection->operation_count * selection->format_count;
    struct error why = {{0}};
    for (size_t i = 0; i < runs; i++) {
        const struct operation *operation = selection->operations[i / selection->format_count];
        const struct format *format = selection->formats[i % selection->format_count];
        struct bench_outcome outcome;
        if (!(plan->on_arrays ? run_arrays(plan, operation, format, &outcome, &why)
                              : run_numbers(plan, operation, &outcome, &why))) {
            if (runs > 1)
                remark("note", &why);
            continue;
        }
        measured++;
        if (text)
            bench_print_outcome(operation, format, &outcome, &plan->request);
        bench_add_outcome(plan->results, operation, format, &outcome);
        if (!output_flush_stdout(error) ||
            !bench_ratios_add(&plan->ratios, operation->name, &outcome, error))
            return false;
    }
    if (text)
        bench_ratios_print(&plan->ratios);
    return measured || error_set(error, "nothing was timed: %s", why.text);
}

static int run(const struct arguments *arguments) {
    static struct bench_options plan;
    static struct output output;
    struct error error;
    const char *json = argument_value(arguments, "json", NULL);
    bool good = make_plan(&plan, arguments, &error) &&
                (!json || output_open(&output, json, &error)) &&
                run_all(&plan, !json || strcmp(json, "-") != 0, &error);
    if (good && json)
        good = json_commit(plan.document, &output, &error);
    else
        cJSON_Delete(plan.document);
    output_discard(&output);
    bench_ratios_free(&plan.ratios);
    return good ? EXIT_OK : trouble(&error);
}

const struct command command_bench = {
    .name = "bench",
    .usage = "OPERATION...",
    .summary = "time implementations, beside their largest errors",
    .details = details,
    .arguments = VALUE_OPERATIONS,
    .options = options,
    .parameters = PARAMETERS_ALL,
    .run = run,
};
