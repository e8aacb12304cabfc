/* Formulas step by step, over strips of numbers. */
#include "impl/steps_program.h"

#include "impl/detmath.h"
#include "impl/steps_arithmetic.h"
#include "op/formula/functions.h"
#include "oracle/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PRODUCTS = 64 };

/* What a node that calls no function of others does, beyond its kind. */
struct own_step {
    enum { OWN_ROUNDING, OWN_SQRT, OWN_RECIP } function;
    enum rounding rounding; /* to an integer */
    long products;          /* the whole exponent of a power by products, or 0 */
};

/* The whole exponent of a power by products, or 0. */
static long products(const struct formula *formula, const struct formula_node *node) {
    const struct formula_node *exponent = &formula->nodes[node->arguments[1]];
    bool negative = exponent->kind == FORMULA_NEGATE;
    if (negative)
        exponent = &formula->nodes[exponent->arguments[0]];
    if (node->kind != FORMULA_POWER || exponent->kind != FORMULA_NUMBER ||
        mpz_cmp_ui(mpq_denref(exponent->number), 1) != 0 ||
        mpz_cmp_ui(mpq_numref(exponent->number), MOST_PRODUCTS) > 0)
        return 0;
    long n = mpz_get_si(mpq_numref(exponent->number));
    return negative ? -n : n;
}

/* Whether a step needs no function of others, and what it is then. */
static bool find_own(const struct formula *formula, const struct formula_node *node,
                     struct own_step *own) {
    bool function = node->kind == FORMULA_FUNCTION;
    const struct function_rule *rule = function ? function_rule(node->operation) : NULL;
    own->function = function && strcmp(node->operation->name, "sqrt") == 0    ? OWN_SQRT
                    : function && strcmp(node->operation->name, "recip") == 0 ? OWN_RECIP
                                                                              : OWN_ROUNDING;
    own->rounding = rule ? rule->rounding : ROUND_NEAREST_EVEN;
    own->products = products(formula, node);
    if (node->kind == FORMULA_POWER)
        return own->products != 0;
    return !function || own->function != OWN_ROUNDING || (rule && rule->shape == SHAPE_STEPS);
}

/* The steps of a library in the place of a node's function; their own functions are the others. */
static bool open_row(struct steps_program *program, int number, const char *steps,
                     enum overflow overflow, bool *broken, struct error *why) {
    const struct step_functions others = {.others = program->functions.others};
    struct formula *formula = formula_parse(steps, why);
    if (formula)
        program->rows[number] =
            steps_program_open(formula, program->format, &others, overflow, broken, why);
    return program->rows[number];
}

/* Opens the function of a node, which is none of the steps' own. */
static bool open_function(struct steps_program *program, int number,
                          const struct binding_request *step, bool *broken, struct error *why) {
    const char *steps =
        function_steps(program->functions.source, step->operation->name, program->format);
    if (steps)
        return open_row(program, number, steps, step->overflow, broken, why);
    if (program->oracles) {
        oracle_open(&program->oracles[number], step->operation, program->format, NULL,
                    oracle_precision(program->format));
        return true;
    }
    const bool good =
        implementation_bind(&program->bindings[number], &program->functions.others, step, why);
    if (!good)
        program->bindings[number].implementation = NULL;
    return good;
}

/* The functions of all steps; numbers are set once. */
static bool prepare(struct steps_program *program, enum overflow overflow, bool *broken,
                    struct error *why) {
    for (int i = 0; i < program->formula->count; i++) {
        const struct formula_node *node = &program->formula->nodes[i];
        double *values = program->values + (size_t)i * STEPS_STRIP;
        struct binding_request step = {.operation = node->operation,
                                       .format = program->format,
                                       .rounding = ROUND_NEAREST_EVEN,
                                       .overflow = overflow};
        if (node->kind <= FORMULA_NAN)
            values[0] = steps_constant(program->format, node);
        for (int j = 1; j < STEPS_STRIP && node->kind <= FORMULA_NAN; j++)
            values[j] = values[0];
        if (!find_own(program->formula, node, &program->own[i]) &&
            !open_function(program, i, &step, broken, why))
            return false;
    }
    return true;
}

