/* The calls that go through a kind. */
#include "impl/implementation.h"

#include "base/fault.h"
#include "detmath/library/kernels.h"
#include "impl/array.h"
#include "impl/others.h"

#include <string.h>

/* Whether a request asks for what P3109 alone has: a rounding of its own, a saturation mode, or results in another
 * format than the operands. */
static bool asks_projection(const struct binding_request *request) {
    return !request->operation->converts &&
           (request->rounding >= ROUND_TO_ODD ||
            request_result_format(request) != request->format ||
            request->parameters.values[PARAMETER_SATURATION].present ||
            request->parameters.values[PARAMETER_RESULT_SCALE].present);
}

static bool bind(struct binding *binding, const struct implementation *implementation,
                 const struct binding_request *request, struct error *why) {
    *binding = (struct binding){.implementation = implementation, .request = *request};
    memcpy(binding->detail, implementation->detail, sizeof binding->detail);
    if (request->operation->array)
        return array_bind(binding, why);
    if (request->operation->parameters && !implementation->kind->takes_parameters)
        return error_set(why, "%s has no %s", implementation->kind->name, request->operation->name);
    if (request->format->is_p3109 && !implementation->kind->projects &&
        !implementation->kind->is_command && asks_projection(request))
        return error_set(
            why,
            "%s has none of P3109's roundings, saturation modes, scales and formats of results",
            implementation->kind->name);
    return implementation->kind->bind(binding, why);
}

bool implementation_bind(struct binding *binding, const struct implementation *implementation,
                         const struct binding_request *request, struct error *why) {
    others_begin(implementation);
    bool bound = bind(binding, implementation, request, why);
    others_end(implementation);
    return bound;
}

bool binding_out_of_memory(struct binding *binding, struct error *why) {
    binding->broken = true;
    return error_set(why, "out of memory for %.200s", binding->implementation->name);
}

bool binding_fill(struct binding *binding, const struct slice *slice, event_function *event,
                  void *context, struct error *error) {
    others_begin(binding->implementation);
    bool good = binding->algorithm
                    ? array_fill(binding, slice, error)
                    : binding->implementation->kind->fill(binding, slice, event, context, error);
    others_end(binding->implementation);
    if (good && FAULT(baseline_level_off) && strcmp(detmath_best_level()->name, "baseline") == 0)
        *(uint8_t *)(slice->array ? slice->array->results[0].codes : slice->results[0]) ^= 1;
    return good;
}

void binding_build(const struct binding *binding, char text[BUILD_TEXT]) {
    if (!binding->algorithm && binding->implementation->kind->build)
        binding->implementation->kind->build(binding, text);
    else
        build_of_address(NULL, text);
}

bool binding_keeps_build(const struct binding *binding, char before[BUILD_TEXT],
                         struct error *error) {
    char now[BUILD_TEXT] = "";
    if (!binding->algorithm && binding->implementation->kind->build_again)
        binding->implementation->kind->build_again(binding, before, now);
    else
        binding_build(binding, now);
    struct build_part part;
    if (strcmp(before, now) == 0)
        return true;
    build_find_difference(*before ? before : "not known", *now ? now : "not known", &part);
    return error_set(error, "%.200s was replaced while it ran: its build was %s and is %s",
                     binding->implementation->name, part.mine, part.other);
}

void binding_close(struct binding *binding) {
    if (binding->implementation && !binding->algorithm && binding->implementation->kind->unbind)
        binding->implementation->kind->unbind(binding);
    binding->implementation = NULL;
}
