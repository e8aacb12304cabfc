/* Operands, parameters and shapes, by what a row says of its operation. */
#include "trace/call_making.h"

#include "base/json.h"
#include "op/array/slices.h"
#include "tensor/stream.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers ---- */

/* A Python number as a code, if it is one of the format's: others are computed with in ways that no trace says. numpy rounds
 * it to the format of the result, in which it computes. */
static bool number_code(const struct trace_making *making, double number, uint64_t *code) {
    const struct format *format = making->call->format;
    const bool is_rounded =
        format == &formats[FORMAT_FP32] || strncmp(making->call->row->name, "numpy.", 6) == 0;
    const struct real real = real_from_double(number);
    *code = format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    const struct real back = format_decode(format, *code);
    return isnan(number) || real_to_double(&back) == number || is_rounded;
}

/* The same number in each element. */
static bool fill_number(struct trace_making *making, int operand, double number, uint64_t count,
                        struct error *why) {
    const struct format *format = making->call->format;
    const size_t bytes = format_bytes(format);
    uint64_t code;
    if (!number_code(making, number, &code))
        return error_set(why, "its parameter %g is not a number of %s", number, format->name);
    void *codes = malloc((size_t)count * bytes);
    if (!codes)
        return error_set(why, "out of memory");
    for (size_t i = 0; i < count; i++)
        code_store(codes, bytes, i, code);
    making->call->operand[operand] = (struct trace_codes){format, codes, count, false};
    return true;
}

/* The attribute that has a number in place of the input that a word of digits stands for, as numpy's ufuncs name them by their
 * place; NULL where none has. */
static const char *literal_of(const struct trace_operation *operation, const char *word,
                              size_t length) {
    static const char *const names[] = {"x1", "x2"};
    const size_t place = length == 1 ? (size_t)(*word - '0') : 2;
    return place < 2 && trace_attribute(operation, names[place]) ? names[place] : NULL;
}

/* What trace_operand says; the second operand is the first input where the first operand is a literal. */
static const struct trace_tensor *operand_behind_literal(const struct trace_operation *operation,
                                                         const char *word, size_t length,
                                                         int operand) {
    const bool is_behind = length == 1 && *word == '1' && literal_of(operation, "0", 1);
    return trace_operand(operation, is_behind ? "0" : word, length, (size_t)operand);
}

/* An operand of numbers: an input, a number that the row has, or one among the attributes. */
static bool load_number(struct trace_making *making, const char *words, int operand,
                        struct error *why) {
    static const char attributes[] = "other exponent y value scalar";
    const struct trace_tensor *output = making->output;
    size_t length;
    const char *word = trace_word_at(words, (size_t)operand, &length);
    if (word && *word == '=')
        return fill_number(making, operand, strtod(word + 1, NULL), output->count, why);
    const char *literal = word ? literal_of(making->operation, word, length) : NULL;
    if (literal)
        return fill_number(making, operand, trace_attribute_number(making->operation, literal, NAN),
                           output->count, why);
    const struct trace_tensor *input =
        word ? operand_behind_literal(making->operation, word, length, operand) : NULL;
    if (input)
        return trace_call_load(making->call, operand, making->trace, input, output->dimensions,
                               output->extents, why);
    if (!trace_attribute(making->operation, attributes))
        return error_set(why, "operand %d of %s was not recorded", operand,
                         making->operation->name);
    return fill_number(making, operand, trace_attribute_number(making->operation, attributes, NAN),
                       output->count, why);
}

static bool make_elements(struct trace_making *making, struct error *why) {
    struct trace_call *call = making->call;
    const char *words = call->row->operands ? call->row->operands : "0 1 2";
    call->operands = call->operation->operands;
    call->format = call->result;
    call->shape = shape_of(making->output->count);
    call->results = making->output->count;
    for (int i = 0; i < call->operands; i++)
        if (!load_number(making, words, i, why))
            return false;
    if (call->row->how == TRACE_ALIKE)
        call->calls = 1;
    return true;
}

