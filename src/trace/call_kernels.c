/* Norms, convolutions and attention: their operands, shapes and parameters. */
#include "trace/call_making.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool set_text(struct trace_making *making, enum parameter_number number, const char *text,
                     struct error *why) {
    return parameter_parse(&parameter_rows[number], text, &making->given.values[number], why);
}

bool trace_set_number(struct trace_making *making, enum parameter_number number, double value,
                      struct error *why) {
    const struct parameter *row = &parameter_rows[number];
    if (!(value >= (double)row->least && value <= (double)row->most) || floor(value) != value)
        return error_set(why, "%s of %g", row->name, value);
    trace_set_integer(making, number, (int64_t)value);
    return true;
}

/* ---- Norms and convolutions ---- */

/* Epsilon is a number of fp32 here. Without one PyTorch's rms_norm takes that of the format. */
static bool set_epsilon(struct trace_making *making, struct error *why) {
    char text[32];
    const bool is_rms = strcmp(making->call->operation->name, "rms_norm") == 0;
    const double usual = is_rms && strncmp(making->call->row->name, "aten.", 5) == 0
                             ? ldexp(1, 1 - making->call->format->precision)
                             : 1e-5;
    const double epsilon = trace_attribute_number(making->operation, "eps epsilon", usual);
    if (making->call->format == &formats[FORMAT_FP64] && (double)(float)epsilon != epsilon)
        return error_set(why, "its epsilon is not a number of fp32");
    snprintf(text, sizeof text, "%.17g", epsilon);
    return set_text(making, PARAMETER_EPSILON, text, why);
}

/* The operands behind the first, as far as they are there: weight, bias. */
static bool load_affine(struct trace_making *making, struct error *why) {
    static const char *const names[] = {"none", "weight", "bias"};
    struct trace_call *call = making->call;
    call->operands = 1;
    for (int i = 1; i < 3; i++) {
        size_t length;
        const char *word = trace_word_at(call->row->operands, (size_t)i, &length);
        const struct trace_tensor *input =
            word ? trace_operand(making->operation, word, length, (size_t)i) : NULL;
        if (!input)
            break;
        if (!trace_call_load(call, i, making->trace, input, 0, NULL, why))
            return false;
        call->operand[i].is_shared = true;
        call->operands++;
    }
    const bool is_weighed = call->row->how == TRACE_CONVOLUTION;
    if (is_weighed && call->operands < 2)
        return error_set(why, "its weight was not recorded");
    return set_text(making, PARAMETER_AFFINE, names[call->operands - 1], why);
}

bool trace_make_norm(struct trace_making *making, struct error *why) {
    struct trace_call *call = making->call;
    const struct trace_tensor *input = &making->operation->inputs[0];
    const cJSON *shape = trace_attribute(making->operation, "normalized_shape");
    const double axis = trace_attribute_number(making->operation, "axis", -1);
    if (!(axis >= -input->dimensions && axis < input->dimensions))
        return error_set(why, "the input lacks the axes that it norms along");
    const int from = cJSON_IsArray(shape) ? input->dimensions - cJSON_GetArraySize(shape)
                     : axis < 0           ? input->dimensions + (int)axis
                                          : (int)axis;
    uint64_t length = 1;
    if (from < 0 || from >= input->dimensions)
        return error_set(why, "the input lacks the axes that it norms along");
    for (int i = from; i < input->dimensions; i++)
        length *= input->extents[i];
    call->shape = (struct shape){2, {input->count / length, length}};
    call->calls = 1;
    return trace_call_load(call, 0, making->trace, input, 0, NULL, why) &&
           load_affine(making, why) && set_epsilon(making, why);
}

/* The shape of the first input, of up to so many dimensions. */
static bool take_shape(struct trace_making *making, struct shape *shape,
                       const struct trace_tensor *input, struct error *why) {
    if (input->dimensions < 1 || input->dimensions > MOST_DIMENSIONS)
        return error_set(why, "%s of %d dimensions", making->call->operation->name,
                         input->dimensions);
    shape->dimensions = input->dimensions;
    for (int i = 0; i < input->dimensions; i++)
        shape->extents[i] = input->extents[i];
    return true;
}

bool trace_make_channels(struct trace_making *making, struct error *why) {
    struct trace_call *call = making->call;
    const struct trace_tensor *input = &making->operation->inputs[0];
    const double groups = trace_attribute_number(making->operation, "group num_groups", 0);
    call->calls = 1;
    if (groups != 0 && !trace_set_number(making, PARAMETER_GROUPS, groups, why))
        return false;
    return take_shape(making, &call->shape, input, why) &&
           trace_call_load(call, 0, making->trace, input, 0, NULL, why) &&
           load_affine(making, why) && set_epsilon(making, why);
}

