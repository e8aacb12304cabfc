/* Drawing by number, by the same function as a sweep. */
#include "eval_draw.h"

#include "sweep/array/cases.h"

#include <inttypes.h>

enum { MOST_DRAWS = 1 << 20 };

bool eval_draw_read(struct eval_draw *draw, const struct arguments *arguments,
                    const struct operation *operation, struct error *error) {
    draw->drawn = argument_given(arguments, "draw");
    draw->is_one = argument_given(arguments, "element");
    if (draw->is_one && operation->array->gives_texts)
        return error_set(error, "--element is for results that are numbers; those of %s are texts",
                         operation->name);
    if (draw->drawn && (arguments->positional_count > 1 || argument_given(arguments, "inputs")))
        return error_set(error, "--draw makes the values; leave out the others");
    return argument_number(arguments, "draw", 0, MOST_DRAWS - 1, 0, &draw->draw, error) &&
           argument_number(arguments, "element", 0, MOST_ELEMENTS, 0, &draw->element, error) &&
           argument_number(arguments, "seed", 0, UINT64_MAX, 1, &draw->seed, error);
}

bool eval_draw_call(const struct eval_draw *draw, const struct binding_request *request,
                    struct array_call *call, struct error *error) {
    const struct parameters *parameters = &request->parameters;
    struct cases cases;
    if (!parameters->values[PARAMETER_SHAPE_OF].present)
        return error_set(error, "--draw needs --shape, such as 64 or 8x64");
    if (!cases_make(&cases, request->operation, request->format, parameters, draw->draw + 1,
                    draw->seed, error))
        return false;
    if (draw->draw >= cases.draws)
        return error_set(error, "%s has %" PRIu64 " call%s of a shape, and none is number %llu",
                         cases.family->name, cases.draws, cases.draws == 1 ? "" : "s", draw->draw);
    return case_open(call, &cases, draw->draw, request->operation, request->format, error);
}

bool eval_draw_elements(const struct eval_draw *draw, uint64_t *first, uint64_t *end,
                        struct error *error) {
    if (!draw->is_one || !*end)
        return true;
    if (draw->element >= *end)
        return error_set(error, "--element %llu: the result has elements 0 to %" PRIu64,
                         draw->element, *end - 1);
    *first = draw->element;
    *end = *first + 1;
    return true;
}