static bool make_cast(struct trace_making *making, struct error *why) {
    struct trace_call *call = making->call;
    size_t length;
    const char *word = trace_word_at(call->row->operands, 0, &length);
    const struct trace_tensor *input = trace_operand(making->operation, word, length, 0);
    if (!input || !input->type || !input->type->format)
        return error_set(why, "the operand of the cast was not recorded");
    call->format = input->type->format;
    call->operands = 1;
    call->shape = shape_of(making->output->count);
    call->results = making->output->count;
    making->given.values[PARAMETER_TO] =
        (struct parameter_value){.present = true, .format = call->result};
    if (format_is_whole(call->format) || format_is_whole(call->result))
        return error_set(why, "casts of integers are not judged");
    return trace_call_load(call, 0, making->trace, input, making->output->dimensions,
                           making->output->extents, why);
}

/* ---- Lines ---- */

enum { AXES = MOST_DIMENSIONS };

static bool add_axis(const struct trace_tensor *input, bool is_axis[AXES], double axis) {
    const double at = axis < 0 ? axis + input->dimensions : axis;
    if (!(at >= 0 && at < input->dimensions))
        return false;
    is_axis[(int)at] = true;
    return true;
}

/* Axes in a second input, as ONNX has them. */
static bool axes_of_input(const struct trace_making *making, bool is_axis[AXES], int *count,
                          struct error *why) {
    const struct trace_tensor *axes = &making->operation->inputs[1];
    struct trace_codes codes;
    if (!axes->type || axes->type->format != &formats[FORMAT_INT64] || axes->count > AXES)
        return error_set(why, "its axes are in an input that is not understood");
    if (!trace_codes_load(&codes, making->trace, axes, why))
        return false;
    bool good = true;
    for (size_t i = 0; good && i < axes->count; i++)
        good = add_axis(&making->operation->inputs[0], is_axis,
                        (double)(int64_t)code_load(codes.codes, 8, i));
    *count = (int)axes->count;
    free(codes.codes);
    return good || error_set(why, "the input has no such axis");
}

/* Which axes it works along; none: all of them. */
static bool find_axes(const struct trace_making *making, bool is_axis[AXES], int *count,
                      struct error *why) {
    const struct trace_tensor *input = &making->operation->inputs[0];
    const cJSON *axes = trace_attribute(making->operation, "dim axis axes dimension dims"), *item;
    *count = 0;
    if (making->operation->input_count > 1 && !making->operation->inputs[1].is_overwritten)
        return axes ? error_set(why, "it has inputs besides the array that it works along")
                    : axes_of_input(making, is_axis, count, why);
    if (cJSON_IsNumber(axes))
        return (*count = 1, add_axis(input, is_axis, axes->valuedouble)) ||
               error_set(why, "the input has no such axis");
    cJSON_ArrayForEach(item, axes) {
        *count += 1;
        if (!cJSON_IsNumber(item) || !add_axis(input, is_axis, item->valuedouble))
            return error_set(why, "the input has no such axis");
    }
    return true;
}

/* Several axes as one, which comes last. */
static bool join_axes(struct trace_making *making, const struct trace_tensor *input,
                      const bool *is_axis, struct error *why) {
    struct trace_call *call = making->call;
    uint64_t extents[AXES], strides[AXES], step = 1, kept = 1, joined = 1;
    int at = input->dimensions;
    uint64_t own[AXES];
    for (int i = input->dimensions - 1; i >= 0; i--) {
        own[i] = step;
        step *= input->extents[i];
    }
    for (int turn = 1; turn >= 0; turn--)
        for (int i = input->dimensions - 1; i >= 0; i--)
            if (is_axis[i] == (turn == 1)) {
                extents[--at] = input->extents[i];
                strides[at] = own[i];
                *(turn ? &joined : &kept) = (turn ? joined : kept) * input->extents[i];
            }
    void *codes = trace_gather(call->operand[0].codes, format_bytes(call->operand[0].format),
                               input->dimensions, extents, strides);
    if (!codes)
        return error_set(why, "out of memory");
    free(call->operand[0].codes);
    call->operand[0].codes = codes;
    call->shape = (struct shape){2, {kept, joined}};
    trace_set_integer(making, PARAMETER_AXIS, 1);
    return true;
}

