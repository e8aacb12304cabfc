/* `detcheck eval` for operations on arrays: one call, every element of its results. */
#include "element_text.h"
#include "eval.h"
#include "eval_draw.h"
#include "eval_effects.h"
#include "eval_got.h"
#include "eval_texts.h"

#include "base/foreign.h"
#include "format/text.h"
#include "oracle/exact.h"
#include "report/items.h"
#include "report/report.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct array_evaluation {
    const struct operation *operation;
    struct eval_run *run;
    struct binding_request request;
    struct array_call call;
    const char *const *values; /* of all operands, as they were given */
    size_t value_count;
    struct eval_draw draw;
};

/* What one implementation made of it. */
struct array_answer {
    struct eval_run *run;
    const char *name;
    bool is_given; /* by --got: there was no call */
    bool provided;
    struct error why;
    void *codes[MAX_RESULTS];
    const char *event;  /* what it did besides answering, or NULL */
    uint8_t unanswered; /* then there are no codes */
    struct told_effects told;
};

static int operands_of(const struct array_evaluation *evaluation) {
    return operation_operands(evaluation->operation, &evaluation->request.parameters);
}

static bool read_elements(struct array_evaluation *evaluation, struct error *error) {
    size_t at = 0;
    if (evaluation->operation->array->takes_texts)
        return texts_read(&evaluation->call.operands[0], evaluation->values,
                          evaluation->value_count, error);
    for (int i = 0; i < operands_of(evaluation); i++) {
        const struct array *array = &evaluation->call.operands[i];
        for (uint64_t j = 0; j < shape_elements(&array->shape); j++, at++) {
            uint64_t code;
            if (!read_value(evaluation->run, array->format, evaluation->values[at], &code, error))
                return false;
            array_set_code(array, j, code);
        }
    }
    return true;
}

static bool open_call(struct array_evaluation *evaluation, struct error *error) {
    const struct operation *operation = evaluation->operation;
    const int operands = operands_of(evaluation);
    const bool of_texts = operation->array->takes_texts;
    const struct shape lines = texts_shape(evaluation->values, evaluation->value_count);
    size_t values = of_texts ? (size_t)shape_elements(&lines) : evaluation->value_count;
    struct shape shape;
    bool shaped;
    evaluation->call = (struct array_call){.parameters = &evaluation->request.parameters,
                                           .rounding = evaluation->request.rounding,
                                           .overflow = evaluation->request.overflow};
    if (evaluation->draw.drawn)
        return eval_draw_call(&evaluation->draw, &evaluation->request, &evaluation->call, error);
    if (values < (size_t)operands)
        return error_set(error, "%s needs %d value%s or more, not %zu", operation->name, operands,
                         operands == 1 ? "" : "s", values);
    if (!array_call_plan_values(&evaluation->call, operation->array, evaluation->request.format,
                                operands, values, of_texts ? &lines : &evaluation->run->words.shape,
                                &shaped, &shape, error))
        return false;
    if (shaped && shape.dimensions > 1) /* workers get the shape as a parameter */
        evaluation->request.parameters.values[PARAMETER_SHAPE_OF] =
            (struct parameter_value){.present = true, .shape = shape};
    uint64_t wanted = array_call_values(&evaluation->call, operands);
    if (wanted != values && !of_texts)
        return error_set(error, "%s of that shape needs %" PRIu64 " values, not %zu",
                         operation->name, wanted, values);
    if (!array_call_allocate(&evaluation->call, operands, operation->results))
        return error_set(error, "out of memory for an array");
    return read_elements(evaluation, error);
}

static void note_event(void *context, enum event_kind kind, size_t index) {
    struct array_answer *answer = context;
    (void)index;
    answer->event = event_names[kind];
    answer->run->had_event = true;
}

