/* The interpreter of formulas. */
#include "impl/steps.h"

#include "impl/steps_program.h"
#include "op/formula/tree.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What a name says: "steps@FORMAT:IMPLEMENTATION: FORMULA". */
struct spelling {
    const struct format *format; /* NULL: the operands' */
    char functions[32];          /* the implementation that has them */
    const char *formula;
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
                         "the implementation '%.80s' is incomplete; examples are steps:1/sqrt(x), "
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

static bool steps_open(struct implementation *implementation, struct error *error) {
    struct spelling spelling;
    struct step_functions functions;
    if (!spell_out(implementation->name, &spelling, error))
        return false;
    if (!step_functions_open(&functions, spelling.functions, implementation->foreign, error))
        return false;
    struct formula *formula = formula_parse(spelling.formula, error);
    if (!formula)
        return false;
    snprintf(implementation->detail, sizeof implementation->detail,
             "detcheck %s, step by step in %s, functions by %.40s", DETCHECK_VERSION,
             spelling.format ? spelling.format->name : "the format of the operands",
             functions.source->name);
    formula_free(formula);
    return true;
}

static void steps_unbind(struct binding *binding) {
    steps_program_close(binding->state);
    binding->state = NULL;
}

static bool steps_bind(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    struct spelling spelling;
    if (request->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "steps rounds to nearest-even only");
    if (!spell_out(binding->implementation->name, &spelling, why))
        return false;
    struct formula *formula = formula_parse(spelling.formula, why);
    if (!formula)
        return false;
    const struct format *format = spelling.format ? spelling.format : request->format;
    struct step_functions functions;
    bool good = false;
    if (formula->operands > request->operation->operands)
        error_set(why, "%.40s has %d operand%s, and the steps take %d", request->operation->name,
                  request->operation->operands, request->operation->operands > 1 ? "s" : "",
                  formula->operands);
    else if (request->operation->results > 1 || format->is_integer || format->is_element ||
             !format->has_zero)
        error_set(why, "steps are of real numbers, to one result");
    else
        good = step_functions_open(&functions, spelling.functions, binding->implementation->foreign,
                                   why);
    if (!good) {
        formula_free(formula);
        return false;
    }
    binding->state =
        steps_program_open(formula, format, &functions, request->overflow, &binding->broken, why);
    if (!binding->state)
        return false;
    snprintf(binding->conditions.why, sizeof binding->conditions.why,
             "detcheck takes its steps number by number; invariance of %.40s tests its functions",
             functions.source->name);
    return true;
}

static bool steps_fill(struct binding *binding, const struct slice *slice, event_function *event,
                       void *context, struct error *error) {
    return steps_program_fill(binding->state, binding->request.format, slice, event, context,
                              error);
}

const struct implementation_kind implementation_steps = {
    .name = "steps:",
    .summary = "a formula, step by step: steps:1/sqrt(x), steps@fp32: ..., steps:libm: ...",
    .open = steps_open,
    .bind = steps_bind,
    .fill = steps_fill,
    .unbind = steps_unbind,
};
