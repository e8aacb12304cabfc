/* The lines of norms, softmax, gates, rope and attention. */
#include "impl/forms/lines.h"

#include "impl/steps_arithmetic.h"
#include "op/array/slices.h"
#include "op/kernels/attention.h"
#include "op/kernels/norms.h"

#include <math.h>
#include <string.h>

static bool no_memory(struct error *error) {
    return error_set(error, "out of memory");
}

/* ---- Norms and softmax ---- */

enum { LINE_X, LINE_N, LINE_WEIGHT, LINE_BIAS, LINE_EPSILON };

static bool load_sides(struct form_run *run, const struct array_call *call,
                       const struct norm_layout *layout, uint64_t line) {
    const int operands = rule_operands(call->rule, call->parameters);
    for (int k = NORM_WEIGHT; k < operands; k++) {
        double *side = form_run_set(run, LINE_WEIGHT + k - NORM_WEIGHT, (size_t)layout->length);
        for (uint64_t i = 0; side && i < layout->length; i++)
            side[i] = form_number_at(call, k, norm_weight_place(layout, line, i));
        if (!side)
            return false;
    }
    return true;
}

static bool fill_norms(struct form_run *run, const struct array_call *call, struct error *error) {
    const struct norm_layout layout = norm_layout_of(call);
    const struct real epsilon = array_epsilon(call);
    bool good = form_set_number(run, LINE_N, (double)layout.length) &&
                form_set_number(run, LINE_WEIGHT, 1) && form_set_number(run, LINE_BIAS, -0.0) &&
                form_set_number(run, LINE_EPSILON, real_to_double(&epsilon));
    for (uint64_t line = 0; good && line < layout.count; line++) {
        double *x = form_run_set(run, LINE_X, (size_t)layout.length);
        if (!x || !load_sides(run, call, &layout, line))
            return no_memory(error);
        for (uint64_t i = 0; i < layout.length; i++)
            x[i] = form_number_at(call, NORM_X, norm_place(&layout, line, i));
        const double *y = form_run_line(run, 0, 0, error);
        if (!y)
            return false;
        for (uint64_t i = 0; i < layout.length; i++)
            form_put(call, norm_place(&layout, line, i), y[i]);
    }
    return good || no_memory(error);
}

static bool fill_lines(struct form_run *run, const struct array_call *call, struct error *error) {
    const struct slices slices = slices_of(call);
    if (!form_set_number(run, LINE_N, (double)slices.length))
        return no_memory(error);
    for (uint64_t line = 0; line < slices.count; line++) {
        double *x = form_run_set(run, LINE_X, (size_t)slices.length);
        if (!x)
            return no_memory(error);
        for (uint64_t i = 0; i < slices.length; i++)
            x[i] = form_number_at(call, 0, slice_place(&slices, line, i));
        const double *y = form_run_line(run, 0, 0, error);
        if (!y)
            return false;
        for (uint64_t i = 0; i < slices.length; i++)
            form_put(call, slice_place(&slices, line, i), y[i]);
    }
    return true;
}

/* ---- Gates ---- */

enum { GATE_X, GATE_U, GATE_PLACE, GATE_N, GATE_STRIP };

/* Where a gate's operands lie: those of two arrays, or of one array's halves. */
static bool fill_gates(struct form_run *run, const struct array_call *call, struct error *error) {
    const struct slices slices = slices_of(call);
    const bool is_packed = !call->rule->operand_names[1];
    const uint64_t length = is_packed ? slices.length / 2 : slices.length;
    struct slices results = slices;
    results.length = length;
    if (!form_set_places(run, GATE_PLACE, (size_t)length))
        return no_memory(error);
    for (uint64_t line = 0; line < slices.count; line++) {
        double *x = form_run_set(run, GATE_X, (size_t)length),
               *u = form_run_set(run, GATE_U, (size_t)length);
        if (!x || !u)
            return no_memory(error);
        for (uint64_t i = 0; i < length; i++) {
            x[i] = form_number_at(call, 0, slice_place(&slices, line, i));
            u[i] = form_number_at(call, is_packed ? 0 : 1,
                                  slice_place(&slices, line, is_packed ? i + length : i));
        }
        const double *y = form_run_line(run, 0, 0, error);
        if (!y)
            return false;
        for (uint64_t i = 0; i < length; i++)
            form_put(call, slice_place(&results, line, i), y[i]);
    }
    return true;
}

/* ---- Rope ---- */

enum { ROPE_X, ROPE_POSITION, ROPE_INDEX, ROPE_N, ROPE_BASE, ROPE_FACTOR };

