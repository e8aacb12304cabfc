/* Units of each kind of call. */
#include "trace/part_kernels.h"

#include "op/array/slices.h"
#include "oracle/exact.h"

#include <stdlib.h>
#include <string.h>

/* How results depend on operands. */
enum unit_kind { UNIT_ELEMENT, UNIT_DOT, UNIT_LINE, UNIT_OF_KERNEL };

static enum unit_kind kind_of(const struct trace_call *call) {
    const struct array_rule *rule = call->operation->array;
    if (!rule || call->row->how == TRACE_ALIKE)
        return UNIT_ELEMENT;
    if (rule->lines == LINES_PRODUCT)
        return UNIT_DOT;
    return trace_is_kernel(call) ? UNIT_OF_KERNEL : UNIT_LINE;
}

struct trace_units trace_call_units(const struct trace_call *call) {
    const uint64_t results = call->calls * call->results;
    switch (kind_of(call)) {
    case UNIT_ELEMENT:
        return (struct trace_units){results, 1, 1, TRACE_FUNCTION_COST};
    case UNIT_DOT:
        return (struct trace_units){results, 1, call->shape.extents[1], 0};
    case UNIT_LINE: {
        const struct slices *lines = &call->lines;
        const bool is_reduced = call->operation->array->lines == LINES_REDUCED;
        return (struct trace_units){lines->count, is_reduced ? 1 : lines->length, lines->length,
                                    is_reduced ? 0 : TRACE_FUNCTION_COST};
    }
    default:
        return trace_kernel_units(call);
    }
}

uint64_t trace_unit_keys(const struct trace_call *call, uint64_t unit) {
    return call->row->how == TRACE_ATTENTION ? trace_kernel_keys(call, unit) : 0;
}

uint64_t trace_unit_of(const struct trace_call *call, uint64_t result) {
    const enum unit_kind kind = kind_of(call);
    const struct slices *lines = &call->lines;
    if (kind == UNIT_OF_KERNEL)
        return trace_kernel_unit_of(call, result);
    if (kind != UNIT_LINE || call->operation->array->lines == LINES_REDUCED)
        return result;
    return result / (lines->stride * lines->length) * lines->stride + result % lines->stride;
}

uint64_t trace_unit_result(const struct trace_call *call, uint64_t unit, uint64_t index) {
    const enum unit_kind kind = kind_of(call);
    if (kind == UNIT_OF_KERNEL)
        return trace_kernel_unit_result(call, unit, index);
    if (kind != UNIT_LINE || call->operation->array->lines == LINES_REDUCED)
        return unit;
    return slice_place(&call->lines, unit, index);
}

/* Where the elements of a unit lie in an operand: of a line, so many and so far from each other. */
static void place_unit(const struct trace_call *call, uint64_t unit, int operand, uint64_t *first,
                       uint64_t *stride) {
    const uint64_t *extents = call->shape.extents;
    *first = unit;
    *stride = 1;
    if (kind_of(call) == UNIT_LINE) {
        *first = slice_start(&call->lines, unit);
        *stride = call->lines.stride;
    } else if (kind_of(call) == UNIT_DOT && operand < 2) {
        const uint64_t rows = extents[0], inner = extents[1], columns = extents[2];
        const uint64_t matrix = unit / (rows * columns), row = unit / columns % rows;
        *first =
            operand ? matrix * inner * columns + unit % columns : (matrix * rows + row) * inner;
        *stride = operand ? columns : 1;
    }
}

static bool copy_operand(struct trace_call *part, const struct trace_call *call, int operand,
                         const uint64_t *units, size_t count, uint64_t each, struct error *why) {
    const struct trace_codes *from = &call->operand[operand];
    const size_t bytes = format_bytes(from->format);
    struct trace_codes *to = &part->operand[operand];
    *to = *from;
    to->count = from->is_shared ? from->count : count * each;
    to->codes = malloc((size_t)to->count * bytes + 1);
    if (!to->codes)
        return error_set(why, "out of memory");
    if (from->is_shared) {
        memcpy(to->codes, from->codes, (size_t)to->count * bytes);
        return true;
    }
    char *at = to->codes;
    for (size_t u = 0; u < count; u++) {
        uint64_t first, stride;
        place_unit(call, units[u], operand, &first, &stride);
        for (uint64_t i = 0; i < each; i++, at += bytes)
            memcpy(at, (const char *)from->codes + (first + i * stride) * bytes, bytes);
    }
    return true;
}

/* Elements of each operand that a unit takes. */
static uint64_t each_of(const struct trace_call *call, enum unit_kind kind, int operand) {
    return kind == UNIT_ELEMENT || (kind == UNIT_DOT && operand == 2) ? 1
                                                                      : trace_call_units(call).cost;
}

/* The same call, its operands to be set. */
static struct trace_call like(const struct trace_call *call) {
    struct trace_call part = *call;
    for (int i = 0; i < MAX_ARRAY_OPERANDS; i++)
        part.operand[i].codes = NULL;
    return part;
}

bool trace_part_open(struct trace_call *part, const struct trace_call *call, const uint64_t *units,
                     size_t count, struct error *why) {
    const enum unit_kind kind = kind_of(call);
    *part = like(call);
    if (kind == UNIT_OF_KERNEL)
        return trace_kernel_part(part, call, units, count, why);
    const uint64_t length = trace_call_units(call).cost;
    part->calls = 1;
    part->results = count * trace_call_units(call).results;
    part->shape = kind == UNIT_ELEMENT ? shape_of(count) : (struct shape){2, {count, length}};
    if (kind == UNIT_DOT)
        part->operation = operation_row("dot");
    if (kind == UNIT_DOT || kind == UNIT_LINE)
        part->parameters.values[PARAMETER_AXIS] =
            (struct parameter_value){.present = true, .integer = 1};
    for (int i = 0; i < call->operands; i++)
        if (!copy_operand(part, call, i, units, count, each_of(call, kind, i), why))
            return false;
    return true;
}

static bool exact_numbers(const struct trace_call *call, const bool *wanted, struct real *y,
                          struct error *why) {
    struct oracle oracle;
    bool good = true;
    oracle_open(&oracle, call->operation, call->format, &call->parameters,
                oracle_precision(call->result));
    for (uint64_t i = 0; good && i < call->results; i++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        if (wanted && !wanted[i])
            continue;
        for (int k = 0; k < call->operands; k++)
            codes[k] =
                code_load(call->operand[k].codes, format_bytes(call->operand[k].format), (size_t)i);
        good = oracle_exact(&oracle, codes, 0, &y[i], why);
    }
    oracle_close(&oracle);
    return good;
}

bool trace_call_exact(const struct trace_call *call, const bool *wanted, struct real *y,
                      struct error *why) {
    if (call->operation->converts) {
        for (size_t i = 0; i < call->results; i++)
            y[i] = format_decode(call->format,
                                 code_load(call->operand[0].codes, format_bytes(call->format), i));
        return true;
    }
    if (!call->operation->array)
        return exact_numbers(call, wanted, y, why);
    oracle_thread_begin();
    for (uint64_t i = 0; i < call->calls; i++) {
        struct array_call planned;
        if (!trace_call_plan(call, i, NULL, &planned, why))
            return false;
        planned.wanted = wanted ? wanted + i * call->results : NULL;
        if (!call->operation->array->exact(&planned, 0, ORACLE_MOST_BITS, y + i * call->results,
                                           why))
            return false;
    }
    return true;
}
