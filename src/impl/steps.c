/* The interpreter of formulas. */
#include "impl/steps.h"

#include "base/names.h"
#include "impl/detmath.h"
#include "impl/libm.h"
#include "impl/steps_arithmetic.h"
#include "op/formula/functions.h"
#include "op/formula/tree.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRIP = 512, MOST_PRODUCTS = 64 };

/* What a name says: "steps@FORMAT:IMPLEMENTATION: FORMULA". */
struct spelling {
    const struct format *format; /* NULL: the operands' */
    char functions[32];          /* the implementation that has them */
    const char *formula;
};

/* What a node that calls no function of others does, beyond its kind. */
struct own_step {
    enum { OWN_ROUNDING, OWN_SQRT, OWN_RECIP } function;
    enum rounding rounding; /* to an integer */
    long products;          /* the whole exponent of a power by products, or 0 */
};

struct steps_state {
    struct formula *formula;
    const struct format *format;         /* of the steps */
    struct implementation functions;     /* that has them */
    struct binding *bindings;            /* of each node that is a function */
    struct own_step *own;                /* of each node */
    double *values;                      /* STRIP of each node */
    uint64_t codes[MAX_OPERANDS][STRIP]; /* room for codes of any format */
    uint64_t results[STRIP];
};

bool steps_is_named(const char *name) {
    return strncmp(name, "steps", 5) == 0 && (name[5] == ':' || name[5] == '@') && name[6];
}

static bool spell_out(const char *name, struct spelling *spelling, struct error *error) {
    const char *at = name + strlen("steps");
    *spelling = (struct spelling){.functions = "det"};
    if (*at == '@') {
        char format[32];
        size_t length = strcspn(++at, ":");
        snprintf(format, sizeof format, "%.*s", (int)(length < 31 ? length : 31), at);
        spelling->format = format_find(format, error);
        if (!spelling->format)
            return false;
        at += length;
    }
    if (*at != ':')
        return error_set(error,
                         "the implementation '%.80s' is not whole; such as steps:1/sqrt(x), "
                         "steps@fp32: 1/sqrt(x) or steps:libm: exp(x)",
                         name);
    at++;
    const char *colon = strchr(at, ':');
    if (colon) {
        while (isspace((unsigned char)*at))
            at++;
        size_t length = (size_t)(colon - at);
        snprintf(spelling->functions, sizeof spelling->functions, "%.*s",
                 (int)(length < 31 ? length : 31), at);
        at = colon + 1;
    }
    spelling->formula = at;
    return true;
}

/* Whose functions steps may have. */
static bool open_functions(struct implementation *functions, const char *name,
                           const struct foreign_settings *foreign, struct error *error) {
    static const struct implementation_kind *const kinds[] = {
        &implementation_det, &implementation_cr, &implementation_libm};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (name_matches(name, kinds[i]->name, NULL)) {
            *functions = (struct implementation){.kind = kinds[i], .foreign = foreign};
            functions->name = kinds[i]->name;
            return functions->kind->open(functions, error);
        }
    return error_set(error, "the functions of steps are those of det, cr or libm, not of '%s'",
                     name);
}

static bool steps_open(struct implementation *implementation, struct error *error) {
    struct spelling spelling;
    struct implementation functions;
    if (!spell_out(implementation->name, &spelling, error))
        return false;
    if (!open_functions(&functions, spelling.functions, implementation->foreign, error))
        return false;
    struct formula *formula = formula_parse(spelling.formula, error);
    if (!formula)
        return false;
    snprintf(implementation->detail, sizeof implementation->detail,
             "detcheck %s, step by step in %s, functions by %.40s", DETCHECK_VERSION,
             spelling.format ? spelling.format->name : "the format of the operands",
             functions.name);
    formula_free(formula);
    return true;
}

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

static void free_state(struct steps_state *state) {
    if (!state)
        return;
    for (int i = 0; state->bindings && i < state->formula->count; i++)
        if (state->bindings[i].implementation)
            binding_close(&state->bindings[i]);
    free(state->bindings);
    free(state->own);
    free(state->values);
    formula_free(state->formula);
    free(state);
}

static void steps_unbind(struct binding *binding) {
    free_state(binding->state);
    binding->state = NULL;
}

/* The functions of all steps; numbers are set once. */
static bool prepare(struct steps_state *state, const struct binding_request *request,
                    struct error *why) {
    for (int i = 0; i < state->formula->count; i++) {
        const struct formula_node *node = &state->formula->nodes[i];
        double *values = state->values + (size_t)i * STRIP;
        struct binding_request step = {.operation = node->operation,
                                       .format = state->format,
                                       .rounding = ROUND_NEAREST_EVEN,
                                       .overflow = request->overflow};
        if (node->kind <= FORMULA_NAN)
            values[0] = steps_constant(state->format, node);
        for (int j = 1; j < STRIP && node->kind <= FORMULA_NAN; j++)
            values[j] = values[0];
        if (!find_own(state->formula, node, &state->own[i]) &&
            !implementation_bind(&state->bindings[i], &state->functions, &step, why)) {
            state->bindings[i].implementation = NULL;
            return false;
        }
    }
    return true;
}

