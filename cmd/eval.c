/* `detcheck eval`: one input through the oracle and every implementation. */
#include "eval.h"

#include "base/output.h"
#include "format/text.h"
#include "op/conversion.h"
#include "oracle/exact.h"
#include "oracle/judge.h"
#include "report/report.h"
#include "report/text.h"

#include <cjson/cJSON.h>
#include <string.h>

enum { DIGITS = 40, DIGITS_PRECISION = 192, TEXT_ROOM = 128 };

static const struct option options[] = {
    {"format", 'f', VALUE_FORMAT, "FORMAT", "number format (fp32)"},
    {"from", 0, VALUE_FORMAT, "FORMAT", "the same as --format, for conversions"},
    {"rounding", 'r', VALUE_ROUNDING, "MODE",
     "one of nearest-even, toward-zero, up, down, nearest-away; for cast\nstochastic too"},
    {"impl", 'i', VALUE_IMPLEMENTATION, "NAME", "implementation to run (libm)"},
    {"got", 'g', VALUE_TEXT, "VALUE", "judge this output too; for two results, give it twice"},
    {"timeout", 0, VALUE_TEXT, "SECONDS",
     "what lib: and exec: may take for a block of inputs (10)"},
    {"no-isolation", 0, VALUE_NONE, NULL, "call the functions of lib: in this process"},
    {"json", 'j', VALUE_FILE, "FILE", "write JSON there; - is stdout, instead of the text"},
    {0}};

static const char details[] =
    "VALUE is a decimal (0.1), a hex float (0x1.8p-3), or bits (0x3f800000). A decimal that the\n"
    "format does not hold is rounded to nearest-even, and a note says so.\n";

/* One evaluation: one input in one format and rounding. */
struct evaluation {
    const struct operation *operation;
    const struct format *format;
    enum rounding rounding;
    struct parameters parameters;
    const struct format *result_format;
    uint64_t input[MAX_OPERANDS];
    uint64_t given[MAX_RESULTS]; /* by --got */
    size_t given_count;
    const struct selection *selection;
};

/* The truth about one result. */
struct truth {
    char name[64];
    char exact[TEXT_ROOM];
    struct real y;
    uint64_t want;
};

/* What somebody returned for it. */
struct answer {
    const char *name, *detail;
    bool provided;
    const char *reason;
    const char *event; /* what it did besides answering, or NULL */
    uint8_t unanswered;
    uint64_t got;
    struct judgement judgement;
};

static bool find_truth(const struct evaluation *evaluation, int result, struct truth *truth,
                       struct error *error) {
    struct oracle oracle;
    operation_result_name(evaluation->operation, result, truth->name);
    oracle_open(&oracle, evaluation->operation, evaluation->format, ORACLE_MOST_BITS);
    bool found = oracle_exact(&oracle, evaluation->input, result, &truth->y, error);
    oracle_close(&oracle);
    oracle_open(&oracle, evaluation->operation, evaluation->format, DIGITS_PRECISION);
    found = found &&
            oracle_text(&oracle, evaluation->input, result, DIGITS, truth->exact, TEXT_ROOM, error);
    oracle_close(&oracle);
    if (!evaluation->operation->converts)
        truth->want = format_encode(evaluation->result_format, &truth->y, evaluation->rounding,
                                    OVERFLOW_IEEE);
    else {
        struct cast cast;
        found = found && conversion_make(&cast, evaluation->format, evaluation->rounding,
                                         &evaluation->parameters, error);
        if (found)
            truth->want = cast_code(&cast, evaluation->input[0],
                                    conversion_random(&cast, &evaluation->parameters, 0));
    }
    return found;
}

static void judge(const struct evaluation *evaluation, const struct truth *truth,
                  struct answer *answer) {
    const struct judge rules = {evaluation->result_format, evaluation->rounding, OVERFLOW_IEEE,
                                false};
    answer->judgement = judge_output(&rules, &truth->y, truth->want, answer->got);
}

/* Whether any implementation did anything besides answering. */
static bool any_event;

static void note_event(void *context, enum event_kind kind, size_t index) {
    struct answer *answer = context;
    (void)index;
    any_event = true;
    if (!answer->event)
        answer->event = event_names[kind];
}

