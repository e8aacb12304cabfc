/* `detcheck eval`: one input through the oracle and every implementation. */
#include "eval.h"
#include "messages.h"
#include "options.h"
#include "signals.h"

#include "base/json_output.h"
#include "format/text.h"
#include "op/conversion.h"
#include "oracle/boundary.h"
#include "oracle/exact.h"
#include "oracle/judge.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

enum { DIGITS = 40, DIGITS_PRECISION = 192 };

static const struct option options[] = {
    OPTION_OPERATIONS,
    OPTION_FORMAT,
    OPTION_FROM,
    OPTION_ROUNDING,
    OPTION_IMPL("libm, for casts\ndet, and for arrays all that provide the operation"),
    OPTION_AS,
    OPTIONS_UNIT,
    {"got", 'g', VALUE_TEXT, "VALUE", "also judge this output, for every input; may be repeated"},
    {"inputs", 0, VALUE_FILE, "FILE",
     "read the elements of arrays from FILE, or from stdin if FILE is -"},
    {"draw", 0, VALUE_TEXT, "D",
     "take the arrays of call number D of a sweep with the same\n--distribution, --shape and "
     "--seed"},
    {"element", 0, VALUE_TEXT, "E", "show only this element of each array of results, from 0"},
    OPTION_SEED,
    OPTIONS_FLAGS,
    OPTIONS_FOREIGN,
    OPTION_JSON,
    {0}};

static const char details[] =
    "VALUE is a decimal (0.1), a hex float (0x1.8p-3), or bits (0x3f800000). A decimal that the\n"
    "format does not hold is rounded to nearest-even, and a note says so.\n";

static bool find_truth(const struct evaluation *evaluation, int result, struct truth *truth,
                       struct error *error) {
    struct oracle oracle;
    truth->name = operation_result_name(evaluation->operation, result, truth->own_name);
    oracle_open(&oracle, evaluation->operation, evaluation->format, &evaluation->parameters,
                ORACLE_MOST_BITS);
    oracle.rounding = evaluation->rounding;
    bool found = oracle_exact(&oracle, evaluation->input, result, &truth->y, error);
    oracle_close(&oracle);
    oracle_open(&oracle, evaluation->operation, evaluation->format, &evaluation->parameters,
                DIGITS_PRECISION);
    oracle.rounding = evaluation->rounding;
    found = found && oracle_text(&oracle, evaluation->input, result, DIGITS, truth->exact,
                                 sizeof truth->exact, error);
    oracle_close(&oracle);
    struct cast cast = cast_of_results(evaluation->result_format, evaluation->rounding);
    if (evaluation->operation->converts)
        found = found && conversion_make(&cast, evaluation->format, evaluation->rounding,
                                         &evaluation->parameters, error);
    if (!found)
        return false;
    truth->want = evaluation->operation->converts
                      ? cast_code(&cast, evaluation->input[0],
                                  conversion_random(&cast, &evaluation->parameters, 0))
                      : projected_code(evaluation->result_format, &truth->y, evaluation->rounding,
                                       OVERFLOW_IEEE, &evaluation->parameters, 0);
    truth->is_open = evaluation->operation->converts &&
                     cast_is_open(&cast, evaluation->input[0],
                                  conversion_random(&cast, &evaluation->parameters, 0));
    truth->boundary_distance = INFINITY;
    if (truth->y.kind == REAL_FINITE && !rounding_is_stochastic(evaluation->rounding) &&
        !format_overflows(evaluation->result_format, &truth->y, evaluation->rounding))
        truth->boundary_distance = boundary_distance(&cast, &truth->y);
    /* y is cut to 120 bits: a distance of one or two units of its last may be one unit too small. */
    const double least = boundary_resolution(evaluation->result_format);
    truth->distance_is_bound = truth->y.inexact && truth->boundary_distance <= least;
    if (truth->distance_is_bound)
        truth->boundary_distance = 1.5 * least;
    return true;
}

