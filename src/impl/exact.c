/* The oracle as an implementation of functions of numbers. */
#include "impl/exact.h"

#include "op/conversion.h"
#include "oracle/exact.h"
#include "oracle/flags.h"

#include <stdio.h>
#include <stdlib.h>

/* The oracle, and the rules by which it says which flags a call raises: none is left open. */
struct exact_state {
    struct oracle oracle;
    struct cast cast; /* of a conversion */
    struct flag_setting flags;
};

static bool exact_open(struct implementation *implementation, struct error *error) {
    (void)error;
    snprintf(implementation->detail, sizeof implementation->detail, "MPFR %s and detcheck %s",
             mpfr_get_version(), DETCHECK_VERSION);
    return true;
}

static bool exact_bind(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    struct cast cast = {0};
    if (request->operation->converts &&
        !conversion_make(&cast, request->format, request->rounding, &request->parameters, why))
        return false;
    if (!request->operation->converts && request->rounding == ROUND_STOCHASTIC)
        return error_set(why, "exact draws no random bits");
    struct exact_state *state = malloc(sizeof *state);
    if (!state)
        return binding_out_of_memory(binding, why);
    oracle_open(&state->oracle, request->operation, request->format, &request->parameters,
                oracle_precision(request_result_format(request)));
    state->oracle.rounding = request->rounding;
    state->cast = cast;
    state->flags = (struct flag_setting){request->operation,
                                         request->format,
                                         request_result_format(request),
                                         request->rounding,
                                         {request->tiny_after_rounding, true, true}};
    binding->state = state;
    binding->tells_flags = request->flags && !request->operation->converts;
    return true;
}

static bool exact_fill(struct binding *binding, const struct slice *slice, event_function *event,
                       void *context, struct error *error) {
    const struct binding_request *request = &binding->request;
    const struct format *out = request_result_format(request);
    const size_t in_bytes = format_bytes(request->format), out_bytes = format_bytes(out);
    struct exact_state *state = binding->state;
    (void)event;
    (void)context;
    for (size_t at = 0; at < slice->count && !foreign_is_stopped(binding->implementation->foreign);
         at++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        struct real exact[MAX_RESULTS];
        for (int i = 0; i < request->operation->operands; i++)
            codes[i] = code_load(slice->operands[i], in_bytes, at);
        if (request->operation->converts) {
            const uint64_t random =
                conversion_random(&state->cast, &request->parameters, slice->first + at);
            code_store(slice->results[0], out_bytes, at, cast_code(&state->cast, codes[0], random));
            continue;
        }
        for (int i = 0; i < request->operation->results; i++) {
            if (!oracle_exact(&state->oracle, codes, i, &exact[i], error))
                return false;
            code_store(slice->results[i], out_bytes, at,
                       projected_code(out, &exact[i], request->rounding, request->overflow,
                                      &request->parameters, slice->first + at));
        }
        if (slice->raised)
            slice->raised[at] = oracle_flags_raised(&state->flags, codes, exact);
    }
    return true;
}

static void exact_unbind(struct binding *binding) {
    if (binding->state)
        oracle_close(&((struct exact_state *)binding->state)->oracle);
    free(binding->state);
    binding->state = NULL;
}

const struct implementation_kind implementation_exact = {
    .projects = true,
    .name = "exact",
    .summary = "the oracle's correctly rounded results for every function of numbers; slow, since "
               "MPFR computes them",
    .takes_parameters = true,
    .open = exact_open,
    .bind = exact_bind,
    .fill = exact_fill,
    .unbind = exact_unbind,
};
