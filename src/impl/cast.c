/* From a request to the struct that detmath's conversion takes, and random bits for it. */
#include "impl/cast.h"

#include "detmath/cast_arrays.h"
#include "impl/arranged.h"
#include "op/conversion.h"
#include "op/detmath_format.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024 };

struct cast_state {
    struct cast cast;
    struct detmath_conversion conversion;
    struct parameters parameters;
};

/* The roundings have the same numbers on both sides. */
static void make_conversion(struct cast_state *state) {
    const struct cast *cast = &state->cast;
    struct detmath_conversion *conversion = &state->conversion;
    const struct target_rules *rules = &cast->profile->rules[target_kind_of(cast->to)];
    conversion->from = detmath_index_of(cast->from);
    conversion->to = detmath_index_of(cast->to);
    for (int i = 0; i < 2; i++) {
        conversion->infinity_f64[i] = outcome_code(rules->infinity, cast->to, i);
        conversion->nan_f64[i] = outcome_code(rules->nan, cast->to, i);
    }
    int row = conversion->to == DETMATH_F64 ? DETMATH_F32 : conversion->to;
    conversion->cast =
        detmath_cast_make(detmath_formats[row], conversion_rules(cast->profile, cast->to),
                          (detmath_i32)cast->rounding, cast->random_bits);
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
    if (detmath_index_of(state->cast.from) < 0 || detmath_index_of(state->cast.to) < 0)
        return error_set(why, "det has no conversion from %s to %s", state->cast.from->name,
                         state->cast.to->name);
    make_conversion(state);
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
    for (size_t at = 0; at < slice->count; at += CHUNK) {
        size_t count = slice->count - at < CHUNK ? slice->count - at : CHUNK;
        detmath_u32 random[CHUNK];
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