struct steps_program *steps_program_open(struct formula *formula, const struct format *format,
                                         const struct step_functions *functions,
                                         enum overflow overflow, bool *broken, struct error *why) {
    struct steps_program *program = calloc(1, sizeof *program);
    const size_t count = (size_t)formula->count;
    *broken = !program;
    if (!program) {
        formula_free(formula);
        error_set(why, "out of memory");
        return NULL;
    }
    program->formula = formula;
    program->format = format;
    program->functions = *functions;
    program->bindings = calloc(count, sizeof *program->bindings);
    program->rows = calloc(count, sizeof *program->rows);
    program->own = calloc(count, sizeof *program->own);
    program->values = calloc(count * STEPS_STRIP, sizeof *program->values);
    const bool asks = functions->others.kind == &implementation_cr &&
                      !format_is_within(format, &formats[FORMAT_FP32]);
    if (asks)
        program->oracles = calloc(count, sizeof *program->oracles);
    *broken = !program->bindings || !program->rows || !program->own || !program->values ||
              (asks && !program->oracles);
    if (*broken)
        error_set(why, "out of memory");
    else if (prepare(program, overflow, broken, why))
        return program;
    steps_program_close(program);
    return NULL;
}

void steps_program_close(struct steps_program *program) {
    if (!program)
        return;
    for (int i = 0; program->bindings && i < program->formula->count; i++)
        if (program->bindings[i].implementation)
            binding_close(&program->bindings[i]);
    for (int i = 0; program->rows && i < program->formula->count; i++)
        steps_program_close(program->rows[i]);
    for (int i = 0; program->oracles && i < program->formula->count; i++)
        if (program->oracles[i].operation)
            oracle_close(&program->oracles[i]);
    free(program->oracles);
    free(program->bindings);
    free(program->rows);
    free(program->own);
    free(program->values);
    formula_free(program->formula);
    free(program);
}

static double step(const struct format *format, const struct formula_node *node,
                   const struct own_step *own, double a, double b, double c, double d) {
    switch (node->kind) {
    case FORMULA_NEGATE:
        return -a;
    case FORMULA_MAGNITUDE:
        return fabs(a);
    case FORMULA_ADD:
        return steps_rounded(format, a + b);
    case FORMULA_SUBTRACT:
        return steps_rounded(format, a - b);
    case FORMULA_MULTIPLY:
        return steps_rounded(format, a * b);
    case FORMULA_DIVIDE:
        return steps_rounded(format, a / b);
    case FORMULA_FUSED:
        return steps_fused(format, a, b, c);
    case FORMULA_POWER:
        return steps_power(format, a, own->products);
    case FORMULA_LESSER:
    case FORMULA_GREATER:
        return steps_extremum(a, b, node->kind == FORMULA_GREATER);
    case FORMULA_SELECT:
        return formula_holds(node->relation, steps_order(a, b)) ? c : d;
    case FORMULA_ROUND:
        return steps_rounded(format, steps_rounded(node->format, a));
    default:
        return steps_rounded(format, own->function == OWN_SQRT ? sqrt(a)
                                     : own->function == OWN_RECIP
                                         ? 1 / a
                                         : steps_to_integer(a, own->rounding));
    }
}

static bool call(struct steps_program *program, int number, size_t count, event_function *event,
                 void *context, struct error *error) {
    const struct formula_node *node = &program->formula->nodes[number];
    size_t bytes = format_bytes(program->format);
    struct slice slice = {.count = count, .results = {program->results}};
    for (int i = 0; i < node->count; i++) {
        const double *from = program->values + (size_t)node->arguments[i] * STEPS_STRIP;
        for (size_t j = 0; j < count; j++)
            code_store(program->codes[i], bytes, j, steps_code(program->format, from[j]));
        slice.operands[i] = program->codes[i];
    }
    if (!binding_fill(&program->bindings[number], &slice, event, context, error))
        return false;
    double *to = program->values + (size_t)number * STEPS_STRIP;
    for (size_t j = 0; j < count; j++)
        to[j] = steps_value(program->format, code_load(program->results, bytes, j));
    return true;
}