static bool make_lines(struct trace_making *making, struct error *why) {
    struct trace_call *call = making->call;
    const struct trace_tensor *input = &making->operation->inputs[0];
    bool is_axis[AXES] = {false};
    int count;
    if (input->dimensions > AXES)
        return error_set(why, "more than %d dimensions", AXES);
    call->operands = 1;
    call->calls = 1;
    if (!trace_call_load(call, 0, making->trace, input, 0, NULL, why) ||
        !find_axes(making, is_axis, &count, why))
        return false;
    call->shape = (struct shape){.dimensions = input->dimensions};
    memcpy(call->shape.extents, input->extents, (size_t)input->dimensions * sizeof *input->extents);
    if (!input->dimensions)
        call->shape = shape_of(1);
    if (trace_attribute_number(making->operation, "reverse", 0) != 0)
        trace_set_integer(making, PARAMETER_REVERSE, 1);
    if (count > 1)
        return call->operation->array->lines == LINES_REDUCED
                   ? join_axes(making, input, is_axis, why)
                   : error_set(why, "it works along several axes, and %s along one",
                               call->operation->name);
    for (int i = 0; i < input->dimensions; i++)
        if (is_axis[i])
            trace_set_integer(making, PARAMETER_AXIS, i);
    return true;
}

/* Softmax of ONNX: one line has all axes from the axis on, the second one if none is said, before opset 13; since then
 * lines lie along the axis, the last one if none is said. */
static bool make_flattened(struct trace_making *making, struct error *why) {
    enum { OPSET_OF_ONE_AXIS = 13 };
    const struct trace_operation *operation = making->operation;
    const struct trace_tensor *input = &operation->inputs[0];
    const double opset = trace_attribute_number(operation, "opset", 0),
                 given =
                     trace_attribute_number(operation, "axis", opset >= OPSET_OF_ONE_AXIS ? -1 : 1),
                 axis = given < 0 ? given + input->dimensions : given;
    const bool is_last = axis == input->dimensions - 1;
    if (opset >= OPSET_OF_ONE_AXIS || is_last) {
        if (!make_lines(making, why))
            return false;
        if (is_last)
            trace_set_integer(making, PARAMETER_AXIS, input->dimensions - 1);
        return true;
    }
    if (opset <= 0)
        return error_set(why, "the opset decides whether it works along one axis or all later "
                              "ones, and was not recorded");
    if (!(axis >= 0 && axis <= input->dimensions))
        return error_set(why, "the input has no such axis");
    uint64_t lines = 1, length = 1;
    for (int i = 0; i < input->dimensions; i++)
        *(i < axis ? &lines : &length) *= input->extents[i];
    making->call->operands = 1;
    making->call->calls = 1;
    making->call->shape = (struct shape){2, {lines, length}};
    trace_set_integer(making, PARAMETER_AXIS, 1);
    return trace_call_load(making->call, 0, making->trace, input, 0, NULL, why);
}

/* ---- All ---- */

static bool make_product(struct trace_making *making, struct error *why) {
    return trace_call_product(making->call, making->trace, making->operation, why) &&
           (making->call->operands < 3 || (trace_set_integer(making, PARAMETER_ADDEND, 1), true));
}

static bool make_by_means(struct trace_making *making, struct error *why) {
    switch (making->call->row->how) {
    case TRACE_ELEMENTS:
    case TRACE_ALIKE:
        return make_elements(making, why);
    case TRACE_CAST:
        return make_cast(making, why);
    case TRACE_FLATTENED:
        return make_flattened(making, why);
    case TRACE_LINES:
        return make_lines(making, why);
    case TRACE_PRODUCT:
        return make_product(making, why);
    case TRACE_NORM:
        return trace_make_norm(making, why);
    case TRACE_CHANNELS:
        return trace_make_channels(making, why);
    case TRACE_ATTENTION:
        return trace_make_attention(making, why);
    case TRACE_CONVOLUTION:
        return trace_make_convolution(making, why);
    default:
        return error_set(why, "%s: %s", making->call->row->name, making->call->row->limits);
    }
}

