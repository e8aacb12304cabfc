/* Choosing shapes and families, and drawing; calls of one's own as a family that draws from them. */
#include "sweep/array/cases.h"

#include <stdlib.h>

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

struct own_calls {
    struct array_family family;
    uint64_t *codes;
    uint64_t each, draws; /* codes of a call; calls */
};

static void draw_own(const struct array_call *call, const struct array_family *family,
                     uint64_t seed, uint64_t number) {
    const struct own_calls *own = family->data;
    const uint64_t *code = own->codes + number * own->each;
    (void)seed;
    for (int i = 0; i < MAX_ARRAY_OPERANDS && call->operands[i].codes; i++)
        for (uint64_t j = 0; j < shape_elements(&call->operands[i].shape); j++)
            array_set_code(&call->operands[i], j, *code++);
}

bool cases_take(struct cases *cases, const struct array_call *planned, const struct shape *shape,
                int operands, uint64_t *codes, uint64_t draws, struct error *error) {
    struct own_calls *own = malloc(sizeof *own);
    *cases = (struct cases){.shapes = {*shape}, .shape_count = 1, .draws = draws, .own = own};
    if (!own) {
        free(codes);
        return error_set(error, "out of memory");
    }
    *own = (struct own_calls){
        .family = {.name = "own", .summary = "one's own", .draw = draw_own, .data = own},
        .codes = codes,
        .each = array_call_values(planned, operands),
        .draws = draws};
    cases->family = &own->family;
    return true;
}

void cases_free(struct cases *cases) {
    if (cases->own)
        free(cases->own->codes);
    free(cases->own);
    *cases = (struct cases){0};
}

const uint64_t *cases_codes(const struct cases *cases, uint64_t *count) {
    *count = cases->own ? cases->own->each * cases->own->draws : 0;
    return cases->own ? cases->own->codes : NULL;
}

bool case_open(struct array_call *call, const struct cases *cases, uint64_t number,
               const struct operation *operation, const struct format *format,
               struct error *error) {
    if (!array_call_plan(call, operation->array, format, case_shape(cases, number), error))
        return false;
    if (!array_call_allocate(call, operation_operands(operation, call->parameters),
                             operation->results))
        return error_set(error, "out of memory for an array");
    cases->family->draw(call, cases->family, cases->seed, case_draw(cases, number));
    return true;
}
