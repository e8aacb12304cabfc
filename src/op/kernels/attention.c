/* The row of attention, its shapes, and det's call of it. */
#include "op/kernels/attention.h"

#include "detmath/transformer.h"
#include "op/array/algorithms.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/families.h"
#include "op/kernels/widened.h"

#include <stdlib.h>
#include <string.h>

static int operands_of(const struct parameters *parameters) {
    return parameter_integer(parameters, PARAMETER_BIAS, 0) ? 4 : 3;
}

static int operands_of_gradient(const struct parameters *parameters) {
    return operands_of(parameters) + 1;
}

static bool shapes(struct array_call *call, const struct format *format, const struct shape *shape,
                   struct error *error) {
    const int64_t bias = parameter_integer(call->parameters, PARAMETER_BIAS, 0);
    const uint64_t *extents = shape->extents;
    if (shape->dimensions != 5)
        return error_set(error, "attention needs --shape BATCHxHEADSxQUERIESxKEYSxWIDTH, such as "
                                "1x4x16x16x64");
    const uint64_t groups =
        (uint64_t)parameter_integer(call->parameters, PARAMETER_GROUPS, (int64_t)extents[1]);
    if (extents[1] % groups)
        return error_set(error, "--groups %llu does not divide %llu heads",
                         (unsigned long long)groups, (unsigned long long)extents[1]);
    if (extents[4] > 1 << 20)
        return error_set(error, "attention needs a width of 2^20 at most");
    const struct shape q = {4, {extents[0], extents[1], extents[2], extents[4]}},
                       k = {4, {extents[0], groups, extents[3], extents[4]}},
                       mask = {2, {extents[2], extents[3]}};
    const struct shape all[] = {[ATTENTION_Q] = q,
                                [ATTENTION_K] = k,
                                [ATTENTION_V] = k,
                                [ATTENTION_BIAS] =
                                    bias == ATTENTION_MASK ? mask : shape_of(extents[1]),
                                [ATTENTION_G] = q};
    for (int role = 0; role < ATTENTION_ROLES; role++) {
        const int operand = attention_operand(call, role);
        if (operand < rule_operands(call->rule, call->parameters))
            call->operands[operand] = (struct array){.format = format, .shape = all[role]};
    }
    return true;
}

static bool shapes_of_gradients(struct array_call *call, struct error *error) {
    (void)error;
    for (int i = ATTENTION_DQ; i <= ATTENTION_DV; i++)
        call->results[i] = (struct array){
            .format = parameters_result_format(call->parameters, call->operands[i].format),
            .shape = call->operands[i].shape};
    return true;
}

/* k and v in pages, the last of which comes first, and which page has which keys; x's own codes are freed. False without memory. */
static bool lay_pages(const struct attention_extents *extents, struct detmath_strided *const *x,
                      size_t **pages) {
    const size_t page = (size_t)extents->page, keys = (size_t)extents->keys,
                 count = (keys + page - 1) / page, width = (size_t)extents->width,
                 pairs = (size_t)(extents->batches * extents->groups);
    *pages = calloc((size_t)extents->batches * count, sizeof **pages);
    for (size_t i = 0; *pages && i < extents->batches * count; i++)
        (*pages)[i] = count - 1 - i % count;
    for (int k = ATTENTION_K; k <= ATTENTION_V; k++) {
        float *laid = calloc(pairs * count * page * width, sizeof *laid), *from = x[k]->codes;
        if (!laid || !*pages) {
            free(laid);
            return false;
        }
        for (size_t i = 0; i < pairs * keys; i++) {
            const size_t key = i % keys, place = (*pages)[key / page] * page + key % page;
            memcpy(laid + (i / keys * count * page + place) * width, from + i * width,
                   width * sizeof *laid);
        }
        free(from);
        x[k]->codes = laid;
    }
    return true;
}

