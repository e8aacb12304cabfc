/* From a request to the struct that detmath's conversion takes, and random bits for it. */
#include "impl/cast.h"

#include "detmath/cast_arrays.h"
#include "impl/arranged.h"
#include "op/conversion.h"
#include "op/detmath_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRIP = 1024 };

struct cast_state {
    struct cast cast;
    struct detmath_conversion conversion;
    struct parameters parameters;
};

/* The roundings have the same numbers on both sides, as far as det has them. */
static bool make_conversion(struct cast_state *state, struct error *why) {
    const struct cast *cast = &state->cast;
    int from = detmath_any_index_of(cast->from), to = detmath_any_index_of(cast->to);
    const struct detmath_profile *profile = detmath_profile_find(cast->profile->name);
    if (cast->rounding >= ROUND_TO_ODD || cast->projects)
        return error_set(why, "det has no conversion by the rules of P3109 (exact has)");
    return (profile && detmath_profile_conversion(&state->conversion, profile, from, to,
                                                  (int)cast->rounding, cast->random_bits)) ||
           error_set(why, "det has no conversion from %s to %s by %s", cast->from->name,
                     cast->to->name, cast->profile->name);
}

static void call_cast(void *context, void *const *results, const void *const *operands,
                      size_t count) {
    const struct cast_state *state = context;
    detmath_cast_array(&state->conversion, results[0], operands[0], count, NULL);
}

static struct arranged cast_arranged(const struct binding *binding) {
    const struct cast_state *state = binding->state;
    return (struct arranged){&binding->request, state->cast.from, state->cast.to, call_cast,
                             binding->state};
}

/* But for stochastic rounding, whose random bits are those of a place. */
static void support_conditions(struct binding *binding) {
    const struct arranged arranged = cast_arranged(binding);
    if (binding->request.rounding == ROUND_STOCHASTIC)
        return;
    binding->conditions =
        (struct condition_support){.is_known = true,
                                   .set = arranged_conditions(&arranged),
                                   .form = FORM_ARRAYS,
                                   .number_bytes = format_bytes(arranged.operands)};
    snprintf(binding->conditions.why, sizeof binding->conditions.why, "%s",
             "conversions have no form for one number, and in place only between formats of one "
             "size");
}

bool cast_bind(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    struct cast_state *state = malloc(sizeof *state);
    if (!state)
        return binding_out_of_memory(binding, why);
    state->parameters = request->parameters;
    binding->state = state;
    if (!conversion_make(&state->cast, request->format, request->rounding, &request->parameters,
                         why))
        return false;
    if (!make_conversion(state, why))
        return false;
    support_conditions(binding);
    return true;
}

bool cast_fill(struct binding *binding, const struct slice *slice, struct error *error) {
    const struct cast_state *state = binding->state;
    if (slice->conditions) {
        const struct arranged arranged = cast_arranged(binding);
        return arranged_fill(&arranged, slice, error);
    }
    size_t in = format_bytes(state->cast.from), out = format_bytes(state->cast.to);
    if (state->cast.rounding != ROUND_STOCHASTIC) {
        detmath_cast_array(&state->conversion, slice->results[0], slice->operands[0], slice->count,
                           NULL);
        return true;
    }
    for (size_t at = 0; at < slice->count; at += STRIP) {
        size_t count = slice->count - at < STRIP ? slice->count - at : STRIP;
        detmath_u32 random[STRIP];
        for (size_t i = 0; i < count; i++)
            random[i] = (detmath_u32)conversion_random(&state->cast, &state->parameters,
                                                       slice->first + at + i);
        detmath_cast_array(&state->conversion, (char *)slice->results[0] + at * out,
                           (const char *)slice->operands[0] + at * in, count, random);
    }
    return true;
}

void cast_unbind(struct binding *binding) {
    free(binding->state);
    binding->state = NULL;
}
