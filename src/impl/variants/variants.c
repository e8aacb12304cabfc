/* A design becomes the functions of its steps, which run over a block after the other. */
#include "impl/variants/variants.h"

#include "base/kept_text.h"
#include "detmath/library/kernels.h"
#include "impl/variants/design.h"
#include "impl/variants/kernels.h"
#include "impl/widened.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions that there are. */
static const struct function {
    const char *operation;
    enum variant_polynomial polynomial;
    int own_degree;
    const char *degrees;
    const float (*constants)[VARIANT_TERMS];
} functions[VARIANT_FUNCTIONS] = {
    [VARIANT_EXP] = {"exp", POLYNOMIAL_EXP, 6, "3 to 7", variant_log_2},
    [VARIANT_SIGMOID] = {"sigmoid", POLYNOMIAL_EXP, 6, "3 to 7", variant_log_2},
    [VARIANT_TANH] = {"tanh", POLYNOMIAL_EXP, 6, "3 to 7", variant_log_2},
    [VARIANT_LOG] = {"log", POLYNOMIAL_LOG, 9, "5 to 10", variant_log_2},
    [VARIANT_SIN] = {"sin", POLYNOMIAL_SIN, 7, "3, 5, 7 and 9", variant_half_pi},
};

struct variant_state {
    variant_reduce *reduce;
    variant_evaluate *evaluate, *evaluate_cosine; /* the second may be NULL */
    variant_finish *finish;
    const float *constants, *coefficients, *cosine;
};

static const struct variant_kernels *best_kernels(const char **level_name) {
    const struct variant_kernels *best = &variant_kernels_baseline;
    *level_name = "baseline";
#if defined(VARIANT_AVX2)
    struct detmath_level level;
    for (int i = 0; detmath_level(i, &level); i++)
        if (level.kernels && strcmp(level.name, "avx2") == 0) {
            best = &variant_kernels_avx2;
            *level_name = level.name;
        }
#endif
    return best;
}

static const char *choices_of(const char *name) {
    return strchr(name, ':') + 1;
}

static bool variant_spell(const char *name, size_t index, char *spelling, struct error *error) {
    struct design design;
    bool found;
    *spelling = '\0';
    if (!design_parse(choices_of(name), index, &design, &found, error))
        return false;
    if (found) {
        strcpy(spelling, "variant:");
        design_print(&design, spelling + strlen(spelling));
    }
    return true;
}

static bool variant_open(struct implementation *implementation, struct error *error) {
    struct design design;
    bool found;
    const char *choices = choices_of(implementation->name), *level;
    if (!design_parse(choices, 1, &design, &found, error))
        return false;
    if (found)
        return error_set(error, "%.80s stands for several variants; name one",
                         implementation->name);
    best_kernels(&level);
    snprintf(implementation->detail, sizeof implementation->detail, "detcheck %s, %s",
             DETCHECK_VERSION, level);
    char spelling[IMPLEMENTATION_NAME];
    if (!variant_spell(implementation->name, 0, spelling, error))
        return false;
    implementation->name = kept_text(spelling);
    return implementation->name || error_set(error, "out of memory");
}

/* NULL where there is none of that degree. */
static const float *coefficients_of(enum variant_polynomial polynomial, int degree, bool taylor) {
    for (size_t i = 0; i < sizeof variant_minimax / sizeof *variant_minimax; i++)
        if (variant_minimax[i].polynomial == polynomial && variant_minimax[i].degree == degree)
            return taylor ? variant_taylor[polynomial] : variant_minimax[i].coefficients;
    return NULL;
}

static void choose(struct variant_state *state, const struct variant_kernels *kernels,
                   enum variant_function number, const struct design *design, int degree) {
    const struct function *function = &functions[number];
    bool fma = design_value(design, DESIGN_FMA) == 0;
    bool taylor = design_value(design, DESIGN_COEFFICIENTS) != 0;
    int terms = design_value(design, DESIGN_TERMS);
    variant_evaluate *const *evaluate =
        kernels->evaluate[fma][design_value(design, DESIGN_SCHEME) != 0];
    bool sine = function->polynomial == POLYNOMIAL_SIN;
    *state = (struct variant_state){
        .reduce = kernels->reduce[number][fma][terms - 1],
        .finish = kernels->finish[number][fma][terms - 1],
        .constants = function->constants[terms - 1],
        .coefficients = coefficients_of(function->polynomial, degree, taylor),
        .evaluate = evaluate[(sine ? (degree - 1) / 2 : degree - 1) - 1],
    };
    if (sine) {
        state->cosine = coefficients_of(POLYNOMIAL_COS, degree + 1, taylor);
        state->evaluate_cosine = evaluate[(degree + 1) / 2 - 1];
    }
}

static void compute(void *context, void *const *results, const void *const *operands,
                    size_t count) {
    const struct variant_state *state = context;
    for (size_t at = 0; at < count; at += VARIANT_BLOCK) {
        struct variant_block block;
        const float *x = (const float *)operands[0] + at;
        float *y = (float *)results[0] + at;
        size_t many = count - at < VARIANT_BLOCK ? count - at : VARIANT_BLOCK;
        state->reduce(&block, x, state->constants, many);
        state->evaluate(block.p, block.z, state->coefficients, many);
        if (state->evaluate_cosine)
            state->evaluate_cosine(block.q, block.z, state->cosine, many);
        state->finish(y, &block, x, state->constants, many);
    }
}

static struct arranged arranged_of(struct binding *binding) {
    const struct format *fp32 = &formats[FORMAT_FP32];
    return (struct arranged){&binding->request, fp32, fp32, compute, binding->state};
}

static bool variant_bind(struct binding *binding, struct error *why) {
    int number = 0;
    const char *operation = binding->request.operation->name, *level;
    while (number < VARIANT_FUNCTIONS && strcmp(functions[number].operation, operation) != 0)
        number++;
    if (number == VARIANT_FUNCTIONS)
        return error_set(why, "there are variants of exp, sigmoid, tanh, log and sin, not of %s",
                         operation);
    if (!widened_provides(&binding->request, "a variant", why))
        return false;
    struct design design;
    bool found;
    if (!design_parse(choices_of(binding->implementation->name), 0, &design, &found, why))
        return false;
    int degree = design_value(&design, DESIGN_DEGREE);
    degree = degree == DESIGN_OWN_DEGREE ? functions[number].own_degree : degree;
    if (!coefficients_of(functions[number].polynomial, degree, false))
        return error_set(why, "variants of %s have the degrees %s, not %d", operation,
                         functions[number].degrees, degree);
    struct variant_state *state = malloc(sizeof *state);
    if (!state)
        return binding_out_of_memory(binding, why);
    binding->state = state;
    choose(state, best_kernels(&level), (enum variant_function)number, &design, degree);
    const struct arranged arranged = arranged_of(binding);
    binding->conditions = widened_conditions(&arranged);
    return true;
}

static bool variant_fill(struct binding *binding, const struct slice *slice, event_function *event,
                         void *context, struct error *error) {
    (void)event;
    (void)context;
    const struct arranged arranged = arranged_of(binding);
    return widened_compute(&arranged, slice, error);
}

static void variant_unbind(struct binding *binding) {
    free(binding->state);
    binding->state = NULL;
}

const struct implementation_kind implementation_variant = {
    .name = "variant:",
    .summary = "exp, sigmoid, tanh, log, sin by chosen means (variant:fma=no,terms=3)",
    .spell = variant_spell,
    .open = variant_open,
    .bind = variant_bind,
    .fill = variant_fill,
    .unbind = variant_unbind,
};