/* The options of a call without pages; and a mask is that of all heads. `shared` and `strides` have four numbers. */
static struct detmath_attention_options options_of(const struct array_call *call,
                                                   struct detmath_strided *bias, size_t *shared,
                                                   ptrdiff_t *strides) {
    const struct attention_extents extents = attention_extents(call);
    const struct real cap = attention_soft_cap(call);
    const int which = (int)parameter_integer(call->parameters, PARAMETER_BIAS, 0);
    const size_t all[4] = {(size_t)extents.batches, (size_t)extents.heads, (size_t)extents.queries,
                           (size_t)extents.keys};
    const ptrdiff_t steps[4] = {0, 0, (ptrdiff_t)extents.keys, 1};
    memcpy(shared, all, sizeof all);
    memcpy(strides, steps, sizeof steps);
    if (which == ATTENTION_MASK) {
        bias->dimensions = 4;
        bias->extents = shared;
        bias->strides = strides;
    }
    return (struct detmath_attention_options){
        .scale = attention_scale(extents.width),
        .soft_cap = (float)real_to_double(&cap),
        .window = (size_t)parameter_integer(call->parameters, PARAMETER_WINDOW, 0),
        .causal = parameter_flag(call->parameters, PARAMETER_CAUSAL),
        .bias = which};
}

static int attend(const struct array_call *call, struct detmath_strided *y,
                  struct detmath_strided *const *x, const size_t *pages) {
    const struct attention_extents extents = attention_extents(call);
    size_t shared[4];
    ptrdiff_t strides[4];
    struct detmath_attention_options options = options_of(call, x[ATTENTION_BIAS], shared, strides);
    const size_t pages_each = pages ? (extents.keys + extents.page - 1) / extents.page : 0,
                 laid[4] = {(size_t)extents.batches, (size_t)extents.groups,
                            (size_t)(pages_each * extents.page), (size_t)extents.width};
    if (pages) {
        x[ATTENTION_K]->extents = x[ATTENTION_V]->extents = laid;
        options.page = (size_t)extents.page;
        options.keys = (size_t)extents.keys;
        options.pages = pages;
    }
    return detmath_attention(y, x[ATTENTION_Q], x[ATTENTION_K], x[ATTENTION_V], x[ATTENTION_BIAS],
                             &options);
}

static int call_gradient(const struct array_call *call, struct detmath_strided *const *y,
                         struct detmath_strided *const *x) {
    struct detmath_strided *bias = x[attention_operand(call, ATTENTION_BIAS)];
    size_t shared[4];
    ptrdiff_t strides[4];
    const struct detmath_attention_options options = options_of(call, bias, shared, strides);
    return detmath_attention_gradient(y[ATTENTION_DQ], y[ATTENTION_DK], y[ATTENTION_DV],
                                      x[ATTENTION_Q], x[ATTENTION_K], x[ATTENTION_V],
                                      x[attention_operand(call, ATTENTION_G)], bias, &options);
}

static WIDENED_RUN(run_gradient, call_gradient)

    static int call_detmath(const struct array_call *call, struct detmath_strided *const *y,
                            struct detmath_strided *const *x) {
    const struct attention_extents extents = attention_extents(call);
    size_t *pages = NULL;
    int trouble = DETMATH_TROUBLE_MEMORY;
    if (extents.split)
        trouble = attention_by_parts(call, y[0], x) ? DETMATH_NO_TROUBLE : trouble;
    else if (!extents.page || lay_pages(&extents, x, &pages))
        trouble = attend(call, y[0], x, pages);
    free(pages);
    return trouble;
}

static WIDENED_RUN(run_det, call_detmath)

    /* Parts are whole branches of the tree, and by pages or by parts, not by both. */
    static bool provides_det(const struct array_call *call, struct error *why) {
    const struct attention_extents extents = attention_extents(call);
    if (extents.split % DETMATH_KEYS || (extents.split & (extents.split - 1)))
        return error_set(why, "det has --split of 64, 128, 256, 512, ..., not of %llu",
                         (unsigned long long)extents.split);
    if (extents.split && extents.page)
        return error_set(why, "det has --split or --page, not both");
    return provides_widened(call, why);
}