/* Runs an implementation on the one input; false only for trouble of the environment. */
static bool run_implementation(const struct evaluation *evaluation,
                               const struct implementation *implementation, int result,
                               struct answer *answer, struct error *why, struct error *error) {
    const struct binding_request request = {evaluation->operation, evaluation->format,
                                            evaluation->rounding, OVERFLOW_IEEE,
                                            evaluation->parameters};
    struct binding binding;
    *answer = (struct answer){.name = implementation->name, .detail = implementation->detail};
    answer->provided = implementation_bind(&binding, implementation, &request, why);
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
    bool filled = binding_fill(&binding, &slice, note_event, answer, error);
    binding_close(&binding);
    answer->got = code_load(&out[result], format_bytes(evaluation->result_format), 0);
    return filled;
}

const char *verdict_text(const struct judgement *judgement) {
    switch (judgement->verdict) {
    case VERDICT_CORRECT:
        return judgement->nan_bits_differ ? "NaN as it should be, with other bits"
                                          : "correctly rounded";
    case VERDICT_INCORRECT:
        return judgement->faithful ? "faithful, not correctly rounded" : "not faithful";
    case VERDICT_SIGN_MISMATCH:
        return "wrong sign of zero";
    default:
        return "NaN mismatch";
    }
}

void print_number(const char *label, const struct format *format, uint64_t code) {
    char decimal[NUMBER_TEXT], hex[NUMBER_TEXT], bits[NUMBER_TEXT];
    printf("  %-9s %s  %s  %s", label, format_decimal_text(format, code, decimal),
           format_hex_text(format, code, hex), format_bits_text(format, code, bits));
}

static void print_truth(const struct evaluation *evaluation, const struct truth *truth) {
    static const char *const names[] = {"x", "y", "z"};
    printf("%s in %s, %s", truth->name, evaluation->format->name,
           rounding_names[evaluation->rounding]);
    text_print_parameters(stdout, &evaluation->parameters);
    printf("\n");
    for (int i = 0; i < evaluation->operation->operands; i++) {
        print_number(names[i], evaluation->format, evaluation->input[i]);
        printf("\n");
    }
    printf("  exact     %s\n", truth->exact);
    print_number("rounded", evaluation->result_format, truth->want);
    printf("\n");
    if (truth->y.kind == REAL_FINITE &&
        !format_overflows(evaluation->result_format, &truth->y, evaluation->rounding))
        printf("  boundary  %.17g ulp away: there the rounding changes\n",
               boundary_distance(evaluation->result_format, &truth->y, evaluation->rounding));
}

static void print_answer(const struct evaluation *evaluation, const struct answer *answer) {
    char error[32];
    if (!answer->provided) {
        printf("  %-9s not provided: %s\n", answer->name, answer->reason);
        return;
    }
    if (answer->unanswered) {
        printf("  %-9s no answer: %s\n", answer->name, answer->event);
        return;
    }
    print_number(answer->name, evaluation->result_format, answer->got);
    if (answer->event)
        printf("\n            %s", answer->event);
    if (answer->judgement.in_ulps)
        printf("\n            %s ulp, %s\n", text_error(answer->judgement.error, 10, error),
               verdict_text(&answer->judgement));
    else
        printf("\n            %s\n", verdict_text(&answer->judgement));
}

static void add_bits(cJSON *object, const char *name, const struct format *format, uint64_t code) {
    char text[NUMBER_TEXT];
    cJSON_AddStringToObject(object, name, format_bits_text(format, code, text));
}