static double number_of(const struct array_call *call, enum parameter_number number) {
    const int64_t code = parameter_integer(call->parameters, number, 0);
    return code ? steps_value(&formats[FORMAT_FP32], (uint64_t)code) : 1;
}

/* Element i of what turns, as one half lies behind the other. */
static uint64_t place_of(const struct array_call *call, uint64_t i, uint64_t turning) {
    const uint64_t half = turning / 2;
    return !parameter_flag(call->parameters, PARAMETER_INTERLEAVED) ? i
           : i < half                                               ? 2 * i
                                                                    : 2 * (i - half) + 1;
}

static bool fill_rope(struct form_run *run, const struct array_call *call, struct error *error) {
    const struct slices slices = slices_of(call);
    const struct array *positions = &call->operands[1];
    const uint64_t turning =
        (uint64_t)parameter_integer(call->parameters, PARAMETER_ROTARY, (int64_t)slices.length);
    double *index = form_run_set(run, ROPE_INDEX, (size_t)turning);
    if (!index || !form_set_number(run, ROPE_N, (double)turning) ||
        !form_set_number(run, ROPE_BASE, number_of(call, PARAMETER_BASE)) ||
        !form_set_number(run, ROPE_FACTOR, number_of(call, PARAMETER_FACTOR)))
        return no_memory(error);
    for (uint64_t i = 0; i < turning; i++)
        index[i] = (double)(i % (turning / 2));
    for (uint64_t line = 0; line < slices.count; line++) {
        const uint64_t first = slice_start(&slices, line);
        const struct real position = array_number(positions, line);
        double *x = form_run_set(run, ROPE_X, (size_t)turning);
        if (!x || !form_set_number(run, ROPE_POSITION, real_to_double(&position)))
            return no_memory(error);
        for (uint64_t i = 0; i < turning; i++)
            x[i] = form_number_at(call, 0, first + place_of(call, i, turning));
        const double *y = form_run_line(run, 0, 0, error);
        if (!y)
            return false;
        for (uint64_t i = 0; i < slices.length; i++)
            if (i < turning)
                form_put(call, first + place_of(call, i, turning), y[i]);
            else
                form_put(call, first + i, form_number_at(call, 0, first + i));
    }
    return true;
}

/* ---- Attention ---- */

enum {
    NAME_Q,
    NAME_K,
    NAME_V,
    NAME_BIAS,
    NAME_MASK,
    NAME_SCALE,
    NAME_CAP,
    NAME_N,
    NAME_PLACE,
    NAME_FROM
};

static bool load_line(struct form_run *run, int name, const struct array_call *call, int k,
                      uint64_t first, uint64_t count) {
    double *numbers = form_run_set(run, name, (size_t)count);
    for (uint64_t i = 0; numbers && i < count; i++)
        numbers[i] = form_number_at(call, k, first + i);
    return numbers;
}

/* What is added to the scores of a query, and which keys it has. */
static bool load_bias(struct form_run *run, const struct array_call *call, uint64_t head,
                      uint64_t query) {
    const struct attention_extents extents = attention_extents(call);
    const int bias = (int)parameter_integer(call->parameters, PARAMETER_BIAS, ATTENTION_NO_BIAS);
    double *biases = form_run_set(run, NAME_BIAS, (size_t)extents.keys),
           *masks = form_run_set(run, NAME_MASK, (size_t)extents.keys);
    uint64_t first, last;
    if (!biases || !masks)
        return false;
    attention_keys(call, query, &first, &last);
    for (uint64_t j = 0; j < extents.keys; j++) {
        const double distance = (double)(int64_t)(j + extents.queries - query - extents.keys);
        biases[j] = bias == ATTENTION_MASK
                        ? form_number_at(call, ATTENTION_BIAS, query * extents.keys + j)
                    : bias == ATTENTION_ALIBI
                        ? steps_rounded(form_run_format(run),
                                        form_number_at(call, ATTENTION_BIAS, head) * distance)
                        : 0;
        masks[j] = j >= first && j < last ? 0 : -(double)INFINITY;
    }
    return true;
}

