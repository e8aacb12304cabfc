/* The calls that go through a kind. */
#include "impl/implementation.h"

#include "impl/array.h"

#include <string.h>

bool implementation_bind(struct binding *binding, const struct implementation *implementation,
                         const struct binding_request *request, struct error *why) {
    *binding = (struct binding){.implementation = implementation, .request = *request};
    memcpy(binding->detail, implementation->detail, sizeof binding->detail);
    if (request->operation->array)
        return array_bind(binding, why);
    if (request->operation->parameters && !implementation->kind->takes_parameters)
        return error_set(why, "%s has no %s", implementation->kind->name, request->operation->name);
    return implementation->kind->bind(binding, why);
}

bool binding_out_of_memory(struct binding *binding, struct error *why) {
    binding->broken = true;
    return error_set(why, "out of memory for %.200s", binding->implementation->name);
}

bool binding_fill(struct binding *binding, const struct slice *slice, event_function *event,
                  void *context, struct error *error) {
    if (binding->algorithm)
        return array_fill(binding, slice, error);
    return binding->implementation->kind->fill(binding, slice, event, context, error);
}

void binding_build(const struct binding *binding, char text[BUILD_TEXT]) {
    if (!binding->algorithm && binding->implementation->kind->build)
        binding->implementation->kind->build(binding, text);
    else
        build_of_address(NULL, text);
}

void binding_close(struct binding *binding) {
    if (binding->implementation && !binding->algorithm && binding->implementation->kind->unbind)
        binding->implementation->kind->unbind(binding);
    binding->implementation = NULL;
}
