/* Making calls of lines. */
#include "invariance/lines.h"

#include <stdlib.h>
#include <string.h>

bool line_open(struct line_binding *line, const struct invariance_request *request,
               struct property_tally *tally, bool columns, struct error *error) {
    *line = (struct line_binding){
        .request = request, .tally = tally, .computed = request->computed, .condition = 1};
    struct parameter_value *values = line->computed.parameters.values;
    enum array_lines kind =
        array_lines(request->computed.operation->array, &request->computed.parameters);
    if (kind != LINES_NONE)
        values[PARAMETER_SHAPE_OF].present = false;
    if (kind != LINES_NONE && kind != LINES_PRODUCT)
        values[PARAMETER_AXIS] =
            (struct parameter_value){.present = true, .integer = columns ? 0 : -1};
    return implementation_bind(&line->binding, request->implementation, &line->computed, error);
}

void line_close(struct line_binding *line) {
    binding_close(&line->binding);
}

static void take_event(void *context, enum event_kind kind, size_t index) {
    struct line_binding *line = context;
    const struct event_witness event = {
        .kind = kind, .index = line->number, .input = {line->number, 0}};
    (void)index;
    property_event(line->tally, &event, line->condition, "");
}

/* Line j: the numbers themselves where the line stands, else in another order; in pairs, where there
 * are two operands. What lines share stays as it is. */
static void lay_lines(const struct line_source *source, const struct line_place *place, int operand,
                      const struct array *to) {
    uint64_t n = source->length, count = place->count;
    if (source->call->rule->roles[operand] == OPERAND_SHARED) {
        for (uint64_t i = 0; i < n; i++)
            array_set_code(to, i, source->lines[operand][i]);
        return;
    }
    if (source->call->rule->roles[operand] == OPERAND_PER_LINE) {
        for (uint64_t j = 0; j < count; j++)
            array_set_code(to, j, source->lines[operand][j == place->at ? 0 : (j + 1) % n]);
        return;
    }
    for (uint64_t j = 0; j < count; j++)
        for (uint64_t i = 0, from = j == place->at ? 0 : 7 * (j + 1) % n; i < n; i++) {
            array_set_code(to, place->by_columns ? i * count + j : j * n + i,
                           source->lines[operand][from]);
            from = from + 1 == n ? 0 : from + 1;
        }
}

static void lay_matrices(const struct line_source *source, const struct line_place *place,
                         const struct array_call *call) {
    const struct array *a = &source->call->operands[0], *b = &source->call->operands[1];
    uint64_t inner = a->shape.extents[1], rows = a->shape.extents[0], all = b->shape.extents[1];
    uint64_t columns = call->operands[1].shape.extents[1];
    for (uint64_t j = 0; j < place->count; j++)
        for (uint64_t i = 0; i < inner; i++) {
            uint64_t from = j == place->at ? i : (j + 1) % rows * inner + (i + 7 * j) % inner;
            array_set_code(&call->operands[0], j * inner + i, array_code(a, from));
        }
    for (uint64_t i = 0; i < inner; i++)
        for (uint64_t j = 0; j < columns; j++)
            array_set_code(&call->operands[1], i * columns + j,
                           array_code(b, i * all + (place->column + j) % all));
    const struct array *onto = array_addend(source->call), *c = array_addend(call);
    for (uint64_t j = 0; c && j < place->count; j++)
        for (uint64_t i = 0, row = j == place->at ? 0 : (j + 1) % rows; i < columns; i++)
            array_set_code(c, j * columns + i,
                           array_code(onto, row * all + (place->column + i) % all));
}

static struct shape shape_for(const struct line_source *source, const struct line_place *place,
                              bool product) {
    if (!product && place->by_columns)
        return (struct shape){.dimensions = 2, .extents = {source->length, place->count}};
    if (!product)
        return (struct shape){.dimensions = 2, .extents = {place->count, source->length}};
    const struct array *b = &source->call->operands[1];
    uint64_t columns = place->columns ? place->columns : b->shape.extents[1];
    return (struct shape){.dimensions = 3, .extents = {place->count, b->shape.extents[0], columns}};
}

/* Those of the line, or of all of the call where `place` is NULL. */
static bool take_results(const struct array_call *call, const struct line_place *place,
                         struct line_results *results, struct error *error) {
    const uint64_t lines = place ? place->count : 1;
    uint64_t all = 0, at = 0;
    *results = (struct line_results){.format = call->results[0].format};
    for (int r = 0; r < MAX_ARRAY_RESULTS && call->results[r].format; r++) {
        results->more[r] = shape_elements(&call->results[r].shape) / lines;
        results->formats[r] = call->results[r].format;
        all += results->more[r];
    }
    results->count = results->more[0];
    results->more[0] = 0;
    results->codes = malloc((size_t)all * sizeof *results->codes);
    if (!results->codes)
        return error_set(error, "out of memory for an array");
    for (int r = 0; r < MAX_ARRAY_RESULTS && call->results[r].format; r++) {
        const uint64_t each = r ? results->more[r] : results->count;
        const bool across = place && place->by_columns && each > 1;
        for (uint64_t i = 0; i < each; i++)
            results->codes[at++] = array_code(&call->results[r], across  ? i * lines + place->at
                                                                 : place ? place->at * each + i
                                                                         : i);
    }
    return true;
}