bool trace_call_settle(struct trace_making *making, struct error *why) {
    struct trace_call *call = making->call;
    if (call->result != call->format && call->row->how != TRACE_CAST)
        making->given.values[PARAMETER_DTYPE] =
            (struct parameter_value){.present = true, .format = call->result};
    if (call->row->parameters)
        parameters_read(&making->given, call->row->parameters);
    if (!operation_takes_format(call->operation, call->format, why) ||
        !operation_settle(call->operation, call->format, &making->given, &call->parameters, why))
        return false;
    if (call->operation->array) {
        struct array_call planned;
        if (!trace_call_plan(call, 0, NULL, &planned, why))
            return false;
        call->results = shape_elements(&planned.results[0].shape);
        if (call->row->how != TRACE_ALIKE)
            call->lines = slices_of(&planned);
        call->lines.reverse = false;
        for (int i = 0; i < call->operands; i++) {
            const uint64_t wanted = shape_elements(&planned.operands[i].shape) *
                                    (call->operand[i].is_shared ? 1 : call->calls);
            if (wanted != call->operand[i].count || planned.operands[i].format != call->format)
                return error_set(why, "operand %d has another shape than %s takes", i,
                                 call->operation->name);
        }
    }
    return call->results * call->calls == making->output->count ||
           error_set(why, "%s makes %" PRIu64 " elements of that, and %" PRIu64 " were recorded",
                     call->operation->name, call->results * call->calls, making->output->count);
}

/* What an operation is not computed with here, unless it has the value that it has by itself. */
static bool check_attributes(const struct trace_operation *operation, const struct trace_name *row,
                             struct error *why) {
    static const struct {
        const char *name, *attribute;
        double usual;
    } asks[] = {{"aten.elu", "scale", 1},
                {"aten.elu", "input_scale", 1},
                {"numpy.sum", "initial", 0},
                {"numpy.add.reduce", "initial", 0},
                {"onnx.Attention", "softcap", 0}};
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
        if (strcmp(asks[i].name, row->name) == 0 &&
            trace_attribute_number(operation, asks[i].attribute, asks[i].usual) != asks[i].usual)
            return error_set(why, "its %s is not %g", asks[i].attribute, asks[i].usual);
    return true;
}

static bool check_recorded(const struct trace_operation *operation, const struct trace_name *row,
                           struct error *why) {
    if (operation->error)
        return error_set(why, "the recorded call raised an error");
    if (operation->is_random && row->how != TRACE_ATTENTION) /* whose dropout is looked at */
        return error_set(why, "it draws numbers");
    if (!operation->input_count || !operation->output_count || !operation->outputs[0].count)
        return error_set(why, "it has no inputs or no outputs");
    const struct tensor_type *type = operation->outputs[0].type;
    if (!type || !type->format || type->components != 1)
        return error_set(why, "its outputs are %s", operation->outputs[0].type_name);
    for (size_t i = 0; i < operation->input_count; i++)
        if (!operation->inputs[i].count) /* of which extents are divided by */
            return error_set(why, "an input has no elements");
        else if (operation->inputs[i].count > TRACE_MOST_ELEMENTS)
            return error_set(why, "an input has more than %d elements", TRACE_MOST_ELEMENTS);
    return operation->outputs[0].count <= TRACE_MOST_ELEMENTS ||
           error_set(why, "it has more than %d outputs", TRACE_MOST_ELEMENTS);
}

bool trace_call_open(struct trace_call *call, const struct trace *trace,
                     const struct trace_operation *operation, struct error *why) {
    *call = (struct trace_call){.row = trace_name_find(trace, operation), .calls = 1};
    if (!call->row)
        return error_set(why, "the table of names has no row for %.80s", operation->name);
    if (!call->row->operation)
        return error_set(why, "%s: %s", call->row->name, call->row->limits);
    if (!check_attributes(operation, call->row, why) || !check_recorded(operation, call->row, why))
        return false;
    call->operation = operation_find(call->row->operation, why);
    call->result = operation->outputs[0].type->format;
    const struct tensor_type *type = operation->inputs[0].type;
    if (!call->operation)
        return false;
    if (!type || !type->format || type->components != 1)
        return error_set(why, "its inputs are %s", operation->inputs[0].type_name);
    call->format = type->format;
    if (call->row->how != TRACE_CAST && !format_is_within(call->format, call->result))
        return error_set(why, "outputs in a narrower format than inputs");
    struct trace_making making = {call, trace, operation, &operation->outputs[0], {{{0}}}};
    return make_by_means(&making, why) && trace_call_settle(&making, why);
}

void trace_call_close(struct trace_call *call) {
    for (int i = 0; i < MAX_ARRAY_OPERANDS; i++)
        free(call->operand[i].codes);
    *call = (struct trace_call){0};
}