static bool steps_bind(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    struct spelling spelling;
    if (request->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "steps rounds to nearest-even only");
    if (!spell_out(binding->implementation->name, &spelling, why))
        return false;
    struct steps_state *state = calloc(1, sizeof *state);
    if (!state)
        return binding_out_of_memory(binding, why);
    state->formula = formula_parse(spelling.formula, why);
    if (!state->formula) {
        free(state);
        return false;
    }
    state->format = spelling.format ? spelling.format : request->format;
    size_t count = (size_t)state->formula->count;
    state->bindings = calloc(count, sizeof *state->bindings);
    state->own = calloc(count, sizeof *state->own);
    state->values = calloc(count * STRIP, sizeof *state->values);
    bool good = state->bindings && state->own && state->values;
    if (!good)
        binding_out_of_memory(binding, why);
    else if (state->formula->operands > request->operation->operands)
        good = error_set(why, "%.40s has %d operand%s, and the steps take %d",
                         request->operation->name, request->operation->operands,
                         request->operation->operands > 1 ? "s" : "", state->formula->operands);
    else if (request->operation->results > 1 || state->format->is_integer ||
             state->format->is_element || !state->format->has_zero)
        good = error_set(why, "steps are of real numbers, to one result");
    else
        good = open_functions(&state->functions, spelling.functions,
                              binding->implementation->foreign, why) &&
               prepare(state, request, why);
    if (!good) {
        free_state(state);
        return false;
    }
    binding->state = state;
    snprintf(binding->conditions.why, sizeof binding->conditions.why,
             "detcheck takes its steps number by number; invariance of %.40s tests its functions",
             state->functions.name);
    return true;
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

static bool call(struct steps_state *state, int number, size_t count, event_function *event,
                 void *context, struct error *error) {
    const struct formula_node *node = &state->formula->nodes[number];
    size_t bytes = format_bytes(state->format);
    struct slice slice = {.count = count, .results = {state->results}};
    for (int i = 0; i < node->count; i++) {
        const double *from = state->values + (size_t)node->arguments[i] * STRIP;
        for (size_t j = 0; j < count; j++)
            code_store(state->codes[i], bytes, j, steps_code(state->format, from[j]));
        slice.operands[i] = state->codes[i];
    }
    if (!binding_fill(&state->bindings[number], &slice, event, context, error))
        return false;
    double *to = state->values + (size_t)number * STRIP;
    for (size_t j = 0; j < count; j++)
        to[j] = steps_value(state->format, code_load(state->results, bytes, j));
    return true;
}

static bool run_strip(struct steps_state *state, size_t count, event_function *event, void *context,
                      struct error *error) {
    for (int i = 0; i < state->formula->count; i++) {
        const struct formula_node *node = &state->formula->nodes[i];
        if (node->kind <= FORMULA_OPERAND)
            continue;
        if (state->bindings[i].implementation) {
            if (!call(state, i, count, event, context, error))
                return false;
            continue;
        }
        const double *from[FORMULA_ARGUMENTS];
        for (int k = 0; k < FORMULA_ARGUMENTS; k++)
            from[k] = state->values + (size_t)node->arguments[k < node->count ? k : 0] * STRIP;
        double *to = state->values + (size_t)i * STRIP;
        for (size_t j = 0; j < count; j++)
            to[j] = step(state->format, node, &state->own[i], from[0][j], from[1][j], from[2][j],
                         from[3][j]);
    }
    return true;
}

static bool steps_fill(struct binding *binding, const struct slice *slice, event_function *event,
                       void *context, struct error *error) {
    struct steps_state *state = binding->state;
    const struct format *format = binding->request.format;
    size_t bytes = format_bytes(format);
    for (size_t at = 0; at < slice->count; at += STRIP) {
        size_t count = slice->count - at < STRIP ? slice->count - at : STRIP;
        for (int i = 0; i < state->formula->count; i++) {
            const struct formula_node *node = &state->formula->nodes[i];
            double *values = state->values + (size_t)i * STRIP;
            for (size_t j = 0; node->kind == FORMULA_OPERAND && j < count; j++)
                values[j] =
                    steps_rounded(state->format,
                                  steps_value(format, code_load(slice->operands[node->arguments[0]],
                                                                bytes, at + j)));
        }
        if (!run_strip(state, count, event, context, error))
            return false;
        const double *whole = state->values + (size_t)(state->formula->count - 1) * STRIP;
        for (size_t j = 0; j < count; j++)
            code_store(slice->results[0], bytes, at + j, steps_code(format, whole[j]));
    }
    return true;
}

const struct implementation_kind implementation_steps = {
    .name = "steps:",
    .summary = "a formula, step by step: steps:1/sqrt(x), steps@fp32: ..., steps:libm: ...",
    .open = steps_open,
    .bind = steps_bind,
    .fill = steps_fill,
    .unbind = steps_unbind,
};
