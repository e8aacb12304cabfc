/* The elements of recorded tensors, in other orders and formats; calls that are made of them, and run. */
#include "trace/call.h"

#include "tensor/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool trace_codes_load(struct trace_codes *codes, const struct trace *trace,
                      const struct trace_tensor *tensor, struct error *why) {
    struct tensor_named named;
    struct tensor_stream stream;
    *codes = (struct trace_codes){.count = tensor->count};
    if (!tensor->type || !tensor->type->format || tensor->type->components != 1)
        return error_set(why, "detcheck cannot read elements of %s", tensor->type_name);
    if (tensor->kept_in < 0)
        return error_set(why, "its tensors were not kept");
    if (!trace_tensor_open(trace, tensor, &named, why))
        return false;
    codes->format = tensor->type->format;
    codes->codes = malloc((size_t)tensor->count * format_bytes(codes->format) + 1);
    bool good = codes->codes || error_set(why, "out of memory");
    good = good && tensor_stream_open(&stream, &named.file, named.tensor, true, why);
    if (good) {
        good = tensor_stream_read(&stream, codes->codes, (size_t)tensor->count, why);
        tensor_stream_close(&stream);
    }
    tensor_named_close(&named);
    if (!good) {
        free(codes->codes);
        codes->codes = NULL;
    }
    return good;
}

void *trace_gather(const void *codes, size_t bytes, int dimensions, const uint64_t *extents,
                   const uint64_t *strides) {
    uint64_t count = 1, at = 0, index[MOST_DIMENSIONS * 2] = {0};
    for (int i = 0; i < dimensions; i++)
        count *= extents[i];
    char *made = malloc((size_t)count * bytes + 1);
    for (uint64_t i = 0; made && i < count; i++) {
        memcpy(made + i * bytes, (const char *)codes + at * bytes, bytes);
        for (int d = dimensions - 1; d >= 0; d--) {
            at += strides[d];
            if (++index[d] < extents[d])
                break;
            at -= strides[d] * extents[d];
            index[d] = 0;
        }
    }
    return made;
}

