/* Elements of lines in order, and where they are: sort, top_k, argmax. Nothing is rounded.
 *
 * NaN is above all numbers, +0 and -0 are equal, and of equal elements that of the lower index comes first, whichever
 * way the order goes: as PyTorch's stable sort and NumPy's argmax have it. */
#include "detmath/transformer.h"
#include "op/array/algorithms.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/families.h"

#include <stdlib.h>

/* How many of the elements in order are results, which of these, and from which end. */
enum ordering { ORDER_ALL, ORDER_FIRST_K, ORDER_FIRST };

struct ordering_facts {
    enum ordering keeps;
    bool falls; /* from the largest to the smallest, and with --reverse the other way */
};

enum { VALUES, INDICES };

static const struct ordering_facts *facts_of(const struct array_call *call) {
    return call->rule->data;
}

struct ranked {
    struct real value;
    uint64_t index;
    bool falls;
};

/* -1, 0 or 1. */
static int compare_values(const struct real *a, const struct real *b) {
    const bool nans[2] = {a->kind == REAL_NAN, b->kind == REAL_NAN};
    const int signs[2] = {a->kind == REAL_ZERO ? 0
                          : a->negative        ? -1
                                               : 1,
                          b->kind == REAL_ZERO ? 0
                          : b->negative        ? -1
                                               : 1};
    if (nans[0] || nans[1])
        return nans[0] - nans[1];
    if (signs[0] != signs[1])
        return signs[0] < signs[1] ? -1 : 1;
    return signs[0] ? (real_is_smaller(b, a) - real_is_smaller(a, b)) * signs[0] : 0;
}

static int compare(const void *first, const void *second) {
    const struct ranked *a = first, *b = second;
    const int order = compare_values(&a->value, &b->value);
    return order ? (a->falls ? -order : order) : a->index < b->index ? -1 : 1;
}

static uint64_t kept_of(const struct array_call *call) {
    const enum ordering keeps = facts_of(call)->keeps;
    return keeps == ORDER_ALL     ? slices_of(call).length
           : keeps == ORDER_FIRST ? 1
                                  : (uint64_t)parameter_integer(call->parameters, PARAMETER_K, 1);
}

static bool exact_order(const struct array_call *call, int result, int precision, struct real *y,
                        struct error *error) {
    const struct slices slices = slices_of(call);
    const struct format *format =
        parameters_result_format(call->parameters, call->operands[0].format);
    const bool falls = facts_of(call)->falls != parameter_flag(call->parameters, PARAMETER_REVERSE);
    const bool wants_indices = result == INDICES || facts_of(call)->keeps == ORDER_FIRST;
    const uint64_t kept = kept_of(call);
    struct ranked *line = calloc(slices.length, sizeof *line);
    (void)precision;
    for (uint64_t slice = 0; line && slice < slices.count; slice++) {
        const uint64_t start = slice_start(&slices, slice);
        for (uint64_t i = 0; i < slices.length; i++)
            line[i] =
                (struct ranked){format_decode(format, element_load(&call->operands[0], format,
                                                                   start + i * slices.stride)),
                                i, falls};
        qsort(line, (size_t)slices.length, sizeof *line, compare);
        const uint64_t first =
            start / slices.length / slices.stride * slices.stride * kept + slice % slices.stride;
        for (uint64_t i = 0; i < kept; i++)
            y[first + i * slices.stride] =
                wants_indices ? real_from_double((double)line[i].index) : line[i].value;
    }
    free(line);
    return line || error_set(error, "out of memory");
}