static cJSON *json_truth(const struct evaluation *evaluation, const struct truth *truth) {
    const struct format *format = evaluation->result_format;
    char text[NUMBER_TEXT];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "operation", truth->name);
    cJSON_AddStringToObject(object, "format", evaluation->format->name);
    cJSON_AddStringToObject(object, "rounding", rounding_names[evaluation->rounding]);
    report_add_parameters(cJSON_AddObjectToObject(object, "parameters"), &evaluation->parameters);
    cJSON *input = cJSON_AddArrayToObject(object, "input");
    for (int i = 0; i < evaluation->operation->operands; i++)
        cJSON_AddItemToArray(input, cJSON_CreateString(format_bits_text(
                                        evaluation->format, evaluation->input[i], text)));
    cJSON_AddStringToObject(object, "exact", truth->exact);
    add_bits(object, "want", format, truth->want);
    if (truth->y.kind == REAL_FINITE && !format_overflows(format, &truth->y, evaluation->rounding))
        report_add_error(object, "boundary_distance",
                         boundary_distance(format, &truth->y, evaluation->rounding));
    cJSON_AddArrayToObject(object, "implementations");
    return object;
}

static void json_answer(cJSON *truth, const struct evaluation *evaluation,
                        const struct answer *answer) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(truth, "implementations"), object);
    cJSON_AddStringToObject(object, "name", answer->name);
    cJSON_AddStringToObject(object, "detail", answer->detail);
    cJSON_AddBoolToObject(object, "provided", answer->provided);
    if (!answer->provided) {
        cJSON_AddStringToObject(object, "reason", answer->reason);
        return;
    }
    if (answer->event)
        cJSON_AddStringToObject(object, "event", answer->event);
    if (answer->unanswered)
        return;
    add_bits(object, "got", evaluation->result_format, answer->got);
    cJSON_AddStringToObject(object, "verdict", verdict_text(&answer->judgement));
    cJSON_AddBoolToObject(object, "faithful", answer->judgement.faithful);
    if (answer->judgement.in_ulps)
        report_add_error(object, "error", answer->judgement.error);
}

/* One result of an evaluation, to stdout or into the array. */
static bool evaluate_result(const struct evaluation *evaluation, int result, cJSON *array,
                            struct error *error) {
    struct truth truth;
    if (!find_truth(evaluation, result, &truth, error))
        return false;
    cJSON *object = array ? json_truth(evaluation, &truth) : NULL;
    if (array)
        cJSON_AddItemToArray(array, object);
    else
        print_truth(evaluation, &truth);
    size_t count = evaluation->selection->implementation_count;
    bool given = (size_t)result < evaluation->given_count;
    for (size_t i = 0; i < count + given; i++) {
        struct answer answer = {.name = "got", .detail = "given on the command line"};
        struct error why = {{0}};
        if (i == count) {
            answer.provided = true;
            answer.got = evaluation->given[result];
        } else if (!run_implementation(evaluation, &evaluation->selection->implementations[i],
                                       result, &answer, &why, error))
            return false;
        judge(evaluation, &truth, &answer);
        if (array)
            json_answer(object, evaluation, &answer);
        else
            print_answer(evaluation, &answer);
    }
    return true;
}

bool read_value(const struct format *format, const char *text, bool remarks, uint64_t *code,
                struct error *error) {
    struct parsed_value value;
    if (!format_parse(format, text, &value, error))
        return false;
    *code = value.code;
    if (value.rounded && remarks) {
        char hex[3][NUMBER_TEXT];
        struct error note;
        error_set(&note, "%s is not a number of %s; rounded to %s, between %s and %s", text,
                  format->name, format_hex_text(format, value.code, hex[0]),
                  format_hex_text(format, value.below, hex[1]),
                  format_hex_text(format, value.above, hex[2]));
        remark("note", &note);
    }
    return true;
}

static bool read_given(struct evaluation *evaluation, const struct arguments *arguments,
                       bool remarks, struct error *error) {
    evaluation->given_count = 0;
    for (size_t i = 0; i < arguments->given_count; i++) {
        if (strcmp(arguments->given[i].option->name, "got") != 0)
            continue;
        if (evaluation->given_count == (size_t)evaluation->operation->results)
            return error_set(error, "%s has %d result%s, and takes as many --got",
                             evaluation->operation->name, evaluation->operation->results,
                             evaluation->operation->results == 1 ? "" : "s");
        if (!read_value(evaluation->result_format, arguments->given[i].value, remarks,
                        &evaluation->given[evaluation->given_count++], error))
            return false;
    }
    return true;
}