/* The exact results of a node's function, each rounded once. */
static bool ask(struct steps_program *program, int number, size_t count, struct error *error) {
    const struct formula_node *node = &program->formula->nodes[number];
    double *to = program->values + (size_t)number * STEPS_STRIP;
    oracle_thread_begin();
    for (size_t j = 0; j < count; j++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        struct real y;
        for (int i = 0; i < node->count; i++)
            codes[i] = steps_code(program->format,
                                  program->values[(size_t)node->arguments[i] * STEPS_STRIP + j]);
        if (!oracle_exact(&program->oracles[number], codes, 0, &y, error))
            return false;
        to[j] = steps_value(program->format,
                            format_encode(program->format, &y, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    }
    return true;
}

/* A library's steps, of one number. */
static bool run_row(struct steps_program *program, int number, size_t count, event_function *event,
                    void *context, struct error *error) {
    struct steps_program *row = program->rows[number];
    const size_t size = count * sizeof *program->values;
    const double *x = steps_program_values(program, program->formula->nodes[number].arguments[0]);
    for (int i = 0; i < row->formula->count; i++)
        if (row->formula->nodes[i].kind == FORMULA_OPERAND)
            memcpy(steps_program_values(row, i), x, size);
    if (!steps_program_run(row, count, event, context, error))
        return false;
    memcpy(steps_program_values(program, number),
           steps_program_values(row, row->formula->count - 1), size);
    return true;
}

/* A function that is not the steps' own; *is_one: whether the node is one. */
static bool run_function(struct steps_program *program, int number, size_t count, bool *is_one,
                         event_function *event, void *context, struct error *error) {
    *is_one = true;
    if (program->rows[number])
        return run_row(program, number, count, event, context, error);
    if (program->oracles && program->oracles[number].operation)
        return ask(program, number, count, error);
    if (program->bindings[number].implementation)
        return call(program, number, count, event, context, error);
    *is_one = false;
    return true;
}

bool steps_program_run(struct steps_program *program, size_t count, event_function *event,
                       void *context, struct error *error) {
    for (int i = 0; i < program->formula->count; i++) {
        const struct formula_node *node = &program->formula->nodes[i];
        if (node->kind <= FORMULA_OPERAND)
            continue;
        bool is_function;
        if (!run_function(program, i, count, &is_function, event, context, error))
            return false;
        if (is_function)
            continue;
        const double *from[FORMULA_ARGUMENTS];
        for (int k = 0; k < FORMULA_ARGUMENTS; k++)
            from[k] =
                program->values + (size_t)node->arguments[k < node->count ? k : 0] * STEPS_STRIP;
        double *to = program->values + (size_t)i * STEPS_STRIP;
        for (size_t j = 0; j < count; j++)
            to[j] = step(program->format, node, &program->own[i], from[0][j], from[1][j],
                         from[2][j], from[3][j]);
    }
    return true;
}

bool steps_program_fill(struct steps_program *program, const struct format *format,
                        const struct slice *slice, event_function *event, void *context,
                        struct error *error) {
    const int nodes = program->formula->count;
    const size_t bytes = format_bytes(format);
    for (size_t at = 0; at < slice->count; at += STEPS_STRIP) {
        size_t count = slice->count - at < STEPS_STRIP ? slice->count - at : STEPS_STRIP;
        for (int i = 0; i < nodes; i++) {
            const struct formula_node *node = &program->formula->nodes[i];
            double *values = steps_program_values(program, i);
            for (size_t j = 0; node->kind == FORMULA_OPERAND && j < count; j++)
                values[j] =
                    steps_rounded(program->format,
                                  steps_value(format, code_load(slice->operands[node->arguments[0]],
                                                                bytes, at + j)));
        }
        if (!steps_program_run(program, count, event, context, error))
            return false;
        const double *whole = steps_program_values(program, nodes - 1);
        for (size_t j = 0; j < count; j++)
            code_store(slice->results[0], bytes, at + j, steps_code(format, whole[j]));
    }
    return true;
}