static const struct array_algorithm algorithms[] = {
    {"det", "in pairs of fp32 numbers, blocks of 64 keys, then a binary tree", provides_det,
     run_det, NULL, NULL},
    {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
    {0}};

static const struct array_algorithm gradient_algorithms[] = {
    {"det", "in pairs of fp32 numbers, from the first key or query to the last", provides_widened,
     run_gradient, NULL, NULL},
    {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
    {0}};

static const struct shape attention_shapes[] = {
    {5, {1, 1, 1, 1, 1}},    {5, {1, 2, 1, 3, 2}},    {5, {2, 2, 3, 4, 5}},
    {5, {1, 2, 9, 9, 8}},    {5, {1, 2, 4, 65, 16}},  {5, {1, 1, 5, 129, 33}},
    {5, {1, 2, 1, 257, 64}}, {5, {1, 1, 2, 1025, 8}}, {0}};

#define COMMON                                                                                     \
    (PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) |                \
     PARAMETER_BIT(GROUPS) | PARAMETER_BIT(CAUSAL) | PARAMETER_BIT(WINDOW) |                       \
     PARAMETER_BIT(SOFT_CAP) | PARAMETER_BIT(BIAS))

static const struct shape gradient_shapes[] = {{5, {1, 1, 1, 1, 1}},
                                               {5, {1, 2, 1, 3, 2}},
                                               {5, {2, 2, 3, 4, 5}},
                                               {5, {1, 2, 9, 9, 8}},
                                               {5, {1, 2, 4, 33, 4}},
                                               {5, {1, 1, 1, 129, 8}},
                                               {0}};

static const struct operation rows[] = {
    {.name = "attention",
     .aliases = "scaled_dot_product_attention",
     .formula = "y[i] = p[0] v[0][i] + ... + p[n-1] v[n-1][i], p softmax of q[0] k[j][0] + ..., "
                "scaled by width^(-1/2)",
     .operands = 4,
     .results = 1,
     .parameters = COMMON | PARAMETER_BIT(PAGE) | PARAMETER_BIT(SPLIT),
     .defaults = {{PARAMETER_GROUPS, ""}},
     .group = "kernels",
     .array = &(const struct array_rule){.operand_names = {"q", "k", "v", "bias"},
                                         .operand_count = operands_of,
                                         .shape_of_many = true,
                                         .operand_shapes = shapes,
                                         .result_shapes = shapes_same,
                                         .exact = attention_exact,
                                         .algorithms = algorithms,
                                         .families = exponential_families,
                                         .shapes = attention_shapes,
                                         .rearrangements = attention_rearrangements}},
    {.name = "attention_gradient",
     .formula = "dv[j] = sum of p[i,j] g[i]; dq[i] and dk[j] = sums of s[i,j] k[j] and q[i] over "
                "width^(1/2), s[i,j] = p[i,j] (g[i] v[j] - sum of p[i,l] g[i] v[l])",
     .operands = 5,
     .results = 3,
     .result = {{.name = "q"}, {.name = "k"}, {.name = "v"}},
     .parameters = COMMON,
     .defaults = {{PARAMETER_GROUPS, ""}},
     .group = "kernels",
     .array = &(const struct array_rule){.which = 1,
                                         .operand_names = {"q", "k", "v", "g", "bias"},
                                         .operand_count = operands_of_gradient,
                                         .shape_of_many = true,
                                         .operand_shapes = shapes,
                                         .result_shapes = shapes_of_gradients,
                                         .exact = attention_exact_gradient,
                                         .algorithms = gradient_algorithms,
                                         .families = exponential_families,
                                         .shapes = gradient_shapes}},
};
OPERATION_FAMILY(attention, rows);
