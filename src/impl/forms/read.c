/* Steps are read once: which values they take, and the program or the sum that they are. */
#include "impl/forms/run_parts.h"
#include "platform/processor.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_TEXT = 800 };

/* Before an expression whose functions are those of one number, beside a library's of vectors. */
#define SCALAR "scalar:"

static const char *const kind_words[STEP_KINDS] = {"",
                                                   "sum:",
                                                   "mean:",
                                                   "wide-sum:",
                                                   "wide-mean:",
                                                   "running-mean:",
                                                   "running-variance:",
                                                   "inverse-root:",
                                                   "root-estimate:",
                                                   "greatest:",
                                                   "dot:",
                                                   "turned:",
                                                   "scores:",
                                                   "weighed:"};

static int find_value(const struct form_run *run, const char *name, size_t length) {
    for (int i = 0; i < run->value_count; i++)
        if (strlen(run->values[i].name) == length &&
            strncmp(run->values[i].name, name, length) == 0)
            return i;
    return -1;
}

static int name_value(struct form_run *run, const char *name, size_t length) {
    const int known = find_value(run, name, length);
    if (known >= 0 || run->value_count == MOST_VALUES)
        return known;
    snprintf(run->values[run->value_count].name, sizeof run->values->name, "%.*s", (int)length,
             name);
    return run->value_count++;
}

