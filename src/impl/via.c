/* Two bindings of det, one behind the other. */
#include "impl/via.h"

#include "format/profile.h"
#include "impl/cast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRIP = 4096 };

struct via_state {
    struct binding first, second;
    uint64_t between[STRIP]; /* room for codes of any format */
};

static const struct format *format_between(const struct implementation *implementation,
                                           struct error *error) {
    return format_find(strchr(implementation->name, ':') + 1, error);
}

static bool via_open(struct implementation *implementation, struct error *error) {
    const struct format *between = format_between(implementation, error);
    if (!between)
        return false;
    snprintf(implementation->detail, sizeof implementation->detail,
             "detcheck %s, two conversions: to %s, and from there", DETCHECK_VERSION,
             between->name);
    return true;
}

static void via_unbind(struct binding *binding) {
    struct via_state *state = binding->state;
    if (state) {
        cast_unbind(&state->first);
        cast_unbind(&state->second);
    }
    free(state);
    binding->state = NULL;
}

static bool via_bind(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    const struct format *between = format_between(binding->implementation, why);
    if (!request->operation->converts)
        return error_set(why, "only conversions go by way of a format, not %s",
                         request->operation->name);
    if (rounding_is_stochastic(request->rounding))
        return error_set(why, "two stochastic roundings have no one right result");
    struct via_state *state = calloc(1, sizeof *state);
    binding->state = state;
    if (!state)
        return binding_out_of_memory(binding, why);
    state->first.request = state->second.request = *request;
    state->first.request.parameters.values[PARAMETER_TO].format = between;
    state->second.request.format = between;
    struct parameter_value *profile = &state->first.request.parameters.values[PARAMETER_PROFILE];
    struct error unused;
    if (!profile_covers(&profiles[profile->integer], between, &unused))
        profile->integer = 0;
    return cast_bind(&state->first, why) && cast_bind(&state->second, why);
}

static bool via_fill(struct binding *binding, const struct slice *slice, event_function *event,
                     void *context, struct error *error) {
    (void)event;
    (void)context;
    struct via_state *state = binding->state;
    size_t in = format_bytes(binding->request.format);
    size_t out = format_bytes(request_result_format(&binding->request));
    for (size_t at = 0; at < slice->count; at += STRIP) {
        size_t count = slice->count - at < STRIP ? slice->count - at : STRIP;
        struct slice first = {.count = count,
                              .operands = {(const char *)slice->operands[0] + at * in},
                              .results = {state->between}};
        struct slice second = {.count = count,
                               .operands = {state->between},
                               .results = {(char *)slice->results[0] + at * out}};
        if (!cast_fill(&state->first, &first, error) || !cast_fill(&state->second, &second, error))
            return false;
    }
    return true;
}

const struct implementation_kind implementation_via = {
    .name = "via:",
    .summary = "a conversion in two steps, by way of a format (via:fp16)",
    .takes_parameters = true,
    .open = via_open,
    .bind = via_bind,
    .fill = via_fill,
    .unbind = via_unbind,
};