/* A number for each axis, all the same; pads of ONNX have one for each end. */
static bool set_of_axes(struct trace_making *making, enum parameter_number number,
                        const char *names, struct error *why) {
    const cJSON *list = trace_attribute(making->operation, names), *item;
    double value = cJSON_IsNumber(list) ? list->valuedouble : -1;
    if (!list)
        return true;
    cJSON_ArrayForEach(item, list) {
        if (value >= 0 && item->valuedouble != value)
            return error_set(why, "its %s is not the same for all axes",
                             parameter_rows[number].name);
        value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    }
    return trace_set_number(making, number, value, why);
}

bool trace_make_convolution(struct trace_making *making, struct error *why) {
    struct trace_call *call = making->call;
    const struct trace_operation *operation = making->operation;
    const cJSON *automatic = trace_attribute(operation, "auto_pad");
    if (operation->input_count < 2)
        return error_set(why, "its weight was not recorded");
    if (trace_attribute_number(operation, "transposed", 0) != 0)
        return error_set(why, "a transposed convolution");
    if (cJSON_IsString(automatic) && strcmp(automatic->valuestring, "NOTSET") != 0 &&
        strcmp(automatic->valuestring, "VALID") != 0)
        return error_set(why, "no attribute gives the padding");
    struct parameter_value *second = &making->given.values[PARAMETER_SECOND_SHAPE];
    second->present = true;
    call->calls = 1;
    return trace_set_number(making, PARAMETER_GROUPS,
                            trace_attribute_number(operation, "groups group", 1), why) &&
           take_shape(making, &call->shape, &operation->inputs[0], why) &&
           take_shape(making, &second->shape, &operation->inputs[1], why) &&
           set_of_axes(making, PARAMETER_STRIDE, "stride strides", why) &&
           set_of_axes(making, PARAMETER_PADDING, "padding pads", why) &&
           set_of_axes(making, PARAMETER_DILATION, "dilation dilations", why) &&
           trace_call_load(call, 0, making->trace, &operation->inputs[0], 0, NULL, why) &&
           load_affine(making, why);
}

/* ---- Attention ---- */

/* One mask for all heads; of truth values 0 and -inf. */
static bool load_mask(struct trace_making *making, const struct trace_tensor *mask,
                      uint64_t queries, uint64_t keys, struct error *why) {
    struct trace_call *call = making->call;
    const uint64_t extents[] = {queries, keys};
    struct trace_tensor plain = *mask;
    for (; plain.dimensions > 2 && plain.extents[0] == 1; plain.dimensions--)
        plain.extents++;
    if (plain.dimensions > 2)
        return error_set(why, "a mask for each head or batch");
    if (strcmp(mask->type_name, "bool") != 0)
        return set_text(making, PARAMETER_BIAS, "mask", why) &&
               (call->operands = 4,
                trace_call_load(call, 3, making->trace, &plain, 2, extents, why)) &&
               (call->operand[3].is_shared = true);
    return error_set(why, "a mask of truth values");
}

static bool load_attention(struct trace_making *making, const struct trace_tensor *const inputs[4],
                           struct error *why) {
    struct trace_call *call = making->call;
    const struct trace_tensor *q = inputs[0], *k = inputs[1], *v = inputs[2];
    const uint64_t width = q->extents[3];
    const double scale =
        trace_attribute_number(making->operation, "scale", 1 / sqrt((double)width));
    if (k->extents[3] != width || v->extents[3] != width || k->extents[2] != v->extents[2])
        return error_set(why, "attention of values of another width than keys");
    if ((float)scale != (float)(1 / sqrt((double)width)))
        return error_set(why, "attention of another scale than width^(-1/2)");
    if (trace_attribute_number(making->operation, "dropout_p", 0) != 0)
        return error_set(why, "attention with dropout");
    call->shape =
        (struct shape){5, {q->extents[0], q->extents[1], q->extents[2], k->extents[2], width}};
    trace_set_integer(making, PARAMETER_GROUPS, (int64_t)k->extents[1]);
    if (trace_attribute_number(making->operation, "is_causal", 0) != 0) {
        if (q->extents[2] != k->extents[2])
            return error_set(why, "causal attention of fewer queries than keys");
        trace_set_integer(making, PARAMETER_CAUSAL, 1);
    }
    call->operands = 3;
    call->calls = 1;
    for (int i = 0; i < 3; i++)
        if (!trace_call_load(call, i, making->trace, inputs[i], 0, NULL, why))
            return false;
    return !inputs[3] || load_mask(making, inputs[3], q->extents[2], k->extents[2], why);
}

bool trace_make_attention(struct trace_making *making, struct error *why) {
    const struct trace_tensor *inputs[4] = {NULL};
    for (int i = 0; i < 4; i++) {
        size_t length;
        const char *word = trace_word_at(making->call->row->operands, (size_t)i, &length);
        inputs[i] = trace_operand(making->operation, word, length, (size_t)i);
        if (i < 3 && (!inputs[i] || inputs[i]->dimensions != 4))
            return error_set(why, "attention of other than 4 dimensions");
    }
    return load_attention(making, inputs, why);
}
