/* The rows of published steps, and binding to them. */
#include "impl/steps_published.h"

#include "impl/detmath.h"
#include "impl/steps_program.h"
#include "op/formula/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct published {
    const struct implementation_kind *functions;
    const char *operation;
    enum format_number format; /* of operands and steps */
    const char *source, *formula;
} rows[] = {
    {&implementation_sleef_u10, "exp", FORMAT_FP32,
     "SLEEF 3.5 to 3.9, src/libm/sleefsimdsp.c: xexpf",
     "sleef(x) = let q = roundeven(x*1.4426950408889634) in "
     "let s = fma(q, -1.428606765330187e-06, fma(q, -0.693145751953125, x)) in "
     "let a = fma(0.0001985275976127, s, 0.0013930435525253) in "
     "let b = fma(a, s, 0.0083333607763052) in let c = fma(b, s, 0.0416664853692055) in "
     "let d = fma(fma(c, s, 0.1666666716337204), s, 0.5) in let h = floor(q/2) in "
     "select(x < -104, 0, select(x > 100, inf, "
     "(1 + fma(s*s, d, s))*exp2(h)*exp2(q - h)))"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct published *find(const struct implementation_kind *functions,
                                    const struct binding_request *request) {
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].functions == functions &&
            strcmp(rows[i].operation, request->operation->name) == 0 &&
            &formats[rows[i].format] == request->format)
            return &rows[i];
    return NULL;
}

/* The steps of a row; or without one what cr has. */
struct state {
    struct implementation cr;
    struct steps_program *program;
    struct binding others;
};

static bool published_open(struct implementation *implementation, struct error *error) {
    (void)error;
    snprintf(implementation->detail, sizeof implementation->detail, "detcheck %s, step by step",
             DETCHECK_VERSION);
    return true;
}

static void published_unbind(struct binding *binding) {
    struct state *state = binding->state;
    if (state && state->others.implementation)
        binding_close(&state->others);
    if (state)
        steps_program_close(state->program);
    free(state);
    binding->state = NULL;
}

static bool bind_row(struct binding *binding, struct state *state, const struct published *row,
                     struct error *why) {
    struct formula *formula = formula_parse(row->formula, why);
    if (formula)
        state->program = steps_program_open(formula, binding->request.format, &state->cr,
                                            binding->request.overflow, &binding->broken, why);
    return state->program;
}

static bool published_bind(struct binding *binding, struct error *why) {
    const struct published *row = find(binding->implementation->kind, &binding->request);
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        return binding_out_of_memory(binding, why);
    binding->state = state;
    state->cr = (struct implementation){.kind = &implementation_cr, .name = implementation_cr.name};
    bool good = true;
    if (row)
        good = bind_row(binding, state, row, why);
    else if (!implementation_bind(&state->others, &state->cr, &binding->request, why)) {
        state->others.implementation = NULL;
        good = false;
    }
    if (!good)
        published_unbind(binding);
    return good;
}

static bool published_fill(struct binding *binding, const struct slice *slice,
                           event_function *event, void *context, struct error *error) {
    struct state *state = binding->state;
    return state->program ? steps_program_fill(state->program, binding->request.format, slice,
                                               event, context, error)
                          : binding_fill(&state->others, slice, event, context, error);
}

const struct implementation_kind implementation_sleef_u10 = {
    .name = "sleef-u10",
    .summary = "exp in fp32 in SLEEF's steps, for steps and forms",
    .open = published_open,
    .bind = published_bind,
    .fill = published_fill,
    .unbind = published_unbind,
};
