/* Steps of optimisers: the rows, their shapes, and det's calls. */
#include "op/kernels/optimisers.h"

#include "detmath/transformer.h"
#include "op/array/algorithms.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/families.h"
#include "op/kernels/widened.h"

#include <stdlib.h>

static int sgd_operands(const struct parameters *parameters) {
    return optimiser_has_velocity(parameters) ? 3 : 2;
}

static bool check_rates(const struct array_call *call, const enum parameter_number *below_one,
                        struct error *error) {
    if (optimiser_rate(call, PARAMETER_LEARNING_RATE) == 0)
        return error_set(error, "--learning-rate is a number above 0");
    for (; *below_one != PARAMETER_COUNT; below_one++)
        if (optimiser_rate(call, *below_one) >= 1)
            return error_set(error, "--%s is below 1", parameter_rows[*below_one].name);
    return true;
}

static bool shapes_of_sgd(struct array_call *call, const struct format *format,
                          const struct shape *shape, struct error *error) {
    static const enum parameter_number below_one[] = {PARAMETER_COUNT};
    const bool has_momentum = optimiser_rate(call, PARAMETER_MOMENTUM) != 0;
    if (!has_momentum && (parameter_flag(call->parameters, PARAMETER_NESTEROV) ||
                          optimiser_rate(call, PARAMETER_DAMPENING) != 0))
        return error_set(error, "--nesterov and --dampening need a --momentum");
    if (optimiser_rate(call, PARAMETER_DAMPENING) > 1)
        return error_set(error, "--dampening is 1 at most");
    return check_rates(call, below_one, error) && shapes_equal(call, format, shape, error);
}

static bool shapes_of_adam(struct array_call *call, const struct format *format,
                           const struct shape *shape, struct error *error) {
    static const enum parameter_number below_one[] = {PARAMETER_BETA1, PARAMETER_BETA2,
                                                      PARAMETER_COUNT};
    return check_rates(call, below_one, error) && shapes_equal(call, format, shape, error);
}

static bool shapes_of_results(struct array_call *call, struct error *error) {
    const bool good = shapes_same(call, error);
    const int results = call->rule->operand_names[SQUARE] ? 3 : 2;
    for (int i = 1; i < results; i++)
        call->results[i] = call->results[0];
    return good;
}

/* A mean of squares is not negative. */
static uint64_t draw_square(const struct array_call *call, int operand, uint64_t code,
                            uint64_t bits) {
    (void)bits;
    return operand == SQUARE ? format_with_sign(call->operands[SQUARE].format, code, false) : code;
}

static int call_detmath(const struct array_call *call, struct widened *x) {
    const bool is_decoupled = call->rule->which == 1;
    const float rate = (float)optimiser_rate(call, PARAMETER_LEARNING_RATE),
                decay = (float)optimiser_rate(call, PARAMETER_WEIGHT_DECAY);
    const uint32_t step = (uint32_t)parameter_integer(call->parameters, PARAMETER_STEP, 2);
    if (!call->rule->operand_names[SQUARE]) {
        const struct detmath_sgd sgd = {
            .rate = rate,
            .momentum = (float)optimiser_rate(call, PARAMETER_MOMENTUM),
            .dampening = (float)optimiser_rate(call, PARAMETER_DAMPENING),
            .decay = decay,
            .nesterov = parameter_flag(call->parameters, PARAMETER_NESTEROV),
            .is_first = step == 1};
        return detmath_sgd(&x[PARAMETER].array, &x[GRADIENT].array, &x[VELOCITY].array, &sgd);
    }
    struct detmath_adam adam;
    detmath_adam_rates(&adam, rate, (float)optimiser_rate(call, PARAMETER_BETA1),
                       (float)optimiser_rate(call, PARAMETER_BETA2),
                       (float)optimiser_rate(call, PARAMETER_EPSILON), decay, step, is_decoupled);
    return detmath_adam(&x[PARAMETER].array, &x[GRADIENT].array, &x[MEAN].array, &x[SQUARE].array,
                        &adam);
}