static bool evaluate_all(const struct arguments *arguments, const struct selection *selection,
                         cJSON *array, bool remarks, struct error *error) {
    if (selection->operations[0]->array)
        return evaluate_arrays(arguments, selection, array, remarks, error);
    struct evaluation evaluation = {.operation = selection->operations[0], .selection = selection};
    size_t operands = (size_t)evaluation.operation->operands;
    size_t values = arguments->positional_count - 1;
    if (values == 0 || values % operands != 0)
        return error_set(error, "%s wants %zu value%s (or a multiple of that), not %zu",
                         evaluation.operation->name, operands, operands == 1 ? "" : "s", values);
    if (!select_parameters(selection, evaluation.operation, selection->formats[0],
                           selection->roundings[0], &evaluation.parameters, error))
        return false;
    bool first = true;
    for (size_t f = 0; f < selection->format_count; f++) {
        evaluation.format = selection->formats[f];
        evaluation.result_format =
            parameters_result_format(&selection->parameters, evaluation.format);
        if (!read_given(&evaluation, arguments, remarks, error))
            return false;
        for (size_t at = 0; at < values; at += operands) {
            for (size_t i = 0; i < operands; i++)
                if (!read_value(evaluation.format, arguments->positional[1 + at + i], remarks,
                                &evaluation.input[i], error))
                    return false;
            for (size_t r = 0; r < selection->rounding_count; r++)
                for (int result = 0; result < evaluation.operation->results; result++) {
                    evaluation.rounding = selection->roundings[r];
                    if (!select_parameters(selection, evaluation.operation, evaluation.format,
                                           evaluation.rounding, &evaluation.parameters, error))
                        return false;
                    if (!array && !first)
                        printf("\n");
                    first = false;
                    if (!evaluate_result(&evaluation, result, array, error))
                        return false;
                }
        }
    }
    return true;
}

/* The document, complete, or NULL. */
static char *json_text(const struct arguments *arguments, const struct selection *selection,
                       struct error *error) {
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "detcheck/eval/1");
    cJSON *results = cJSON_AddArrayToObject(document, "results");
    bool made = evaluate_all(arguments, selection, results, true, error);
    char *text = made ? cJSON_Print(document) : NULL;
    cJSON_Delete(document);
    if (made && !text)
        error_set(error, "out of memory for the report");
    return text;
}

/* Everything that can fail comes before anything is printed; the file appears last of all. */
static bool evaluate_with_json(const struct arguments *arguments, const struct selection *selection,
                               const char *path, struct error *error) {
    struct output output;
    if (!output_open(&output, path, error))
        return false;
    char *text = json_text(arguments, selection, error);
    bool printed =
        text &&
        (output.stream == stdout ||
         (evaluate_all(arguments, selection, NULL, false, error) && output_flush_stdout(error)));
    if (printed)
        fprintf(output.stream, "%s\n", text);
    cJSON_free(text);
    if (!printed) {
        output_discard(&output);
        return false;
    }
    return output_commit(&output, error);
}

static int run(const struct arguments *arguments) {
    static struct selection selection;
    struct error error;
    if (arguments->positional_count < 2) {
        error_set(&error, "eval wants an operation and its value, such as: detcheck eval exp 0.5");
        return trouble(&error);
    }
    const struct operation *operation = operation_find(arguments->positional[0], &error);
    if (!operation)
        return trouble(&error);
    selection.operations[0] = operation;
    selection.operation_count = 1;
    if (!select_options(&selection, arguments, operation->converts ? "det" : "libm", &error))
        return trouble(&error);
    const char *json = argument_value(arguments, "json", NULL);
    bool done = json ? evaluate_with_json(arguments, &selection, json, &error)
                     : evaluate_all(arguments, &selection, NULL, true, &error);
    if (!done)
        return trouble(&error);
    return any_event ? EXIT_JUDGED_BAD : EXIT_OK;
}

const struct command command_eval = {
    .name = "eval",
    .usage = "OPERATION VALUE...",
    .summary = "compute one input exactly and show what implementations return for it",
    .details = details,
    .arguments = VALUE_OPERATION,
    .options = options,
    .parameters = true,
    .run = run,
};
