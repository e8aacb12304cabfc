/* Several additions, one behind the other, as one sum: each element of the outputs is a line of as many terms as go in. */
#include "trace/call_making.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPERANDS = 16 };

/* The inputs that no operation before gave, of one trace. */
struct outside {
    const struct trace *trace;
    const struct trace_tensor *tensors[MOST_OPERANDS];
    size_t count;
};

static bool gives(const struct trace_operation *operation, const struct trace_tensor *tensor) {
    bool found = false;
    for (size_t i = 0; i < operation->output_count && !found; i++)
        found = operation->outputs[i].has_digest && tensor->has_digest &&
                trace_same_digest(&operation->outputs[i].digest, &tensor->digest);
    return found;
}

/* The operation of a group before `at` that gives a tensor; SIZE_MAX: none does. */
static size_t giver_of(const struct trace_group *group, size_t at,
                       const struct trace_tensor *tensor) {
    size_t found = SIZE_MAX;
    for (size_t before = 0; before < at; before++)
        found = gives(&group->operations[before], tensor) ? before : found;
    return found;
}

/* Takes what operation number `at` adds, as often as it goes in: in place of what one before gives, what that one adds. */
static bool take(struct outside *outside, const struct trace_group *group, size_t at,
                 struct error *why) {
    const struct trace_operation *operation = &group->operations[at];
    const struct trace_name *row = trace_name_find(group->trace, operation);
    if (!row || !row->operation || strcmp(row->operation, "add") != 0 ||
        operation->input_count != 2 || operation->output_count != 1)
        return error_set(why,
                         "several operations stand beside several, and %.80s is not judged as an "
                         "addition of two tensors",
                         operation->name);
    for (size_t i = 0; i < operation->input_count; i++) {
        const struct trace_tensor *input = &operation->inputs[i];
        const size_t giver = giver_of(group, at, input);
        if (giver != SIZE_MAX) {
            if (!take(outside, group, giver, why))
                return false;
            continue;
        }
        if (outside->count == MOST_OPERANDS)
            return error_set(why, "a sum of more than %d operands", MOST_OPERANDS);
        if (input->type != operation->outputs[0].type ||
            input->count != operation->outputs[0].count)
            return error_set(why, "a sum of operands of several shapes or types");
        outside->tensors[outside->count++] = input;
    }
    return true;
}

static bool take_all(struct outside *outside, const struct trace_group *group, struct error *why) {
    *outside = (struct outside){.trace = group->trace};
    return take(outside, group, group->count - 1, why);
}

static size_t times_in(const struct outside *outside, const struct trace_tensor *tensor) {
    size_t times = 0;
    for (size_t i = 0; i < outside->count; i++)
        times += outside->tensors[i]->has_digest && tensor->has_digest &&
                 trace_same_digest(&outside->tensors[i]->digest, &tensor->digest);
    return times;
}

/* Whether both add the same operands, each as often, in whichever order. */
static bool add_the_same(const struct outside *a, const struct outside *b) {
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = times_in(a, a->tensors[i]) == times_in(b, a->tensors[i]);
    return same;
}

/* Puts one operand at its place in each line. */
static bool load_term(struct trace_call *call, const struct outside *outside, size_t number,
                      struct error *why) {
    const size_t bytes = format_bytes(call->format);
    struct trace_codes codes;
    if (!trace_codes_load(&codes, outside->trace, outside->tensors[number], why))
        return false;
    for (uint64_t i = 0; i < codes.count; i++)
        memcpy((char *)call->operand[0].codes + (i * outside->count + number) * bytes,
               (const char *)codes.codes + i * bytes, bytes);
    free(codes.codes);
    return true;
}

bool trace_call_open_group(struct trace_call *call, const struct trace_group *group,
                           const struct trace_group *other, struct error *why) {
    static const struct trace_operation sum = {.name = "aten.sum"};
    const struct trace_tensor *output = &group->operations[group->count - 1].outputs[0];
    struct outside outside, others;
    *call =
        (struct trace_call){.row = trace_name_find(group->trace, &sum), .calls = 1, .operands = 1};
    if (!take_all(&outside, group, why) || !take_all(&others, other, why))
        return false;
    if (add_the_same(&outside, &others))
        outside = others;
    if (!output->type || !output->type->format || output->type->components != 1 || !output->count ||
        output->count > TRACE_MOST_ELEMENTS / outside.count)
        return error_set(why, "a sum of operands of that type or size");
    call->operation = operation_find(call->row->operation, why);
    call->format = call->result = output->type->format;
    call->shape = (struct shape){2, {output->count, outside.count}};
    call->operand[0] =
        (struct trace_codes){call->format, NULL, output->count * outside.count, false};
    call->operand[0].codes =
        malloc((size_t)call->operand[0].count * format_bytes(call->format) + 1);
    if (!call->operand[0].codes)
        return error_set(why, "out of memory");
    for (size_t i = 0; i < outside.count; i++)
        if (!load_term(call, &outside, i, why))
            return false;
    struct trace_making making = {call, group->trace, &sum, output, {{{0}}}};
    trace_set_integer(&making, PARAMETER_AXIS, 1);
    return call->operation && trace_call_settle(&making, why);
}