/* False only for trouble of the environment. */
static bool run_implementation(struct array_evaluation *evaluation,
                               const struct implementation *implementation,
                               struct array_answer *answer, struct error *error) {
    struct binding binding;
    *answer = (struct array_answer){.run = evaluation->run, .name = implementation->name};
    answer->provided =
        implementation_bind(&binding, implementation, &evaluation->request, &answer->why);
    if (!answer->provided) {
        *error = answer->why;
        return !binding.broken;
    }
    struct array_call call = evaluation->call;
    bool room = told_effects_open(&answer->told, &binding, &call, error);
    for (int r = 0; r < evaluation->operation->results; r++) {
        answer->codes[r] = calloc((size_t)shape_elements(&call.results[r].shape),
                                  format_bytes(call.results[r].format));
        call.results[r].codes = answer->codes[r];
        room = room && answer->codes[r];
    }
    const struct slice slice = {.count = 1, .unanswered = &answer->unanswered, .array = &call};
    bool filled = room ? eval_fill(&binding, &slice, note_event, answer, error)
                       : error_set(error, "out of memory for an array");
    binding_close(&binding);
    return filled;
}

/* One element of a result and what everybody says of it. */
struct element {
    const struct array *result;
    uint64_t index;
    const struct real *y;
    const struct real *unrounded; /* the same but for steps of the definition that round */
    uint64_t want;
    bool by_rule; /* judge_by_rule */
    const struct judge *judge;
    const struct array_call *call;
    struct effects_shown shown;
    const struct real *scales; /* of results that are judged by value */
};

/* An implementation's output, and the judgement of it. */
static struct judgement judge_answer(const struct element *element, int result,
                                     const struct array_answer *answer, uint64_t *got) {
    struct array outputs[MAX_ARRAY_RESULTS];
    struct real held;
    bool by_rule;
    for (int r = 0; r < MAX_ARRAY_RESULTS; r++) {
        outputs[r] = element->call->results[r];
        outputs[r].codes = answer->codes[r];
    }
    uint64_t judged,
        want = array_want_beside(element->call, result, element->index, element->y,
                                 strcmp(answer->name, "det") == 0 ? NULL : element->scales, outputs,
                                 ORACLE_MOST_BITS, &held, &judged, &by_rule);
    *got = array_code(&outputs[result], element->index);
    return judge_by_rule(element->judge, &held, want, by_rule, judged);
}

static void exact_text(const struct element *element, char text[ELEMENT_TEXT]) {
    if (!element_decimal_text(element->call, element->index, text))
        element_value_text(element->unrounded, text);
}

static void print_element(const struct element *element, int result,
                          const struct array_answer *answers, size_t count) {
    char text[ELEMENT_TEXT], error[32];
    printf("%s\n", element_place_text(&element->result->shape, element->index, text));
    exact_text(element, text);
    printf("  exact      %s\n", text);
    print_number(element_is_rounded_once(element->y, element->unrounded) ? "rounded " : "defined ",
                 element->result->format, element->want);
    printf("\n");
    for (size_t i = 0; i < count; i++) {
        if (!answers[i].provided || answers[i].unanswered)
            continue;
        uint64_t got;
        struct judgement judgement = judge_answer(element, result, &answers[i], &got);
        char name[16];
        snprintf(name, sizeof name, "%-10.10s", FOREIGN(answers[i].name));
        print_number(name, element->result->format, got);
        if (judgement.in_ulps)
            printf("\n             %s ulp, %s\n", text_error(judgement.error, 10, error),
                   verdict_text(&judgement));
        else
            printf("\n             %s\n", verdict_text(&judgement));
        if (!answers[i].is_given)
            told_effects_show(&element->shown, &answers[i].told, element->index, 0, NULL);
    }
}

static void add_bits(cJSON *object, const char *name, const struct format *format, uint64_t code) {
    char text[NUMBER_TEXT];
    cJSON_AddStringToObject(object, name, format_bits_text(format, code, text));
}

static void add_element(cJSON *elements, const struct element *element, int result,
                        const struct array_answer *answers, size_t count) {
    const struct format *format = element->result->format;
    char text[ELEMENT_TEXT];
    cJSON *object = json_append(elements);
    exact_text(element, text);
    cJSON_AddStringToObject(object, "exact", text);
    add_bits(object, "want", format, element->want);
    cJSON *implementations = cJSON_AddArrayToObject(object, "implementations");
    for (size_t i = 0; i < count; i++) {
        cJSON *answer = json_append(implementations);
        cJSON_AddStringToObject(answer, "name", answers[i].name);
        cJSON_AddBoolToObject(answer, "provided", answers[i].provided);
        if (!answers[i].provided) {
            cJSON_AddStringToObject(answer, "reason", answers[i].why.text);
            continue;
        }
        if (answers[i].event)
            cJSON_AddStringToObject(answer, "event", answers[i].event);
        if (answers[i].unanswered)
            continue;
        uint64_t got;
        struct judgement judgement = judge_answer(element, result, &answers[i], &got);
        add_bits(answer, "got", format, got);
        cJSON_AddStringToObject(answer, "verdict", verdict_text(&judgement));
        cJSON_AddBoolToObject(answer, "faithful", judgement.faithful);
        if (judgement.in_ulps)
            report_add_error(answer, "error", judgement.error);
        if (!answers[i].is_given)
            told_effects_show(&element->shown, &answers[i].told, element->index, 0, answer);
    }
}