/* The flags are those of the call: all results have a part in them. */
static bool find_expectation(struct evaluation *evaluation, struct error *error) {
    const struct flag_setting setting = {
        .operation = evaluation->operation,
        .format = evaluation->format,
        .results = evaluation->result_format,
        .rounding = evaluation->rounding,
        .rules = evaluation->observed.rules,
    };
    struct oracle oracle;
    struct real exact[MAX_RESULTS];
    bool found = true;
    oracle_open(&oracle, evaluation->operation, evaluation->format, &evaluation->parameters,
                ORACLE_MOST_BITS);
    oracle.rounding = evaluation->rounding;
    for (int i = 0; i < evaluation->operation->results && found; i++)
        found = oracle_exact(&oracle, evaluation->input, i, &exact[i], error);
    oracle_close(&oracle);
    if (found)
        evaluation->expected = oracle_flags(&setting, evaluation->input, exact);
    return found;
}

static void judge(const struct evaluation *evaluation, const struct truth *truth,
                  struct answer *answer) {
    const struct judge rules = {evaluation->result_format, evaluation->rounding,
                                parameters_overflow(&evaluation->parameters, OVERFLOW_IEEE), false};
    answer->is_open = truth->is_open;
    answer->judgement = judge_output(&rules, &truth->y, truth->want, answer->got);
}

static void note_event(void *context, enum event_kind kind, size_t index) {
    struct answer *answer = context;
    (void)index;
    answer->run->had_event = true;
    if (!answer->event)
        answer->event = event_names[kind];
}

/* Runs an implementation on the one input; false only for trouble of the environment. */
static bool run_implementation(const struct evaluation *evaluation,
                               const struct implementation *implementation, int result,
                               struct answer *answer, struct error *why, struct error *error) {
    const struct binding_request request = {
        .operation = evaluation->operation,
        .format = evaluation->format,
        .rounding = evaluation->rounding,
        .overflow = OVERFLOW_IEEE,
        .parameters = evaluation->parameters,
        .flags = evaluation->observed.flags || evaluation->observed.errnos,
        .tiny_after_rounding = evaluation->observed.rules.tiny_after_rounding,
        .errnos = evaluation->observed.errnos};
    struct binding binding;
    *answer = (struct answer){.run = evaluation->run, .name = implementation->name};
    answer->provided = implementation_bind(&binding, implementation, &request, why);
    snprintf(answer->detail, sizeof answer->detail, "%s",
             answer->provided ? binding.detail : implementation->detail);
    answer->reason = why->text;
    if (!answer->provided) {
        *error = *why;
        return !binding.broken;
    }
    size_t bytes = format_bytes(evaluation->format);
    uint64_t in[MAX_OPERANDS] = {0}, out[MAX_RESULTS] = {0};
    struct slice slice = {.count = 1, .unanswered = &answer->unanswered};
    for (int i = 0; i < MAX_OPERANDS; i++) {
        code_store(&in[i], bytes, 0, evaluation->input[i]);
        slice.operands[i] = &in[i];
    }
    for (int i = 0; i < MAX_RESULTS; i++)
        slice.results[i] = &out[i];
    answer->tells_flags = binding.tells_flags;
    answer->tells_errno = binding.tells_errno;
    answer->promises_no_flags = binding.promises_no_flags;
    answer->expected = binding.promises_no_flags ? oracle_flags_unpromised() : evaluation->expected;
    slice.raised = binding.tells_flags ? &answer->raised : NULL;
    slice.cleared =
        binding.tells_flags && !evaluation->observed.rules.may_clear ? &answer->cleared : NULL;
    slice.errnos = binding.tells_errno ? &answer->errno_after : NULL;
    bool filled = eval_fill(&binding, &slice, note_event, answer, error);
    binding_close(&binding);
    answer->got = code_load(&out[result], format_bytes(evaluation->result_format), 0);
    return filled;
}