static bool fill_attention(struct form_run *run, const struct array_call *call,
                           struct error *error) {
    const struct attention_extents extents = attention_extents(call);
    const struct real cap = attention_soft_cap(call);
    const uint64_t width = extents.width, keys = extents.keys;
    if (!form_set_number(run, NAME_SCALE, 1 / sqrt((double)width)) ||
        !form_set_number(run, NAME_CAP, real_to_double(&cap)) ||
        !form_set_number(run, NAME_N, (double)keys) ||
        !form_set_number(run, NAME_FROM, form_run_from(run)))
        return no_memory(error);
    double *places = form_run_set(run, NAME_PLACE, (size_t)(keys * width));
    for (uint64_t i = 0; places && i < keys * width; i++)
        places[i] = (double)(i / width);
    if (!places)
        return no_memory(error);
    for (uint64_t line = 0; line < extents.batches * extents.heads * extents.queries; line++) {
        const uint64_t query = line % extents.queries,
                       head = line / extents.queries % extents.heads,
                       batch = line / extents.queries / extents.heads,
                       group = batch * extents.groups + head * extents.groups / extents.heads,
                       first = group * keys * width;
        if (!load_line(run, NAME_Q, call, ATTENTION_Q, line * width, width) ||
            !load_line(run, NAME_K, call, ATTENTION_K, first, keys * width) ||
            !load_line(run, NAME_V, call, ATTENTION_V, first, keys * width) ||
            !load_bias(run, call, head, query))
            return no_memory(error);
        const double *y = form_run_line(run, (size_t)keys, (size_t)width, error);
        if (!y)
            return false;
        for (uint64_t i = 0; i < width; i++)
            form_put(call, line * width + i, y[i]);
    }
    return true;
}

/* ---- The kinds ---- */

static const struct form_lines kinds[] = {
    {"rms_norm, layer_norm, l2_norm, group_norm, batch_norm",
     {{.name = "x"}, {.name = "n"}, {.name = "weight"}, {.name = "bias"}, {.name = "epsilon"}},
     5,
     fill_norms},
    {"softmax, log_softmax", {{.name = "x"}, {.name = "n"}}, 2, fill_lines},
    {"cross_entropy",
     {{.name = "x"}, {.name = "hit"}, {.name = "n"}, {.name = "smoothing"}},
     4,
     form_fill_losses},
    {"sgd",
     {{.name = "parameter"},
      {.name = "gradient"},
      {.name = "velocity"},
      {.name = "rate"},
      {.name = "momentum"},
      {.name = "undampened"},
      {.name = "decay"},
      {.name = "nesterov"},
      {.name = "first"}},
     9,
     form_fill_sgd},
    {"adam, adamw",
     {{.name = "parameter"},
      {.name = "gradient"},
      {.name = "moment"},
      {.name = "square"},
      {.name = "rate"},
      {.name = "decay"},
      {.name = "beta1"},
      {.name = "beta2"},
      {.name = "rest1"},
      {.name = "rest2"},
      {.name = "pace"},
      {.name = "part1"},
      {.name = "part2"},
      {.name = "root2"},
      {.name = "epsilon"},
      {.name = "kept"}},
     16,
     form_fill_adam},
    {"cross_entropy_gradient",
     {{.name = "x"}, {.name = "hit"}, {.name = "n"}, {.name = "smoothing"}, {.name = "g"}},
     5,
     form_fill_loss_slopes},
    {"silu_mul_gradient, gelu_mul_gradient",
     {{.name = "x"},
      {.name = "u"},
      {.name = "g"},
      {.name = "place"},
      {.name = "n"},
      {.name = "strip"}},
     6,
     form_fill_gate_slopes},
    {"embedding_bag",
     {{.name = "x"}, {.name = "weight"}, {.name = "n"}, {.name = "averaged"}, {.name = "largest"}},
     5,
     form_fill_bags},
    {"softmax_gradient, log_softmax_gradient",
     {{.name = "x"}, {.name = "g"}, {.name = "n"}},
     3,
     form_fill_slopes},
    {"rms_norm_gradient, layer_norm_gradient",
     {{.name = "x"}, {.name = "g"}, {.name = "n"}, {.name = "weight"}, {.name = "epsilon"}},
     5,
     form_fill_norm_slopes},
    {"silu_mul, gelu_mul, swiglu, geglu",
     {{.name = "x"}, {.name = "u"}, {.name = "place"}, {.name = "n"}, {.name = "strip"}},
     5,
     fill_gates},
    {"rope",
     {{.name = "x"},
      {.name = "position"},
      {.name = "index"},
      {.name = "n"},
      {.name = "base"},
      {.name = "factor"}},
     6,
     fill_rope},
    {"attention",
     {{.name = "q"},
      {.name = "k", .of_keys = true, .of_width = true},
      {.name = "v", .of_keys = true, .of_width = true},
      {.name = "bias", .of_keys = true},
      {.name = "mask", .of_keys = true},
      {.name = "scale"},
      {.name = "cap"},
      {.name = "n"},
      {.name = "place", .of_keys = true, .of_width = true},
      {.name = "from"}},
     10,
     fill_attention},
};

const struct form_lines *form_lines_find(const struct operation *operation) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (form_names_operation(kinds[i].operations, operation->name))
            return &kinds[i];
    return NULL;
}