/* Each element in a format that holds it; one number alone in any that has just that. */
static bool convert(struct trace_codes *codes, const struct format *to, struct error *why) {
    const struct format *from = codes->format;
    if (from == to)
        return true;
    if (codes->count > 1 && !format_is_within(from, to))
        return error_set(why, "an input is %s, and the outputs are %s", from->name, to->name);
    void *made = malloc((size_t)codes->count * format_bytes(to) + 1);
    if (!made)
        return error_set(why, "out of memory");
    for (size_t i = 0; i < codes->count; i++) {
        const struct real real =
            format_decode(from, code_load(codes->codes, format_bytes(from), i));
        const uint64_t code = format_encode(to, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
        const struct real back = format_decode(to, code);
        if (real.kind == REAL_FINITE && real_to_double(&back) != real_to_double(&real)) {
            free(made);
            return error_set(why, "an input has a number that is not one of %s", to->name);
        }
        code_store(made, format_bytes(to), i, code);
    }
    free(codes->codes);
    codes->codes = made;
    codes->format = to;
    return true;
}

/* Repeats elements along extents of 1, and along those that are missing in front. */
static bool broadcast(struct trace_codes *codes, const struct trace_tensor *tensor, int dimensions,
                      const uint64_t *extents, struct error *why) {
    uint64_t strides[MOST_DIMENSIONS * 2], step = 1, count = 1;
    if (dimensions > MOST_DIMENSIONS * 2 || tensor->dimensions > dimensions)
        return error_set(why, "inputs of more dimensions than the outputs");
    for (int i = 0; i < dimensions; i++)
        count *= extents[i];
    for (int i = dimensions - 1; i >= 0; i--) {
        const int own = i - (dimensions - tensor->dimensions);
        const uint64_t extent = own >= 0 ? tensor->extents[own] : 1;
        if (extent != 1 && extent != extents[i])
            return error_set(why, "an input does not broadcast to the outputs");
        strides[i] = extent == 1 ? 0 : step;
        step *= extent;
    }
    if (count == codes->count)
        return true;
    void *made =
        trace_gather(codes->codes, format_bytes(codes->format), dimensions, extents, strides);
    if (!made)
        return error_set(why, "out of memory");
    free(codes->codes);
    codes->codes = made;
    codes->count = count;
    return true;
}

bool trace_call_load(struct trace_call *call, int operand, const struct trace *trace,
                     const struct trace_tensor *tensor, int dimensions, const uint64_t *extents,
                     struct error *why) {
    struct trace_codes *codes = &call->operand[operand];
    return trace_codes_load(codes, trace, tensor, why) && convert(codes, call->format, why) &&
           (!extents || broadcast(codes, tensor, dimensions, extents, why));
}

bool trace_same_extents(const struct shape *a, const struct shape *b) {
    return a->dimensions == b->dimensions &&
           memcmp(a->extents, b->extents, (size_t)a->dimensions * sizeof *a->extents) == 0;
}

static bool same_value(const struct parameter_value *a, const struct parameter_value *b) {
    return a->present == b->present && a->integer == b->integer && a->format == b->format &&
           trace_same_extents(&a->shape, &b->shape);
}

bool trace_same_function(const struct trace_call *a, const struct trace_call *b) {
    bool same = a->operation == b->operation && a->format == b->format && a->result == b->result &&
                a->operands == b->operands;
    for (int i = 0; same && i < PARAMETER_COUNT; i++)
        same = i == PARAMETER_SECOND_SHAPE || /* of an operand */
               same_value(&a->parameters.values[i], &b->parameters.values[i]);
    return same;
}

bool trace_same_question(const struct trace_call *a, const struct trace_call *b) {
    bool same = trace_same_function(a, b) && a->calls == b->calls && a->results == b->results &&
                trace_same_extents(&a->shape, &b->shape);
    for (int i = 0; same && i < a->operands; i++) {
        const struct trace_codes *x = &a->operand[i], *y = &b->operand[i];
        same = x->format == y->format && x->count == y->count &&
               memcmp(x->codes, y->codes, (size_t)x->count * format_bytes(x->format)) == 0;
    }
    return same;
}

struct binding_request trace_call_request(const struct trace_call *call) {
    struct binding_request request = {.operation = call->operation,
                                      .format = call->format,
                                      .rounding = ROUND_NEAREST_EVEN,
                                      .overflow = OVERFLOW_IEEE,
                                      .parameters = call->parameters};
    if (call->operation->array) /* workers get the shape as a parameter */
        request.parameters.values[PARAMETER_SHAPE_OF] =
            (struct parameter_value){.present = true, .shape = call->shape};
    return request;
}

bool trace_call_plan(const struct trace_call *call, uint64_t number, void *results,
                     struct array_call *planned, struct error *error) {
    *planned = (struct array_call){
        .parameters = &call->parameters, .rounding = ROUND_NEAREST_EVEN, .overflow = OVERFLOW_IEEE};
    if (!array_call_plan(planned, call->operation->array, call->format, &call->shape, error))
        return false;
    for (int i = 0; i < call->operands; i++) {
        struct array *array = &planned->operands[i];
        const uint64_t first =
            call->operand[i].is_shared ? 0 : number * shape_elements(&array->shape);
        if (call->operand[i].codes)
            array->codes = (char *)call->operand[i].codes + first * format_bytes(array->format);
    }
    if (results)
        planned->results[0].codes =
            (char *)results + number * call->results * format_bytes(call->result);
    return true;
}

static void note_event(void *context, enum event_kind kind, size_t index) {
    const char **event = context;
    (void)index;
    *event = event_names[kind];
}

static bool run_numbers(const struct trace_call *call, struct binding *binding, void *results,
                        uint8_t *unanswered, const char **event, struct error *why) {
    struct slice slice = {.count = (size_t)call->results, .unanswered = unanswered};
    slice.total = call->results;
    for (int i = 0; i < call->operands; i++)
        slice.operands[i] = call->operand[i].codes;
    slice.results[0] = results;
    return binding_fill(binding, &slice, note_event, event, why);
}

/* Results behind the first are made and thrown away. */
static bool run_arrays(const struct trace_call *call, struct binding *binding, void *results,
                       uint8_t *unanswered, const char **event, struct error *why) {
    bool good = true;
    for (uint64_t i = 0; good && i < call->calls && !*unanswered; i++) {
        struct array_call planned;
        struct slice slice = {.count = 1, .unanswered = unanswered, .array = &planned};
        good = trace_call_plan(call, i, results, &planned, why);
        for (int r = 0; r < call->operation->results; r++) {
            const uint64_t count = shape_elements(&planned.results[r].shape);
            slice.array_first[r] = i * count;
            slice.array_total[r] = call->calls * count;
            if (r && good) {
                planned.results[r].codes =
                    calloc((size_t)count, format_bytes(planned.results[r].format));
                good = planned.results[r].codes || error_set(why, "out of memory");
            }
        }
        good = good && binding_fill(binding, &slice, note_event, event, why);
        for (int r = 1; r < call->operation->results; r++)
            free(planned.results[r].codes);
    }
    return good;
}

bool trace_call_run(const struct trace_call *call, const struct implementation *implementation,
                    void *results, struct error *why) {
    const struct binding_request request = trace_call_request(call);
    const size_t count = call->operation->array ? 1 : (size_t)call->results;
    const char *event = NULL;
    struct binding binding;
    if (!implementation_bind(&binding, implementation, &request, why))
        return false;
    uint8_t *unanswered = calloc(count, 1);
    bool good = unanswered || error_set(why, "out of memory");
    good = good && (call->operation->array ? run_arrays : run_numbers)(call, &binding, results,
                                                                       unanswered, &event, why);
    for (size_t i = 0; good && i < count; i++)
        if (unanswered[i])
            good = error_set(why, "%s gave no answer%s%s", implementation->name, event ? ": " : "",
                             event ? event : "");
    binding_close(&binding);
    free(unanswered);
    return good;
}