static bool run_ordering(const struct array_call *call, const struct array_algorithm *algorithm,
                         struct error *error) {
    bool good = true;
    (void)algorithm;
    for (int r = 0; good && r < MAX_ARRAY_RESULTS && call->results[r].format; r++) {
        const struct array *result = &call->results[r];
        const uint64_t count = shape_elements(&result->shape);
        struct real *y = calloc(count, sizeof *y);
        good = y ? exact_order(call, r, 0, y, error) : error_set(error, "out of memory");
        for (uint64_t i = 0; good && i < count; i++)
            array_set_code(result, i,
                           format_encode(result->format, &y[i], ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
        free(y);
    }
    return good;
}

static bool shapes_of_order(struct array_call *call, struct error *error) {
    const struct slices slices = slices_of(call);
    const uint64_t kept = kept_of(call);
    const struct parameter_value *axis = &call->parameters->values[PARAMETER_AXIS];
    const struct format *indices = &integer_formats[FORMAT_INT64];
    if (kept > slices.length)
        return error_set(error, "--k %llu is more than the %llu elements of a line",
                         (unsigned long long)kept, (unsigned long long)slices.length);
    if (facts_of(call)->keeps == ORDER_FIRST) {
        const bool good = shapes_reduced(call, error);
        call->results[VALUES].format = indices;
        return good;
    }
    if (!shapes_same(call, error))
        return false;
    struct shape *shape = &call->results[VALUES].shape;
    const int last = shape->dimensions - 1;
    const int at = !axis->present      ? last
                   : axis->integer < 0 ? (int)axis->integer + shape->dimensions
                                       : (int)axis->integer;
    shape->extents[at] = kept;
    call->results[INDICES] = (struct array){.format = indices, .shape = *shape};
    return true;
}

/* By the library, of elements in fp64, which holds those of every format. */
static bool run_det(const struct array_call *call, const struct array_algorithm *algorithm,
                    struct error *error) {
    const struct slices slices = slices_of(call);
    const struct format *const fp64 = &formats[FORMAT_FP64],
                               *format = parameters_result_format(call->parameters,
                                                                  call->operands[0].format);
    const bool falls = facts_of(call)->falls != parameter_flag(call->parameters, PARAMETER_REVERSE);
    const bool is_alone = facts_of(call)->keeps == ORDER_FIRST;
    const uint64_t all = shape_elements(&call->operands[0].shape), kept = kept_of(call);
    const size_t outer = (size_t)(slices.count / slices.stride);
    const size_t extents[3] = {outer, (size_t)slices.length, (size_t)slices.stride},
                 kept_extents[3] = {outer, (size_t)kept, (size_t)slices.stride};
    double *x = calloc(all, sizeof *x), *values = calloc(all, sizeof *values);
    int64_t *indices = calloc(all, sizeof *indices);
    (void)algorithm;
    int trouble = DETMATH_TROUBLE_MEMORY;
    for (uint64_t i = 0; x && i < all; i++)
        code_store(x, sizeof *x, (size_t)i,
                   element_cast(format, fp64, element_load(&call->operands[0], format, i)));
    if (x && values && indices)
        trouble = detmath_order_along(
            &(struct detmath_strided){values, DETMATH_F64, 3, kept_extents, NULL}, indices,
            &(struct detmath_strided){x, DETMATH_F64, 3, extents, NULL}, 1, (size_t)kept, falls);
    for (uint64_t i = 0; !trouble && i < shape_elements(&call->results[0].shape); i++) {
        if (!is_alone)
            array_set_code(
                &call->results[VALUES], i,
                element_cast(fp64, format, code_load(values, sizeof *values, (size_t)i)));
        array_set_code(&call->results[is_alone ? VALUES : INDICES], i, (uint64_t)indices[i]);
    }
    free(x);
    free(values);
    free(indices);
    return !trouble || error_set(error, "detmath: %s", detmath_trouble_text(trouble));
}

static const struct array_algorithm algorithms[] = {
    {"det", "sorted by merging", NULL, run_det, NULL, NULL},
    {"cr", "what the oracle finds", NULL, run_ordering, NULL, NULL},
    {0}};

#define ORDERING(NAME, FORMULA, RESULTS, PARAMETERS, KEEPS, FALLS, LINES)                          \
    {                                                                                              \
        .name = #NAME, .formula = FORMULA, .operands = 1, .results = RESULTS,                      \
        .parameters = PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(AXIS) |       \
                      PARAMETER_BIT(DISTRIBUTION) | PARAMETER_BIT(REVERSE) | (PARAMETERS),         \
        .group = "kernels",                                                                        \
        .result = {{.name = (RESULTS) == 2 ? "values" : NULL},                                     \
                   {.name = (RESULTS) == 2 ? "indices" : NULL}},                                   \
        .array = &(const struct array_rule) {                                                      \
            .data = &(const struct ordering_facts){ORDER_##KEEPS, FALLS}, .lines = LINES_##LINES,  \
            .last_axis = true, .operand_names = {"x"}, .operand_shapes = shapes_equal,             \
            .result_shapes = shapes_of_order, .exact = exact_order, .algorithms = algorithms,      \
            .families = sum_families, .shapes = slice_shapes                                       \
        }                                                                                          \
    }

static const struct operation rows[] = {
    ORDERING(sort, "x from the smallest to the largest, NaN last, and the index of each element", 2,
             0, ALL, false, PLACED),
    ORDERING(top_k,
             "the k largest elements of x, the largest first and NaN before all, and their indices",
             2, PARAMETER_BIT(K), FIRST_K, true, PLACED),
    ORDERING(argmax, "the index of the largest element of x, or of the first NaN", 1, 0, FIRST,
             true, REDUCED),
};
OPERATION_FAMILY(ordering, rows);