static cJSON *add_heading(cJSON *array, const struct array_evaluation *evaluation, int result) {
    const struct binding_request *request = &evaluation->request;
    char name[64], text[NUMBER_TEXT];
    cJSON *object = json_append(array);
    cJSON_AddStringToObject(object, "operation",
                            operation_result_name(evaluation->operation, result, name));
    cJSON_AddStringToObject(object, "format", request->format->name);
    cJSON_AddStringToObject(object, "rounding", rounding_names[request->rounding]);
    report_add_parameters(cJSON_AddObjectToObject(object, "parameters"), &request->parameters);
    cJSON *input = cJSON_AddArrayToObject(object, "input");
    for (int i = 0; i < operands_of(evaluation); i++) {
        const struct array *operand = &evaluation->call.operands[i];
        cJSON *codes = cJSON_CreateArray();
        cJSON_AddItemToArray(input, codes);
        for (uint64_t j = 0; j < shape_elements(&operand->shape); j++)
            cJSON_AddItemToArray(codes, cJSON_CreateString(format_bits_text(
                                            operand->format, array_code(operand, j), text)));
    }
    return cJSON_AddArrayToObject(object, "elements");
}

static void print_heading(const struct array_evaluation *evaluation, int result,
                          const struct array_answer *answers, size_t count) {
    char name[64];
    printf("%s in %s, %s", operation_result_name(evaluation->operation, result, name),
           evaluation->request.format->name, rounding_names[evaluation->request.rounding]);
    text_print_parameters(stdout, &evaluation->request.parameters);
    printf("\n");
    for (size_t i = 0; i < count; i++) {
        if (!answers[i].provided)
            printf("  %-10s not provided: %s\n", FOREIGN(answers[i].name), answers[i].why.text);
        if (answers[i].event)
            printf("  %-10s %s%s\n", FOREIGN(answers[i].name),
                   answers[i].unanswered ? "no answer: " : "", answers[i].event);
    }
}

/* The outputs that --got gives, as the answer of nobody. */
static bool read_got(const struct array_evaluation *evaluation, struct array_answer *answer,
                     struct error *error) {
    answer->run = evaluation->run;
    answer->name = "got";
    answer->is_given = true;
    return got_read(evaluation->run, evaluation->operation, evaluation->call.results, answer->codes,
                    &answer->provided, error);
}

static bool show_texts(const struct array_evaluation *evaluation, const struct real *y,
                       const struct array_answer *answers, size_t count, cJSON *list,
                       struct error *error) {
    struct text_answer given[MAX_IMPLEMENTATIONS + 1];
    for (size_t i = 0; i < count; i++)
        given[i] = (struct text_answer){answers[i].name, answers[i].provided,
                                        answers[i].unanswered ? NULL : answers[i].codes[0],
                                        answers[i].is_given ? NULL : &answers[i].told};
    return texts_show((struct effects_shown){&evaluation->call, y, &evaluation->run->observed},
                      given, count, list, error);
}

