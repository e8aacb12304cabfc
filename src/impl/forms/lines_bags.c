/* The lines of bags of rows, and of gradients. */
#include "impl/forms/lines.h"

#include "impl/steps_arithmetic.h"
#include "op/array/slices.h"
#include "op/kernels/norms.h"

#include <math.h>

static bool no_memory(struct error *error) {
    return error_set(error, "out of memory");
}

/* ---- Bags: of each column the elements of the rows that a bag names ---- */

enum { BAG_X, BAG_WEIGHT, BAG_N, BAG_MEAN, BAG_LARGEST };

/* Loads the terms of an element; false where an index is no row. */
static bool load_terms(const struct array_call *call, uint64_t bag, uint64_t column, double *x,
                       double *weight, size_t *count) {
    enum { TABLE, INDICES, WEIGHTS };
    const struct parameter_value *padding = &call->parameters->values[PARAMETER_PADDING_INDEX];
    const uint64_t *extents = call->operands[TABLE].shape.extents,
                   length = call->operands[INDICES].shape.extents[1];
    const bool is_weighted = parameter_flag(call->parameters, PARAMETER_WEIGHTED);
    *count = 0;
    for (uint64_t k = 0; k < length; k++) {
        const uint64_t at = bag * length + k, row = array_code(&call->operands[INDICES], at);
        if (padding->present && row == (uint64_t)padding->integer)
            continue;
        if (row >= extents[0])
            return false;
        x[*count] = form_number_at(call, TABLE, row * extents[1] + column);
        weight[*count] = is_weighted ? form_number_at(call, WEIGHTS, at) : 1;
        *count += 1;
    }
    return true;
}

bool form_fill_bags(struct form_run *run, const struct array_call *call, struct error *error) {
    enum { MEAN = 1, LARGEST = 2 };
    const size_t length = (size_t)call->operands[1].shape.extents[1];
    const uint64_t width = call->results[0].shape.extents[1];
    const int64_t mode = parameter_integer(call->parameters, PARAMETER_MODE, MEAN);
    for (uint64_t i = 0; i < shape_elements(&call->results[0].shape); i++) {
        double *x = form_run_set(run, BAG_X, length + 1),
               *weight = form_run_set(run, BAG_WEIGHT, length + 1);
        size_t count;
        if (!x || !weight)
            return no_memory(error);
        if (!load_terms(call, i / width, i % width, x, weight, &count) || !count) {
            form_put(call, i, count ? (double)NAN : 0);
            continue;
        }
        if (!form_run_set(run, BAG_X, count) || !form_run_set(run, BAG_WEIGHT, count) ||
            !form_set_number(run, BAG_N, (double)count) ||
            !form_set_number(run, BAG_MEAN, mode == MEAN) ||
            !form_set_number(run, BAG_LARGEST, mode == LARGEST))
            return no_memory(error);
        const double *y = form_run_line(run, 0, 0, error);
        if (!y)
            return false;
        form_put(call, i, *y);
    }
    return true;
}

/* ---- Gradients ---- */

/* With respect to x, along an axis, of that of the result. */
bool form_fill_slopes(struct form_run *run, const struct array_call *call, struct error *error) {
    enum { SLOPE_X, SLOPE_G, SLOPE_N };
    const struct slices slices = slices_of(call);
    if (!form_set_number(run, SLOPE_N, (double)slices.length))
        return no_memory(error);
    for (uint64_t line = 0; line < slices.count; line++) {
        double *x = form_run_set(run, SLOPE_X, (size_t)slices.length),
               *g = form_run_set(run, SLOPE_G, (size_t)slices.length);
        if (!x || !g)
            return no_memory(error);
        for (uint64_t i = 0; i < slices.length; i++) {
            x[i] = form_number_at(call, 0, slice_place(&slices, line, i));
            g[i] = form_number_at(call, 1, slice_place(&slices, line, i));
        }
        const double *y = form_run_line(run, 0, 0, error);
        if (!y)
            return false;
        for (uint64_t i = 0; i < slices.length; i++)
            form_put(call, slice_place(&slices, line, i), y[i]);
    }
    return true;
}

bool form_fill_norm_slopes(struct form_run *run, const struct array_call *call,
                           struct error *error) {
    enum { NORM_SLOPE_X, NORM_SLOPE_G, NORM_SLOPE_N, NORM_SLOPE_WEIGHT, NORM_SLOPE_EPSILON };
    const struct norm_layout layout = norm_layout_of(call);
    const struct real epsilon = array_epsilon(call);
    const size_t length = (size_t)layout.length;
    const bool has_weight = rule_operands(call->rule, call->parameters) > 2;
    bool good = form_set_number(run, NORM_SLOPE_N, (double)layout.length) &&
                form_set_number(run, NORM_SLOPE_WEIGHT, 1) &&
                form_set_number(run, NORM_SLOPE_EPSILON, real_to_double(&epsilon));
    for (uint64_t line = 0; good && line < layout.count; line++) {
        double *x = form_run_set(run, NORM_SLOPE_X, length),
               *g = form_run_set(run, NORM_SLOPE_G, length),
               *weight = has_weight ? form_run_set(run, NORM_SLOPE_WEIGHT, length) : x;
        if (!x || !g || !weight)
            return no_memory(error);
        for (uint64_t i = 0; i < layout.length; i++) {
            x[i] = form_number_at(call, 0, norm_place(&layout, line, i));
            g[i] = form_number_at(call, 1, norm_place(&layout, line, i));
            if (has_weight)
                weight[i] = form_number_at(call, 2, norm_weight_place(&layout, line, i));
        }
        const double *y = form_run_line(run, 0, 0, error);
        if (!y)
            return false;
        for (uint64_t i = 0; i < layout.length; i++)
            form_put(call, norm_place(&layout, line, i), y[i]);
    }
    return good || no_memory(error);
}