static bool run_det(const struct array_call *call, const struct array_algorithm *algorithm,
                    struct error *error) {
    const int operands = rule_operands(call->rule, call->parameters);
    struct widened x[4] = {{{0}, {0}}};
    bool good = true;
    (void)algorithm;
    for (int i = 0; i < operands; i++)
        good = widen(call, &call->operands[i], &x[i]) && good;
    if (operands == VELOCITY) /* where it comes to stand */
        good = widen_room(&call->results[NEW_VELOCITY], &x[VELOCITY]) && good;
    const int trouble = good ? call_detmath(call, x) : DETMATH_TROUBLE_MEMORY;
    for (int r = 0; !trouble && r < MAX_ARRAY_RESULTS && call->results[r].format; r++)
        widened_put_result(call, r, &x[r ? r + 1 : PARAMETER]);
    for (int i = 0; i < 4; i++)
        free(x[i].array.codes);
    return !trouble || error_set(error, "detmath: %s", detmath_trouble_text(trouble));
}

static const struct array_algorithm algorithms[] = {
    {"det", "in pairs of fp32, rounded once", provides_widened, run_det, NULL, NULL},
    {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
    {0}};

#define COMMON                                                                                     \
    (PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) |                \
     PARAMETER_BIT(LEARNING_RATE) | PARAMETER_BIT(WEIGHT_DECAY) | PARAMETER_BIT(STEP))
#define OPTIMISER(...)                                                                             \
    .group = "kernels", .array = &(const struct array_rule) {                                      \
        .lines = LINES_MAPPED, .operand_shapes = __VA_ARGS__, .result_shapes = shapes_of_results,  \
        .exact = optimiser_exact, .algorithms = algorithms, .families = sum_families,              \
        .shapes = slice_shapes                                                                     \
    }
#define ADAM(NAME, FORMULA, DECOUPLED, ...)                                                        \
    {                                                                                              \
        .name = #NAME, .formula = FORMULA, .operands = 4, .results = 3,                            \
        .result = {{.name = "parameter"}, {.name = "mean"}, {.name = "square"}},                   \
        .parameters =                                                                              \
            COMMON | PARAMETER_BIT(BETA1) | PARAMETER_BIT(BETA2) | PARAMETER_BIT(EPSILON),         \
        .defaults = {__VA_ARGS__},                                                                 \
        OPTIMISER(shapes_of_adam, .which = DECOUPLED, .drawn = draw_square,                        \
                  .operand_names = {"parameter", "gradient", "mean", "square"})                    \
    }

static const struct operation rows[] = {
    {.name = "sgd",
     .formula = "velocity' = momentum velocity + (1 - dampening) (gradient + decay parameter), "
                "parameter' = parameter - rate velocity'",
     .operands = 3,
     .results = 2,
     .result = {{.name = "parameter"}, {.name = "velocity"}},
     .parameters =
         COMMON | PARAMETER_BIT(MOMENTUM) | PARAMETER_BIT(DAMPENING) | PARAMETER_BIT(NESTEROV),
     .defaults = {{PARAMETER_STEP, ""}},
     OPTIMISER(shapes_of_sgd, .operand_count = sgd_operands,
               .operand_names = {"parameter", "gradient", "velocity"})},
    ADAM(adam,
         "g = gradient + decay parameter, mean' = beta1 mean + (1 - beta1) g, square' = beta2 "
         "square + "
         "(1 - beta2) g^2, parameter' = parameter - rate mean' / (1 - beta1^t) / ((square' / (1 - "
         "beta2^t))^(1/2) + epsilon)",
         0, {PARAMETER_EPSILON, "1e-8"}),
    ADAM(adamw,
         "g = gradient, mean' = beta1 mean + (1 - beta1) g, square' = beta2 square + (1 - beta2) "
         "g^2, "
         "parameter' = parameter (1 - rate decay) - rate mean' / (1 - beta1^t) / ((square' / (1 - "
         "beta2^t))^(1/2) + epsilon)",
         1, {PARAMETER_EPSILON, "1e-8"}, {PARAMETER_WEIGHT_DECAY, "0.01"}),
};
OPERATION_FAMILY(optimisers, rows);
