/* The lines of losses and of optimisers. */
#include "impl/forms/lines.h"

#include "impl/steps_arithmetic.h"
#include "op/array/slices.h"
#include "op/kernels/optimisers.h"

#include <math.h>
#include <stdlib.h>

/* ---- Losses ---- */

enum { LOSS_X, LOSS_HIT, LOSS_N, LOSS_SMOOTHING, LOSS_G };

static double number_of(const struct array_call *call, enum parameter_number number) {
    const int64_t code = parameter_integer(call->parameters, number, 0);
    return steps_value(&formats[FORMAT_FP32], (uint64_t)code);
}

static bool load_loss(struct form_run *run, const struct array_call *call,
                      const struct slices *slices, uint64_t line, uint64_t target) {
    double *x = form_run_set(run, LOSS_X, (size_t)slices->length),
           *hit = form_run_set(run, LOSS_HIT, (size_t)slices->length);
    for (uint64_t i = 0; x && hit && i < slices->length; i++) {
        x[i] = form_number_at(call, 0, slice_place(slices, line, i));
        hit[i] = i == target;
    }
    return x && hit;
}

/* Losses of all lines, `counted` of which have one. A line whose class is ignored has the loss 0, one that has not its class
 * NaN. */
static bool find_losses(struct form_run *run, const struct array_call *call, double *losses,
                        uint64_t *counted, struct error *error) {
    const struct slices slices = slices_of(call);
    const uint64_t ignored =
        (uint64_t)parameter_integer(call->parameters, PARAMETER_IGNORE_INDEX, -100);
    *counted = 0;
    if (!form_set_number(run, LOSS_N, (double)slices.length) ||
        !form_set_number(run, LOSS_SMOOTHING, number_of(call, PARAMETER_SMOOTHING)))
        return error_set(error, "out of memory");
    for (uint64_t line = 0; line < slices.count; line++) {
        const uint64_t target = array_code(&call->operands[1], line);
        *counted += target != ignored;
        losses[line] = target == ignored ? 0 : (double)NAN;
        if (target == ignored || target >= slices.length)
            continue;
        if (!load_loss(run, call, &slices, line, target))
            return error_set(error, "out of memory");
        const double *y = form_run_line(run, 0, 0, error);
        if (!y)
            return false;
        losses[line] = *y;
    }
    return true;
}

/* A sum or a mean adds losses in the steps' format, in the order of the lines, and rounds it once. */
bool form_fill_losses(struct form_run *run, const struct array_call *call, struct error *error) {
    enum { MEAN_OF_LOSSES = 2 };
    const int64_t reduction = parameter_integer(call->parameters, PARAMETER_REDUCTION, 0);
    const size_t count = (size_t)slices_of(call).count;
    double *losses = malloc((count + 1) * sizeof *losses), total = 0;
    uint64_t counted = 0;
    bool good = losses ? find_losses(run, call, losses, &counted, error)
                       : error_set(error, "out of memory");
    for (size_t i = 0; good && !reduction && i < count; i++)
        form_put(call, i, losses[i]);
    if (good && reduction) {
        good = form_run_total(run, losses, count, &total, error);
        form_put(call, 0,
                 reduction == MEAN_OF_LOSSES
                     ? steps_rounded(form_run_format(run), total / (double)counted)
                     : total);
    }
    free(losses);
    return good;
}

/* The gradients of losses: a line of 0 where the class is ignored, of NaN where it is none. */
bool form_fill_loss_slopes(struct form_run *run, const struct array_call *call,
                           struct error *error) {
    enum { CLASSES = 1, OF_LOSS };
    const struct slices slices = slices_of(call);
    const uint64_t ignored =
        (uint64_t)parameter_integer(call->parameters, PARAMETER_IGNORE_INDEX, -100);
    if (!form_set_number(run, LOSS_N, (double)slices.length) ||
        !form_set_number(run, LOSS_SMOOTHING, number_of(call, PARAMETER_SMOOTHING)))
        return error_set(error, "out of memory");
    for (uint64_t line = 0; line < slices.count; line++) {
        const uint64_t target = array_code(&call->operands[CLASSES], line);
        const double *y = NULL, nothing = target == ignored ? 0 : (double)NAN;
        const bool has_class = target != ignored && target < slices.length;
        if (has_class && (!load_loss(run, call, &slices, line, target) ||
                          !form_set_number(run, LOSS_G, form_number_at(call, OF_LOSS, line))))
            return error_set(error, "out of memory");
        if (has_class && !(y = form_run_line(run, 0, 0, error)))
            return false;
        for (uint64_t i = 0; i < slices.length; i++)
            form_put(call, slice_place(&slices, line, i), y ? y[i] : nothing);
    }
    return true;
}

