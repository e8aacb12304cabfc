/* To fp32 and back. */
#include "op/kernels/widened.h"

#include "op/array/algorithms.h"
#include "op/array/slices.h"

#include <stdlib.h>

static const struct format *const fp32 = &formats[FORMAT_FP32];

bool provides_widened(const struct array_call *call, struct error *why) {
    const struct format *format = call->results[0].format;
    return provides_nearest(call, why) &&
           (format_is_within(format, fp32) ||
            error_set(why, "det provides this operation in fp32 and narrower formats, not in %s",
                      format->name));
}

bool widen_room(const struct array *result, struct widened *to) {
    for (int i = 0; i < result->shape.dimensions; i++)
        to->extents[i] = (size_t)result->shape.extents[i];
    to->array = (struct detmath_strided){calloc(shape_elements(&result->shape), sizeof(uint32_t)),
                                         DETMATH_F32, result->shape.dimensions, to->extents, NULL};
    return to->array.codes != NULL;
}

bool widen(const struct array_call *call, const struct array *from, struct widened *to) {
    const struct format *format = call->results[0].format;
    const bool room = widen_room(from, to);
    for (uint64_t i = 0; room && i < shape_elements(&from->shape); i++)
        code_store(to->array.codes, sizeof(uint32_t), (size_t)i,
                   element_cast(format, fp32, element_load(from, format, i)));
    return room;
}

void widened_put_result(const struct array_call *call, int number, const struct widened *y) {
    const struct array *result = &call->results[number];
    for (uint64_t i = 0; i < shape_elements(&result->shape); i++)
        array_set_code(result, i,
                       element_cast(fp32, result->format,
                                    code_load(y->array.codes, sizeof(uint32_t), (size_t)i)));
}

bool widened_run(const struct array_call *call, widened_call *function, struct error *error) {
    struct widened x[MAX_ARRAY_OPERANDS] = {{{0}, {0}}}, y[MAX_ARRAY_RESULTS] = {{{0}, {0}}};
    struct detmath_strided *operands[MAX_ARRAY_OPERANDS] = {NULL}, *results[MAX_ARRAY_RESULTS];
    const int count = rule_operands(call->rule, call->parameters);
    bool good = true;
    for (int i = 0; i < count; i++)
        if (!call->operands[i].format->is_integer) {
            operands[i] = &x[i].array;
            good = widen(call, &call->operands[i], &x[i]) && good;
        }
    for (int i = 0; i < MAX_ARRAY_RESULTS; i++) {
        results[i] = &y[i].array;
        if (call->results[i].format)
            good = widen_room(&call->results[i], &y[i]) && good;
    }
    const int trouble = good ? function(call, results, operands) : DETMATH_TROUBLE_MEMORY;
    for (int i = 0; !trouble && i < MAX_ARRAY_RESULTS && call->results[i].format; i++)
        widened_put_result(call, i, &y[i]);
    for (int i = 0; i < MAX_ARRAY_OPERANDS; i++)
        free(x[i].array.codes);
    for (int i = 0; i < MAX_ARRAY_RESULTS; i++)
        free(y[i].array.codes);
    return !trouble || error_set(error, "detmath: %s", detmath_trouble_text(trouble));
}
