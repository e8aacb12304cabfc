/* Units of each kind of call. */
#include "trace/part.h"

#include "op/array/slices.h"
#include "oracle/exact.h"

#include <stdlib.h>
#include <string.h>

/* How results depend on operands. */
enum unit_kind { UNIT_ELEMENT, UNIT_DOT, UNIT_LINE, UNIT_CALL };

static enum unit_kind kind_of(const struct trace_call *call) {
    const struct array_rule *rule = call->operation->array;
    if (!rule || call->row->how == TRACE_ALIKE)
        return UNIT_ELEMENT;
    if (rule->lines == LINES_PRODUCT)
        return UNIT_DOT;
    return call->row->how == TRACE_LINES || call->row->how == TRACE_FLATTENED ||
                   call->row->how == TRACE_NORM || call->row->how == TRACE_PRODUCT
               ? UNIT_LINE
               : UNIT_CALL;
}

/* The lines of the one call. */
static struct slices lines_of(const struct trace_call *call) {
    struct array_call planned;
    struct error unused;
    struct slices slices = {0};
    if (trace_call_plan(call, 0, NULL, &planned, &unused))
        slices = slices_of(&planned);
    slices.reverse = false;
    return slices;
}

struct trace_units trace_call_units(const struct trace_call *call) {
    const uint64_t results = call->calls * call->results;
    switch (kind_of(call)) {
    case UNIT_ELEMENT:
        return (struct trace_units){results, 1, 1};
    case UNIT_DOT:
        return (struct trace_units){results, 1, call->shape.extents[1]};
    case UNIT_LINE: {
        const struct slices slices = lines_of(call);
        const bool is_reduced = call->operation->array->lines == LINES_REDUCED;
        return (struct trace_units){slices.count, is_reduced ? 1 : slices.length, slices.length};
    }
    default:
        return (struct trace_units){call->calls, call->results, call->results};
    }
}

uint64_t trace_unit_of(const struct trace_call *call, uint64_t result) {
    const enum unit_kind kind = kind_of(call);
    if (kind == UNIT_CALL)
        return result / call->results;
    if (kind != UNIT_LINE || call->operation->array->lines == LINES_REDUCED)
        return result;
    const struct slices slices = lines_of(call);
    return result / (slices.stride * slices.length) * slices.stride + result % slices.stride;
}

uint64_t trace_unit_result(const struct trace_call *call, uint64_t unit, uint64_t index) {
    const enum unit_kind kind = kind_of(call);
    if (kind == UNIT_CALL)
        return unit * call->results + index;
    if (kind != UNIT_LINE || call->operation->array->lines == LINES_REDUCED)
        return unit;
    const struct slices slices = lines_of(call);
    return slice_place(&slices, unit, index);
}

/* Where the elements of a unit lie in an operand: of a line, so many and so far from each other. */
static void place_unit(const struct trace_call *call, const struct slices *slices, uint64_t unit,
                       int operand, uint64_t *first, uint64_t *stride) {
    const uint64_t *extents = call->shape.extents;
    *first = unit;
    *stride = 1;
    if (kind_of(call) == UNIT_LINE) {
        *first = slice_start(slices, unit);
        *stride = slices->stride;
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
    const struct slices slices = kind_of(call) == UNIT_LINE ? lines_of(call) : (struct slices){0};
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
        place_unit(call, &slices, units[u], operand, &first, &stride);
        for (uint64_t i = 0; i < each; i++, at += bytes)
            memcpy(at, (const char *)from->codes + (first + i * stride) * bytes, bytes);
    }
    return true;
}

/* Elements of each operand that a unit takes. */
static uint64_t each_of(const struct trace_call *call, enum unit_kind kind, int operand) {
    return kind == UNIT_ELEMENT               ? 1
           : kind == UNIT_DOT && operand == 2 ? 1
           : kind == UNIT_CALL && call->calls ? call->operand[operand].count / call->calls
                                              : trace_call_units(call).cost;
}

/* The same call, its operands to be set. */
static struct trace_call like(const struct trace_call *call) {
    struct trace_call part = *call;
    for (int i = 0; i < MAX_ARRAY_OPERANDS; i++)
        part.operand[i].codes = NULL;
    return part;
}

/* Calls behind one another: those with the numbers. */
static bool copy_calls(struct trace_call *part, const struct trace_call *call,
                       const uint64_t *units, size_t count, struct error *why) {
    part->calls = count;
    for (int i = 0; i < call->operands; i++) {
        const struct trace_codes *from = &call->operand[i];
        struct trace_codes *to = &part->operand[i];
        const size_t each = (size_t)(from->is_shared ? from->count : from->count / call->calls) *
                            format_bytes(from->format);
        to->codes = malloc(each * (from->is_shared ? 1 : count) + 1);
        if (!to->codes)
            return error_set(why, "out of memory");
        to->count = from->is_shared ? from->count : from->count / call->calls * count;
        for (size_t u = 0; u < (from->is_shared ? 1 : count); u++)
            memcpy((char *)to->codes + u * each,
                   (const char *)from->codes + (from->is_shared ? 0 : units[u]) * each, each);
    }
    return true;
}

bool trace_part_open(struct trace_call *part, const struct trace_call *call, const uint64_t *units,
                     size_t count, struct error *why) {
    const enum unit_kind kind = kind_of(call);
    *part = like(call);
    if (kind == UNIT_CALL)
        return copy_calls(part, call, units, count, why);
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

static bool exact_numbers(const struct trace_call *call, struct real *y, struct error *why) {
    struct oracle oracle;
    bool good = true;
    oracle_open(&oracle, call->operation, call->format, oracle_precision(call->result));
    for (uint64_t i = 0; good && i < call->results; i++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        for (int k = 0; k < call->operands; k++)
            codes[k] =
                code_load(call->operand[k].codes, format_bytes(call->operand[k].format), (size_t)i);
        good = oracle_exact(&oracle, codes, 0, &y[i], why);
    }
    oracle_close(&oracle);
    return good;
}

bool trace_call_exact(const struct trace_call *call, struct real *y, struct error *why) {
    if (call->operation->converts) {
        for (size_t i = 0; i < call->results; i++)
            y[i] = format_decode(call->format,
                                 code_load(call->operand[0].codes, format_bytes(call->format), i));
        return true;
    }
    if (!call->operation->array)
        return exact_numbers(call, y, why);
    oracle_thread_begin();
    for (uint64_t i = 0; i < call->calls; i++) {
        struct array_call planned;
        if (!trace_call_plan(call, i, NULL, &planned, why) ||
            !call->operation->array->exact(&planned, 0, ORACLE_MOST_BITS, y + i * call->results,
                                           why))
            return false;
    }
    return true;
}