static bool show_result(const struct array_evaluation *evaluation, int result,
                        const struct array_answer *answers, size_t count, struct error *error) {
    cJSON *array = evaluation->run->array;
    const struct array *values = &evaluation->call.results[result];
    const struct judge judge = {values->format, evaluation->request.rounding, OVERFLOW_IEEE, false};
    uint64_t first = 0, elements = shape_elements(&values->shape);
    const struct array_rule *rule = evaluation->operation->array;
    const bool by_value = array_is_by_value(&evaluation->call);
    const uint64_t places = by_value ? shape_elements(&evaluation->call.results[1].shape) : 0;
    struct real *y = calloc((size_t)(2 * elements + places), sizeof *y), *shown = y;
    if (!y)
        return error_set(error, "out of memory for an array");
    struct real *scales = by_value ? y + 2 * elements : NULL;
    oracle_thread_begin();
    bool known = rule->exact(&evaluation->call, result, ORACLE_MOST_BITS, y, error);
    if (known && by_value)
        known = rule->exact(&evaluation->call, 1, ORACLE_MOST_BITS, scales, error);
    if (known && rule->unrounded) {
        shown = y + elements;
        known = rule->unrounded(&evaluation->call, result, ORACLE_MOST_BITS, shown, error);
    }
    known = known && eval_draw_elements(&evaluation->draw, &first, &elements, error);
    cJSON *list = known && array ? add_heading(array, evaluation, result) : NULL;
    if (known && !array)
        print_heading(evaluation, result, answers, count);
    if (known && rule->gives_texts) {
        known = show_texts(evaluation, y, answers, count, list, error);
        elements = 0;
    }
    for (uint64_t i = first; known && i < elements; i++) {
        struct element element = {.result = values,
                                  .index = i,
                                  .y = &y[i],
                                  .unrounded = &shown[i],
                                  .judge = &judge,
                                  .call = &evaluation->call,
                                  .shown = {&evaluation->call, y, &evaluation->run->observed},
                                  .scales = scales};
        element.want = array_want(&evaluation->call, result, i, &y[i], &element.by_rule);
        if (array)
            add_element(list, &element, result, answers, count);
        else
            print_element(&element, result, answers, count);
    }
    free(y);
    return known;
}

static bool evaluate_call(struct array_evaluation *evaluation, struct error *error) {
    struct implementation chosen[MAX_IMPLEMENTATIONS];
    struct array_answer answers[MAX_IMPLEMENTATIONS + 1] = {0};
    size_t count = select_implementations(evaluation->run->selection, &evaluation->request, chosen);
    bool good = open_call(evaluation, error);
    for (size_t i = 0; good && i < count; i++)
        good = run_implementation(evaluation, &chosen[i], &answers[i], error);
    good = good && read_got(evaluation, &answers[count], error);
    count += answers[count].provided || answers[count].codes[0];
    for (int result = 0; good && result < evaluation->operation->results; result++)
        good = show_result(evaluation, result, answers, count, error);
    for (size_t i = 0; i < count; i++) {
        told_effects_close(&answers[i].told);
        for (int r = 0; r < MAX_RESULTS; r++)
            free(answers[i].codes[r]);
    }
    array_call_free(&evaluation->call);
    return good;
}

bool evaluate_arrays(struct eval_run *run, struct error *error) {
    const struct selection *selection = run->selection;
    struct array_evaluation evaluation = {.operation = selection->operations[0], .run = run};
    const bool remarks = run->remarks;
    const char *path = argument_value(run->arguments, "inputs", NULL);
    evaluation.values = run->arguments->positional + 1;
    evaluation.value_count = run->arguments->positional_count - 1;
    if (path && evaluation.value_count)
        return error_set(error, "--inputs has all values; leave out the others");
    if (!eval_draw_read(&evaluation.draw, run->arguments, evaluation.operation, error) ||
        (path && !run->words.count &&
         !(evaluation.operation->array->takes_texts ? words_lines_of_file
                                                    : words_of_file)(&run->words, path, error)))
        return false;
    if (path) {
        evaluation.values = run->words.items;
        evaluation.value_count = run->words.count;
    }
    bool first = true;
    for (size_t f = 0; f < selection->format_count; f++)
        for (size_t r = 0; r < selection->rounding_count; r++) {
            evaluation.request = (struct binding_request){.operation = evaluation.operation,
                                                          .format = selection->formats[f],
                                                          .rounding = selection->roundings[r],
                                                          .overflow = OVERFLOW_IEEE,
                                                          .flags = run->observed.flags,
                                                          .errnos = run->observed.errnos};
            if (!select_parameters(selection, evaluation.operation, selection->formats[f],
                                   selection->roundings[r], &evaluation.request.parameters, error))
                return false;
            if (!run->array && !first)
                printf("\n");
            first = false;
            run->remarks = remarks && r == 0; /* once for all roundings */
            if (!evaluate_call(&evaluation, error))
                return false;
        }
    return true;
}