/* One result of an evaluation. */
static bool evaluate_result(const struct evaluation *evaluation, int result, struct error *error) {
    const struct selection *selection = evaluation->run->selection;
    cJSON *array = evaluation->run->array;
    struct truth truth;
    if (!find_truth(evaluation, result, &truth, error))
        return false;
    cJSON *object = array ? eval_json_truth(evaluation, &truth) : NULL;
    if (array)
        cJSON_AddItemToArray(array, object);
    else
        eval_print_truth(evaluation, &truth);
    size_t count = selection->implementation_count;
    const size_t results = (size_t)evaluation->operation->results;
    for (size_t i = 0; i < count + evaluation->given_count / results; i++) {
        struct answer answer = {.name = "got", .detail = "given on the command line"};
        struct error why = {{0}};
        if (i >= count) {
            answer.is_given = answer.provided = true;
            answer.got = evaluation->given[(i - count) * results + (size_t)result];
        } else if (!run_implementation(evaluation, &selection->implementations[i], result, &answer,
                                       &why, error))
            return false;
        judge(evaluation, &truth, &answer);
        if (array)
            eval_json_answer(object, evaluation, &answer);
        else
            eval_print_answer(evaluation, &answer);
    }
    return true;
}

static bool read_given(struct evaluation *evaluation, struct error *error) {
    const struct arguments *arguments = evaluation->run->arguments;
    evaluation->given_count = 0;
    for (size_t i = 0; i < arguments->given_count; i++) {
        if (strcmp(arguments->given[i].option->name, "got") != 0)
            continue;
        if (evaluation->given_count == MOST_GIVEN)
            return error_set(error, "more than %d --got", MOST_GIVEN);
        if (!read_value(evaluation->run, evaluation->result_format, arguments->given[i].value,
                        &evaluation->given[evaluation->given_count++], error))
            return false;
    }
    return evaluation->given_count % (size_t)evaluation->operation->results == 0 ||
           error_set(error, "%s has %d results, and takes as many --got, or a multiple of that",
                     evaluation->operation->name, evaluation->operation->results);
}

static bool evaluate_all(struct eval_run *run, struct error *error) {
    const struct arguments *arguments = run->arguments;
    const struct selection *selection = run->selection;
    struct evaluation evaluation = {.operation = selection->operations[0], .run = run};
    if (!read_flag_options(arguments, &evaluation.observed, error))
        return false;
    run->observed = evaluation.observed;
    if (evaluation.operation->array)
        return (run->observed.flags || run->observed.errnos) &&
                       !array_is_of_texts(evaluation.operation->array)
                   ? error_set(error,
                               "--flags and --errno are for operations on numbers and texts; %s is "
                               "on arrays",
                               evaluation.operation->name)
                   : evaluate_arrays(run, error);
    static const char *const of_arrays[] = {"inputs", "draw", "element"};
    for (size_t i = 0; i < sizeof of_arrays / sizeof *of_arrays; i++)
        if (argument_given(arguments, of_arrays[i]))
            return error_set(error, "--%s of eval is for operations on arrays; %s is on numbers",
                             of_arrays[i], evaluation.operation->name);
    size_t operands = (size_t)evaluation.operation->operands;
    size_t values = arguments->positional_count - 1;
    if (values == 0 || values % operands != 0)
        return error_set(error, "%s needs %zu value%s (or a multiple of that), not %zu",
                         evaluation.operation->name, operands, operands == 1 ? "" : "s", values);
    if (!select_parameters(selection, evaluation.operation, selection->formats[0],
                           selection->roundings[0], &evaluation.parameters, error))
        return false;
    bool first = true;
    for (size_t f = 0; f < selection->format_count; f++) {
        evaluation.format = selection->formats[f];
        if (!select_parameters(
                selection, evaluation.operation, evaluation.format,
                select_rounding(selection, evaluation.operation, evaluation.format, 0),
                &evaluation.parameters, error))
            return false;
        evaluation.result_format =
            parameters_result_format(&evaluation.parameters, evaluation.format);
        if (!read_given(&evaluation, error))
            return false;
        for (size_t at = 0; at < values; at += operands) {
            for (size_t i = 0; i < operands; i++)
                if (!read_value(run, format_of_operand(evaluation.format, (int)i),
                                arguments->positional[1 + at + i], &evaluation.input[i], error))
                    return false;
            for (size_t r = 0; r < selection->rounding_count; r++) {
                evaluation.rounding =
                    select_rounding(selection, evaluation.operation, evaluation.format, r);
                if (!find_expectation(&evaluation, error))
                    return false;
                for (int result = 0; result < evaluation.operation->results; result++) {
                    if (!select_parameters(selection, evaluation.operation, evaluation.format,
                                           evaluation.rounding, &evaluation.parameters, error))
                        return false;
                    if (!run->array && !first)
                        printf("\n");
                    first = false;
                    if (!evaluate_result(&evaluation, result, error))
                        return false;
                }
            }
        }
    }
    return true;
}