/* The planned call, once its operands are there. */
static bool run_call(struct line_binding *line, struct array_call *call,
                     const struct line_place *place, struct line_results *results,
                     struct error *error) {
    uint8_t unanswered = 0;
    const struct slice slice = {.count = 1, .unanswered = &unanswered, .array = call};
    bool good = binding_fill(&line->binding, &slice, take_event, line, error);
    if (good && !unanswered)
        good = take_results(call, place, results, error);
    return good;
}

static struct array_call call_for(const struct line_binding *line, const struct line_place *place) {
    return (struct array_call){.parameters = &line->computed.parameters,
                               .rounding = line->computed.rounding,
                               .overflow = line->computed.overflow,
                               .offset = place->offset,
                               .result_offset = place->result_offset};
}

/* A call of an operation without lines, drawn as for a sweep. */
static bool compute_whole(struct line_binding *line, uint64_t number,
                          const struct line_place *place, struct line_results *results,
                          struct error *error) {
    const struct binding_request *computed = &line->request->computed;
    struct array_call call = call_for(line, place);
    *results = (struct line_results){0};
    bool good = case_open(&call, &line->request->domain->cases, number, computed->operation,
                          computed->format, error) &&
                run_call(line, &call, NULL, results, error);
    array_call_free(&call);
    return good;
}

static bool plan_call(const struct line_binding *line, struct array_call *call,
                      const struct shape *shape, struct error *error) {
    const struct operation *operation = line->computed.operation;
    return array_call_plan(call, operation->array, line->computed.format, shape, error) &&
           (array_call_allocate(call, operation_operands(operation, call->parameters),
                                operation->results) ||
            error_set(error, "out of memory for an array"));
}

static bool compute_other(struct line_binding *line, const struct line_source *source,
                          const struct line_place *place, struct line_results *results,
                          struct error *error) {
    const struct line_other *other = source->other;
    const struct array_rearrangement *row = other->row;
    struct array_call call = call_for(line, place);
    struct shape shape;
    char unused[ARRAY_WHERE];
    if (!row->plan(source->call, row, other->turn, &shape, unused))
        return true;
    if (!plan_call(line, &call, &shape, error))
        return false;
    for (int k = 0; k < operation_operands(line->computed.operation, call.parameters); k++)
        for (uint64_t i = 0; i < shape_elements(&call.operands[k].shape); i++)
            array_set_code(&call.operands[k], i, row->code(source->call, row, other->turn, k, i));
    bool good = run_call(line, &call, NULL, results, error);
    array_call_free(&call);
    return good;
}

bool line_pick(const struct line_source *source, const struct line_results *from,
               struct line_results *results, struct error *error) {
    const struct line_other *other = source->other;
    *results = (struct line_results){.format = from->format};
    if (!from->count || !other->count)
        return true;
    results->codes = malloc((size_t)other->count * sizeof *results->codes);
    if (!results->codes)
        return error_set(error, "out of memory for an array");
    for (; results->count < other->count; results->count++)
        results->codes[results->count] =
            from->codes[other->row->element(source->call, other->row, other->turn, results->count)];
    return true;
}

static bool compute_once(struct line_binding *line, const struct line_source *source,
                         const struct line_place *place, struct line_results *results,
                         struct error *error) {
    const struct operation *operation = line->computed.operation;
    bool product = array_lines(operation->array, &line->computed.parameters) == LINES_PRODUCT;
    const struct shape shape = shape_for(source, place, product);
    struct array_call call = call_for(line, place);
    *results = (struct line_results){0};
    if (source->other && source->other->is_picked) {
        struct line_source whole = *source;
        struct line_results all;
        whole.other = source->other->reference;
        bool good = compute_once(line, &whole, place, &all, error) &&
                    line_pick(source, &all, results, error);
        free(all.codes);
        return good;
    }
    if (source->other)
        return compute_other(line, source, place, results, error);
    if (array_lines(operation->array, &line->computed.parameters) == LINES_NONE)
        return compute_whole(line,
                             (source->number + (place->count > 1)) % line->request->domain->count,
                             place, results, error);
    if (!plan_call(line, &call, &shape, error))
        return false;
    const int operands = operation_operands(operation, call.parameters);
    if (product)
        lay_matrices(source, place, &call);
    for (int k = 0; !product && k < operands; k++)
        lay_lines(source, place, k, &call.operands[k]);
    bool good = run_call(line, &call, place, results, error);
    array_call_free(&call);
    return good;
}

bool line_compute(struct line_binding *line, const struct line_source *source,
                  const struct line_place *place, struct line_results *results,
                  struct error *error) {
    bool twice = !line->counts_first && !line->has_called;
    line->has_called = true;
    *results = (struct line_results){0};
    if (!property_may_lose(line->tally, line->condition)) {
        line->tally->left_out++;
        return true;
    }
    if (twice && !compute_once(line, source, place, results, error))
        return false;
    free(results->codes);
    bool good = compute_once(line, source, place, results, error);
    results->by = line;
    results->source = source;
    results->place = *place;
    return good;
}
