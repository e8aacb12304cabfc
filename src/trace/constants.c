/* Following values back to operations that take nothing. */
#include "trace/constants.h"

#include <string.h>

enum { DEEPEST = 12, FEW = 8 };

static bool note(struct digest_map *map, const struct trace_tensor *tensors, size_t count,
                 size_t operation) {
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = !tensors[i].has_digest || !tensors[i].count || trace_is_overwritten(&tensors[i]) ||
               digest_map_add(map, &tensors[i].canonical, operation);
    return good;
}

bool trace_values_open(struct trace_values *values, const struct trace *trace) {
    bool good = true;
    *values = (struct trace_values){.trace = trace};
    for (size_t i = 0; i < trace->count && good; i++) {
        const struct trace_operation *operation = &trace->operations[i];
        good = note(&values->given, operation->outputs, operation->output_count, i) &&
               note(&values->taken, operation->inputs, operation->input_count, i);
    }
    return good;
}

void trace_values_close(struct trace_values *values) {
    digest_map_free(&values->given);
    digest_map_free(&values->taken);
}

bool trace_values_know(const struct trace_values *values, const struct trace_tensor *tensor) {
    return digest_map_first(&values->given, &tensor->canonical) != SIZE_MAX ||
           digest_map_first(&values->taken, &tensor->canonical) != SIZE_MAX;
}

bool trace_values_may_match(const struct trace_values *here, const struct trace_tensor *one,
                            const struct trace_values *there, const struct trace_tensor *other) {
    return one->count == other->count &&
           (trace_same_digest(&one->canonical, &other->canonical) ||
            (!trace_values_know(there, one) && !trace_values_know(here, other)));
}

bool trace_may_be_code(const struct trace_tensor *tensor) {
    return tensor->count <= 1 || (tensor->dimensions == 1 && tensor->count <= FEW &&
                                  strcmp(tensor->type_name, "int64") == 0);
}

static bool makes_constant(const struct trace_values *values, const struct trace_values *other,
                           size_t number, int depth) {
    const struct trace_operation *operation = &values->trace->operations[number];
    bool constant = depth < DEEPEST && !operation->is_random;
    for (size_t i = 0; i < operation->input_count && constant; i++) {
        const struct trace_tensor *input = &operation->inputs[i];
        if (trace_is_overwritten(input) || (!input->count && !input->left_out))
            continue;
        const size_t giver =
            input->has_digest ? digest_map_first(&values->given, &input->canonical) : SIZE_MAX;
        if (giver != SIZE_MAX && giver < number)
            constant = makes_constant(values, other, giver, depth + 1);
        else
            constant = input->has_digest &&
                       (trace_may_be_code(input) || (other && !trace_values_know(other, input)));
    }
    return constant;
}

bool trace_makes_constant(const struct trace_values *values, const struct trace_values *other,
                          size_t operation) {
    return makes_constant(values, other, operation, 0);
}
