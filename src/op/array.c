/* Shapes, look-up and memory of operations on arrays. */
#include "op/array.h"

#include "base/names.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 32 };

uint64_t shape_elements(const struct shape *shape) {
    uint64_t elements = 1;
    for (int i = 0; i < shape->dimensions; i++)
        elements *= shape->extents[i];
    return elements;
}

struct shape shape_of(uint64_t extent) {
    return (struct shape){.dimensions = 1, .extents = {extent}};
}

/* The place of the last operand that the row has. */
static int last_operand(const struct array_rule *rule) {
    int last = MAX_ARRAY_OPERANDS - 1;
    while (last && !rule->operand_names[last])
        last--;
    return last;
}

const struct array *array_addend(const struct array_call *call) {
    return call->rule->takes_addend && parameter_flag(call->parameters, PARAMETER_ADDEND)
               ? &call->operands[last_operand(call->rule)]
               : NULL;
}

static void plan_addend(struct array_call *call) {
    if (array_addend(call))
        call->operands[last_operand(call->rule)] =
            (struct array){.format = call->results[0].format, .shape = call->results[0].shape};
}

uint64_t array_want(const struct array_call *call, int result, uint64_t element,
                    const struct real *y, bool *by_rule) {
    *by_rule = false;
    if (call->rule->want)
        return call->rule->want(call, result, element, y, by_rule);
    return format_encode(call->results[result].format, y, call->rounding, call->overflow);
}

bool array_is_by_value(const struct array_call *call) {
    return call->rule->own_scale && !parameter_flag(call->parameters, PARAMETER_STRICT_SCALE);
}

uint64_t array_want_beside(const struct array_call *call, int result, uint64_t element,
                           const struct real *y, const struct real *scales,
                           const struct array *outputs, int precision, struct real *held,
                           uint64_t *got, bool *by_rule) {
    *held = *y;
    *got = array_code(&outputs[result], element);
    uint64_t want = array_want(call, result, element, y, by_rule);
    if (!scales ||
        !call->rule->own_scale(call, result, element, y, scales, outputs, precision, held, got))
        return want;
    if (result == 0)
        return array_want(call, result, element, held, by_rule);
    *by_rule = true;
    return *got;
}

const struct array_algorithm *array_algorithm_find(const struct array_rule *rule,
                                                   const char *name) {
    for (const struct array_algorithm *row = rule->algorithms; row->implementation; row++)
        if (strcmp(row->implementation, name) == 0)
            return row;
    return NULL;
}

const struct array_family *array_family_find(const struct array_rule *rule, const char *name,
                                             struct error *error) {
    const char *names[MOST_NAMES];
    size_t count = 0;
    for (const struct array_family *row = rule->families; row->name; row++) {
        if (name_matches(name, row->name, NULL))
            return row;
        names[count++] = row->name;
    }
    char known[256] = "";
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(known), room = sizeof known - used;
        if (strlen(names[i]) + 3 < room) {
            memcpy(known + used, i ? ", " : "", i ? 3 : 1);
            strcat(known, names[i]);
        }
    }
    const char *nearest = name_nearest(name, names, count);
    if (nearest)
        error_set(error, "unknown distribution '%.40s'; did you mean %s?", name, nearest);
    else
        error_set(error, "unknown distribution '%.40s'; there are: %s", name, known);
    return NULL;
}

/* Whether the product of extents stays within bounds. */
static bool is_small(const struct shape *shape) {
    uint64_t elements = 1;
    for (int i = 0; i < shape->dimensions; i++) {
        if (shape->extents[i] > MOST_ELEMENTS / elements)
            return false;
        elements *= shape->extents[i];
    }
    return true;
}

static bool check_small(const struct shape *shape, struct error *error) {
    return is_small(shape) || error_set(error, "--shape: an array has more than %llu elements",
                                        (unsigned long long)MOST_ELEMENTS);
}

/* A shape that is no array's may have a larger product: extents of which the rule makes arrays, which are checked. */
static bool check_given(const struct array_rule *rule, const struct shape *shape,
                        struct error *error) {
    bool good = rule->shape_of_many || check_small(shape, error);
    for (int i = 0; good && i < shape->dimensions; i++) {
        const struct shape one = {1, {shape->extents[i]}};
        good = check_small(&one, error);
    }
    return good;
}

bool array_call_plan(struct array_call *call, const struct array_rule *rule,
                     const struct format *format, const struct shape *shape, struct error *error) {
    call->rule = rule;
    memset(call->operands, 0, sizeof call->operands);
    memset(call->results, 0, sizeof call->results);
    bool good = check_given(rule, shape, error) && rule->operand_shapes(call, format, shape, error);
    for (int i = 0; good && i < MAX_ARRAY_OPERANDS; i++)
        good = check_small(&call->operands[i].shape, error);
    good = good && rule->result_shapes(call, error);
    if (good)
        plan_addend(call);
    for (int i = 0; good && i < MAX_ARRAY_RESULTS; i++)
        good = check_small(&call->results[i].shape, error);
    return good;
}