/* ---- Optimisers: all elements are one line ---- */

static bool load_operands(struct form_run *run, const struct array_call *call, int operands,
                          size_t count) {
    for (int k = 0; k < operands; k++) {
        double *numbers = form_run_set(run, k, count);
        for (size_t i = 0; numbers && i < count; i++)
            numbers[i] = form_number_at(call, k, i);
        if (!numbers)
            return false;
    }
    return true;
}

/* Results have the names of the operands from which they go on: parameter, and what is kept. */
static bool put_results(struct form_run *run, const struct array_call *call, const int *names,
                        int results, size_t count, struct error *error) {
    if (!form_run_line(run, 0, 0, error))
        return false;
    for (int k = 0; k < results; k++) {
        const double *numbers = form_run_numbers(run, names[k]);
        for (size_t i = 0; i < count; i++)
            array_set_code(&call->results[k], i, steps_code(call->results[k].format, numbers[i]));
    }
    return true;
}

/* The gradients of both operands of a gate; g is the third. */
bool form_fill_gate_slopes(struct form_run *run, const struct array_call *call,
                           struct error *error) {
    static const int names[] = {0, 1};
    const size_t count = (size_t)shape_elements(&call->operands[0].shape);
    return load_operands(run, call, 3, count) && form_set_places(run, 3, count)
               ? put_results(run, call, names, 2, count, error)
               : error_set(error, "out of memory");
}

bool form_fill_sgd(struct form_run *run, const struct array_call *call, struct error *error) {
    enum { RATE = VELOCITY + 1 };
    static const int names[] = {PARAMETER, VELOCITY};
    const size_t count = (size_t)shape_elements(&call->operands[0].shape);
    const bool has_velocity = optimiser_has_velocity(call->parameters);
    const double momentum = optimiser_rate(call, PARAMETER_MOMENTUM);
    const double numbers[] = {optimiser_rate(call, PARAMETER_LEARNING_RATE),
                              momentum,
                              1 - optimiser_rate(call, PARAMETER_DAMPENING),
                              optimiser_rate(call, PARAMETER_WEIGHT_DECAY),
                              parameter_flag(call->parameters, PARAMETER_NESTEROV),
                              !has_velocity};
    bool good = load_operands(run, call, has_velocity ? 3 : 2, count) &&
                (has_velocity || form_set_number(run, VELOCITY, 0));
    for (size_t i = 0; good && i < sizeof numbers / sizeof *numbers; i++)
        good = form_set_number(run, RATE + (int)i, numbers[i]);
    return good ? put_results(run, call, names, 2, count, error)
                : error_set(error, "out of memory");
}

/* Numbers of one step, in double and rounded once, as frameworks hand them over. */
bool form_fill_adam(struct form_run *run, const struct array_call *call, struct error *error) {
    enum { RATE = SQUARE + 1 };
    static const int names[] = {PARAMETER, MEAN, SQUARE};
    const size_t count = (size_t)shape_elements(&call->operands[0].shape);
    const double rate = optimiser_rate(call, PARAMETER_LEARNING_RATE),
                 decay = optimiser_rate(call, PARAMETER_WEIGHT_DECAY),
                 beta1 = optimiser_rate(call, PARAMETER_BETA1),
                 beta2 = optimiser_rate(call, PARAMETER_BETA2),
                 step = (double)parameter_integer(call->parameters, PARAMETER_STEP, 2),
                 part1 = 1 - pow(beta1, step), part2 = 1 - pow(beta2, step);
    const double numbers[] = {rate,
                              decay,
                              beta1,
                              beta2,
                              1 - beta1,
                              1 - beta2,
                              rate / part1,
                              part1,
                              part2,
                              sqrt(part2),
                              optimiser_rate(call, PARAMETER_EPSILON),
                              1 - rate * decay};
    bool good = load_operands(run, call, 4, count);
    for (size_t i = 0; good && i < sizeof numbers / sizeof *numbers; i++)
        good = form_set_number(run, RATE + (int)i, numbers[i]);
    return good ? put_results(run, call, names, 3, count, error)
                : error_set(error, "out of memory");
}
