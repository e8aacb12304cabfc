/* Opening the call of an operation beside the simpler one. */
#include "reveal/inner_parts.h"

#include <stdlib.h>
#include <string.h>

const struct inner_sum *inner_row(const struct operation *operation, size_t index) {
    static const struct inner_sum *const all[] = {inner_norms, inner_attention, inner_convolution};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (const struct inner_sum *row = all[i]; row->name; row++)
            if (strcmp(row->operation, operation->name) == 0 && !index--)
                return row;
    return NULL;
}

const struct through *inner_through(const struct inner_sum *inner,
                                    const struct operation *operation) {
    struct error unused;
    return inner && inner->through
               ? inner->through
               : through_find(inner ? operation_find(inner->simpler, &unused) : operation);
}

bool inner_open(struct inner_call *inner, const struct inner_sum *row,
                const struct binding_request *own, const struct array_call *simple,
                const struct shape *shape, struct error *error) {
    *inner = (struct inner_call){.simple = simple};
    inner->call = (struct array_call){
        .parameters = &own->parameters, .rounding = own->rounding, .overflow = own->overflow};
    inner->lines = (size_t)simple->operands[0].shape.extents[0];
    inner->terms = (size_t)simple->operands[0].shape.extents[1];
    inner->beside = calloc(inner->lines, sizeof *inner->beside);
    if (!inner->beside ||
        !array_call_plan(&inner->call, own->operation->array, own->format, shape, error))
        return inner->beside || error_set(error, "out of memory");
    if (!array_call_allocate(&inner->call, operation_operands(own->operation, &own->parameters), 1))
        return error_set(error, "out of memory for an array");
    return !row->constants || row->constants(inner, error);
}

void inner_close(struct inner_call *inner) {
    array_call_free(&inner->call);
    free(inner->beside);
    *inner = (struct inner_call){0};
}