/* Everything that can fail comes before anything is printed; the file appears last of all. */
static bool evaluate_with_json(struct eval_run *run, const char *path, struct error *error) {
    struct output output;
    if (!output_open(&output, path, error))
        return false;
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "detcheck/eval/1");
    run->array = cJSON_AddArrayToObject(document, "results");
    bool good = evaluate_all(run, error);
    if (good && output.stream != stdout) {
        run->array = NULL;
        run->remarks = false; /* they are made */
        good = evaluate_all(run, error) && output_flush_stdout(error);
    }
    if (good)
        return json_commit(document, &output, error);
    cJSON_Delete(document);
    output_discard(&output);
    return false;
}

/* `eval 1 exp` is `eval exp 1`: where the first word is a number and a later one an operation, that moves
 * to the front. */
static void put_operation_first(const struct arguments *arguments) {
    const char **words = arguments->positional;
    size_t at = 0;
    if (operation_row(words[0]) || !words[0][strcspn(words[0], "0123456789")])
        return;
    while (at < arguments->positional_count && !operation_row(words[at]))
        at++;
    if (at == arguments->positional_count)
        return;
    const char *operation = words[at];
    memmove(words + 1, words, at * sizeof *words);
    words[0] = operation;
}

static int run(const struct arguments *arguments) {
    static struct selection selection;
    struct error error;
    const bool has_values =
        argument_given(arguments, "inputs") || argument_given(arguments, "draw");
    if (arguments->positional_count < (has_values ? 1 : 2)) {
        error_set(&error, "eval needs an operation and its value, such as: detcheck eval exp 0.5");
        return trouble(&error);
    }
    put_operation_first(arguments);
    const struct operation *operation = operation_find(arguments->positional[0], &error);
    if (!operation)
        return trouble(&error);
    selection.operations[0] = operation;
    selection.operation_count = 1;
    if (!select_options(&selection, arguments, operation->converts ? "det" : "libm", &error))
        return trouble(&error);
    if (operation->made_of && !argument_given(arguments, "impl"))
        selection.implementation_count = 0; /* no libm has it */
    const char *json = argument_value(arguments, "json", NULL);
    struct eval_run all = {.arguments = arguments, .selection = &selection, .remarks = true};
    signals_leave_to_command(true);
    bool done = json ? evaluate_with_json(&all, json, &error) : evaluate_all(&all, &error);
    words_free(&all.words);
    if (!done)
        return trouble(&error);
    return all.had_event ? EXIT_JUDGED_BAD : EXIT_OK;
}

const struct command command_eval = {
    .name = "eval",
    .usage = "OPERATION VALUE...",
    .summary = "compute one input exactly, beside what implementations return",
    .details = details,
    .arguments = VALUE_OPERATION,
    .options = options,
    .parameters = PARAMETERS_ALL,
    .run = run,
};