static size_t word_length(const char *at) {
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

/* The names of values in an expression, each once. */
static bool find_arguments(const struct form_run *run, struct step *step, const char *text) {
    for (const char *at = text; *at;) {
        const size_t length = word_length(at);
        const int value = length ? find_value(run, at, length) : -1;
        bool known = at[length] == '(' || value < 0;
        for (int i = 0; i < step->count; i++)
            known = known || step->arguments[i] == value;
        if (!known && step->count == MAX_OPERANDS)
            return false;
        if (!known)
            step->arguments[step->count++] = value;
        at += length ? length : 1;
    }
    return step->count > 0;
}

/* A formula as it is written. */
struct text {
    char *at, *end;
};

static void add_text(struct text *to, const char *format, ...) {
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(to->at, (size_t)(to->end - to->at), format, values);
    va_end(values);
    to->at += length < to->end - to->at ? length : to->end - to->at - 1;
}

/* "round(bf16, x * r)" of "cast(x * r)". */
static void write_steps(const struct form_run *run, const char *text, struct text *to) {
    while (*text) {
        const size_t word = word_length(text);
        if (word == 4 && strncmp(text, "cast(", 5) == 0) {
            add_text(to, "round(%s, ", run->request.format->name);
            text += 5;
        } else {
            add_text(to, "%.*s", word ? (int)word : 1, text);
            text += word ? word : 1;
        }
    }
}

/* "form_step(x, r) = round(bf16, x * r)" of "cast(x * r)". */
static bool write_formula(const struct form_run *run, const struct step *step, const char *text,
                          char formula[STEP_TEXT]) {
    struct text to = {formula, formula + STEP_TEXT};
    add_text(&to, "form_step(");
    for (int i = 0; i < step->count; i++)
        add_text(&to, "%s%s", i ? ", " : "", run->values[step->arguments[i]].name);
    add_text(&to, ") = ");
    write_steps(run, text, &to);
    return to.at < to.end - 1;
}

static bool read_expression(struct form_run *run, struct step *step, const char *text, bool *broken,
                            struct error *error) {
    const struct step_functions scalar = {.others = run->request.functions->others};
    const size_t prefix = strncmp(text, SCALAR, strlen(SCALAR)) == 0 ? strlen(SCALAR) : 0;
    char formula[STEP_TEXT];
    text += prefix;
    if (!find_arguments(run, step, text) || !write_formula(run, step, text, formula))
        return error_set(error, "the form's step '%s' cannot be read", text);
    struct formula *tree = formula_parse(formula, error);
    if (!tree)
        return false;
    for (int i = 0; i < tree->count; i++)
        if (tree->nodes[i].kind == FORMULA_OPERAND)
            step->nodes[tree->nodes[i].arguments[0]] = i;
    step->program = steps_program_open(tree, run->format, prefix ? &scalar : run->request.functions,
                                       run->request.overflow, broken, error);
    return step->program;
}

/* "|name = kind: a, b" */
static bool read_step(struct form_run *run, const char *text, bool *broken, struct error *error) {
    struct step *step = &run->steps[run->step_count++];
    const char *at = text;
    step->of_block = *at == '|';
    at += step->of_block;
    const char *name = at;
    const size_t length = word_length(name);
    at += length + strspn(at + length, " =");
    for (int kind = STEP_SUM; kind < STEP_KINDS; kind++)
        if (strncmp(at, kind_words[kind], strlen(kind_words[kind])) == 0)
            step->kind = (enum step_kind)kind;
    bool good = true;
    if (step->kind == STEP_EACH)
        good = read_expression(run, step, at, broken, error);
    else if (!find_arguments(run, step, at + strlen(kind_words[step->kind])))
        good = error_set(error, "the form's step '%s' cannot be read", text);
    if (step->kind == STEP_ROOT_ESTIMATE &&
        (run->format != &formats[FORMAT_FP32] || !processor_estimates_roots()))
        good = error_set(error, "the form takes the processor's estimate of a root, which only "
                                "x86 has, and only in fp32");
    step->result = name_value(run, name, length);
    for (int i = 0; step->kind != STEP_EACH && i < step->count; i++)
        if (step->arguments[i] == step->result)
            good = error_set(error, "the form's step '%s' overwrites what it reads", text);
    return good && (step->result >= 0 || error_set(error, "the form has too many names"));
}

static void open_order(struct form_run *run) {
    const struct form_sums *sums = run->request.sums;
    order_open(&run->order, "dot", run->format, run->format);
    run->order.rules = sums->rules;
    if (sums->halved && run->format->width == 64)
        run->order.rules.rows[0].size /= 2;
    if (!sums->fused)
        run->order.nodes[0].product = run->format;
}

struct form_run *form_run_open(const struct form_request *request, bool *broken,
                               struct error *error) {
    struct form_run *run = calloc(1, sizeof *run);
    *broken = !run;
    if (!run) {
        error_set(error, "out of memory");
        return NULL;
    }
    run->request = *request;
    run->format = form_steps_format(request->format);
    open_order(run);
    for (int i = 0; i < request->name_count; i++)
        name_value(run, request->names[i].name, strlen(request->names[i].name));
    bool good = true;
    for (int i = 0; good && i < FORM_STEPS && request->form->steps[i]; i++)
        good = read_step(run, request->form->steps[i], broken, error);
    if (good)
        return run;
    form_run_close(run);
    return NULL;
}

struct form_run *form_run_like(const struct form_run *read, const struct form_sums *sums,
                               double from) {
    struct form_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    run->request = read->request;
    run->request.sums = sums;
    run->request.from = from;
    run->format = read->format;
    run->is_like = true;
    open_order(run);
    for (; run->value_count < read->value_count; run->value_count++)
        memcpy(run->values[run->value_count].name, read->values[run->value_count].name,
               sizeof run->values->name);
    memcpy(run->steps, read->steps, sizeof run->steps);
    for (; run->step_count < read->step_count; run->step_count++)
        run->steps[run->step_count].plan = NULL;
    return run;
}

void form_run_close(struct form_run *run) {
    if (!run)
        return;
    for (int i = 0; i < run->value_count; i++)
        free(run->values[i].all);
    for (int i = 0; i < run->step_count; i++) {
        if (!run->is_like)
            steps_program_close(run->steps[i].program);
        order_plan_close(run->steps[i].plan);
    }
    for (int i = 0; i < 2; i++)
        free(run->codes[i]);
    free(run->sums);
    order_close(&run->order);
    free(run);
}
