/* The oracle as an implementation of functions of numbers. */
#include "impl/exact.h"

#include "oracle/exact.h"

#include <stdio.h>
#include <stdlib.h>

static bool exact_open(struct implementation *implementation, struct error *error) {
    (void)error;
    snprintf(implementation->detail, sizeof implementation->detail, "MPFR %s and detcheck %s",
             mpfr_get_version(), DETCHECK_VERSION);
    return true;
}

static bool exact_bind(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    if (request->operation->array || request->operation->converts)
        return error_set(why, "exact is of functions of numbers alone");
    if (request->rounding == ROUND_STOCHASTIC)
        return error_set(why, "exact draws no random bits");
    struct oracle *oracle = malloc(sizeof *oracle);
    if (!oracle)
        return binding_out_of_memory(binding, why);
    oracle_open(oracle, request->operation, request->format,
                oracle_precision(request_result_format(request)));
    oracle->rounding = request->rounding;
    binding->state = oracle;
    return true;
}

static bool exact_fill(struct binding *binding, const struct slice *slice, event_function *event,
                       void *context, struct error *error) {
    const struct binding_request *request = &binding->request;
    const struct format *out = request_result_format(request);
    const size_t in_bytes = format_bytes(request->format), out_bytes = format_bytes(out);
    (void)event;
    (void)context;
    for (size_t at = 0; at < slice->count && !foreign_is_stopped(binding->implementation->foreign);
         at++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        for (int i = 0; i < request->operation->operands; i++)
            codes[i] = code_load(slice->operands[i], in_bytes, at);
        for (int i = 0; i < request->operation->results; i++) {
            struct real y;
            if (!oracle_exact(binding->state, codes, i, &y, error))
                return false;
            code_store(slice->results[i], out_bytes, at,
                       format_encode(out, &y, request->rounding, request->overflow));
        }
    }
    return true;
}

static void exact_unbind(struct binding *binding) {
    if (binding->state)
        oracle_close(binding->state);
    free(binding->state);
    binding->state = NULL;
}

const struct implementation_kind implementation_exact = {
    .name = "exact",
    .summary =
        "what the oracle says, correctly rounded, of every function of numbers; slow, by MPFR",
    .takes_parameters = true,
    .open = exact_open,
    .bind = exact_bind,
    .fill = exact_fill,
    .unbind = exact_unbind,
};