static bool check_array(const struct array *array, struct error *error) {
    for (int i = 0; i < array->shape.dimensions; i++)
        if (!array->shape.extents[i])
            return error_set(error, "an array of a call has no elements");
    return is_small(&array->shape) ||
           error_set(error, "an array of a call has more than %llu elements",
                     (unsigned long long)MOST_ELEMENTS);
}

static bool same_shape(const struct shape *a, const struct shape *b) {
    bool same = a->dimensions == b->dimensions;
    for (int i = 0; same && i < a->dimensions; i++)
        same = a->extents[i] == b->extents[i];
    return same;
}

bool array_call_holds(const struct array_call *call, int operands, int results,
                      struct error *error) {
    struct array_call planned = *call;
    for (int i = 0; i < operands; i++)
        if (!check_array(&call->operands[i], error))
            return false;
    if (!call->rule->result_shapes(&planned, error))
        return false;
    for (int i = 0; i < results; i++)
        if (!same_shape(&planned.results[i].shape, &call->results[i].shape))
            return error_set(error, "result %d has another shape than the operands make it", i + 1);
    return true;
}

/* One dimension, or of a row whose shapes have more, the middle one. */
static struct shape shape_of_length(const struct array_rule *rule, uint64_t length) {
    int dimensions = rule->shapes[0].dimensions;
    struct shape shape = {.dimensions = dimensions};
    for (int i = 0; i < dimensions; i++)
        shape.extents[i] = i == dimensions / 2 ? length : 1;
    return shape;
}

uint64_t array_call_values(const struct array_call *call, int operands) {
    uint64_t values = 0;
    for (int i = 0; i < operands; i++)
        values += shape_elements(&call->operands[i].shape);
    return values;
}

static bool ends_with(const struct shape *shape, const struct shape *last) {
    const int more = shape->dimensions - last->dimensions;
    bool same = more >= 0;
    for (int i = 0; same && i < last->dimensions; i++)
        same = shape->extents[more + i] == last->extents[i];
    return same;
}

/* Plans the call that takes an array as it is. A list of numbers need not be what its call has. */
static bool plan_held(struct array_call *call, const struct array_rule *rule,
                      const struct format *format, const struct shape *held, bool *took,
                      struct error *error) {
    char text[SHAPE_TEXT];
    struct error why;
    bool good = array_call_plan(call, rule, format, held, &why);
    *took = good && call->operands[0].shape.dimensions == held->dimensions &&
            ends_with(&call->operands[0].shape, held);
    return good || held->dimensions == 1 ||
           error_set(error, "an array of %s: %.300s", shape_text(held, text), why.text);
}

bool array_call_plan_values(struct array_call *call, const struct array_rule *rule,
                            const struct format *format, int operands, uint64_t values,
                            const struct shape *held, bool *took, struct shape *shape,
                            struct error *error) {
    const struct parameter_value *given = &call->parameters->values[PARAMETER_SHAPE_OF];
    const bool has_shape = operands == 1 && held->dimensions > 0;
    char text[2][SHAPE_TEXT];
    if (given->present && has_shape && held->dimensions > 1 && !ends_with(held, &given->shape))
        return error_set(error, "--shape %s is not that of the array, %s, nor what this ends with",
                         shape_text(&given->shape, text[0]), shape_text(held, text[1]));
    *shape = *held;
    *took = false;
    if (!given->present && has_shape && !plan_held(call, rule, format, held, took, error))
        return false;
    for (uint64_t length = 1; !*took; length++) {
        *shape = given->present ? given->shape : shape_of_length(rule, length);
        if (array_call_plan(call, rule, format, shape, error)) {
            if (given->present || array_call_values(call, operands) >= values)
                return true;
        } else if (given->present || length > values)
            return false; /* lengths may have to be even, or a multiple of something */
    }
    return true;
}

static bool allocate(struct array *array) {
    array->codes = calloc(shape_elements(&array->shape), format_bytes(array->format));
    return array->codes != NULL;
}

bool array_call_allocate(struct array_call *call, int operands, int results) {
    bool room = true;
    for (int i = 0; i < operands; i++)
        room = allocate(&call->operands[i]) && room;
    for (int i = 0; i < results; i++)
        room = allocate(&call->results[i]) && room;
    if (!room)
        array_call_free(call);
    return room;
}

void array_call_free(struct array_call *call) {
    for (int i = 0; i < MAX_ARRAY_OPERANDS; i++) {
        free(call->operands[i].codes);
        call->operands[i].codes = NULL;
    }
    for (int i = 0; i < MAX_ARRAY_RESULTS; i++) {
        free(call->results[i].codes);
        call->results[i].codes = NULL;
    }
}
