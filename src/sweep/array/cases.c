/* Choosing shapes and families, and drawing. */
#include "sweep/array/cases.h"

bool cases_make(struct cases *cases, const struct operation *operation, const struct format *format,
                const struct parameters *parameters, uint64_t draws, uint64_t seed,
                struct error *error) {
    const struct array_rule *rule = operation->array;
    const struct parameter_value *shape = &parameters->values[PARAMETER_SHAPE_OF];
    const struct parameter_value *family = &parameters->values[PARAMETER_DISTRIBUTION];
    *cases = (struct cases){.family = &rule->families[0], .seed = seed};
    if (family->present)
        cases->family = array_family_find(rule, family->text, error);
    if (!cases->family)
        return false;
    cases->draws = cases->family->cases ? cases->family->cases : draws;
    if (shape->present)
        cases->shapes[cases->shape_count++] = shape->shape;
    for (size_t i = 0; !shape->present && rule->shapes[i].dimensions && i < MOST_SHAPES; i++)
        cases->shapes[cases->shape_count++] = rule->shapes[i];
    for (size_t i = 0; i < cases->shape_count; i++) {
        struct array_call call = {.parameters = parameters};
        if (!array_call_plan(&call, rule, format, &cases->shapes[i], error))
            return false;
    }
    return true;
}

bool case_open(struct array_call *call, const struct cases *cases, uint64_t number,
               const struct operation *operation, const struct format *format,
               struct error *error) {
    if (!array_call_plan(call, operation->array, format, case_shape(cases, number), error))
        return false;
    if (!array_call_allocate(call, operation->operands, operation->results))
        return error_set(error, "out of memory for an array");
    cases->family->draw(call, cases->family, cases->seed, case_draw(cases, number));
    return true;
}
