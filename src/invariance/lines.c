/* Making calls of lines, and comparing what comes of them. */
#include "invariance/lines.h"

#include "invariance/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
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

/* A call of an operation without lines, drawn as for a sweep. */
static bool compute_whole(struct line_binding *line, uint64_t number, struct line_results *results,
                          struct error *error) {
    const struct binding_request *computed = &line->request->computed;
    uint8_t unanswered = 0;
    struct array_call call = {.parameters = &computed->parameters,
                              .rounding = computed->rounding,
                              .overflow = computed->overflow};
    const struct slice slice = {.count = 1, .unanswered = &unanswered, .array = &call};
    *results = (struct line_results){0};
    bool good = case_open(&call, &line->request->domain->cases, number, computed->operation,
                          computed->format, error) &&
                binding_fill(&line->binding, &slice, take_event, line, error);
    if (good && !unanswered)
        good = take_results(&call, NULL, results, error);
    array_call_free(&call);
    return good;
}

static bool compute_once(struct line_binding *line, const struct line_source *source,
                         const struct line_place *place, struct line_results *results,
                         struct error *error) {
    const struct operation *operation = line->computed.operation;
    bool product = array_lines(operation->array, &line->computed.parameters) == LINES_PRODUCT;
    const struct shape shape = shape_for(source, place, product);
    uint8_t unanswered = 0;
    struct array_call call = {.parameters = &line->computed.parameters,
                              .rounding = line->computed.rounding,
                              .overflow = line->computed.overflow,
                              .offset = place->offset,
                              .result_offset = place->result_offset};
    const struct slice slice = {.count = 1, .unanswered = &unanswered, .array = &call};
    *results = (struct line_results){0};
    if (array_lines(operation->array, &line->computed.parameters) == LINES_NONE)
        return compute_whole(line,
                             (source->number + (place->count > 1)) % line->request->domain->count,
                             results, error);
    if (!array_call_plan(&call, operation->array, line->computed.format, &shape, error))
        return false;
    const int operands = operation_operands(operation, call.parameters);
    if (!array_call_allocate(&call, operands, operation->results))
        return error_set(error, "out of memory for an array");
    if (product)
        lay_matrices(source, place, &call);
    for (int k = 0; !product && k < operands; k++)
        lay_lines(source, place, k, &call.operands[k]);
    bool good = binding_fill(&line->binding, &slice, take_event, line, error);
    if (good && !unanswered)
        good = take_results(&call, place, results, error);
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

static uint64_t count_all(const struct line_results *results) {
    uint64_t count = results->count;
    for (int r = 1; r < MAX_ARRAY_RESULTS; r++)
        count += results->more[r];
    return count;
}

static bool is_same(const struct invariance_request *request, const struct line_results *a,
                    const struct line_results *b) {
    uint64_t first = a->count;
    bool same = count_all(a) == count_all(b);
    for (uint64_t i = 0; i < a->count && same; i++)
        same = property_same(request, a->format, a->codes[i], b->codes[i]);
    for (int r = 1; r < MAX_ARRAY_RESULTS; first += a->more[r++])
        for (uint64_t i = first; i < first + a->more[r] && same; i++)
            same = property_same(request, a->formats[r], a->codes[i], b->codes[i]);
    return same;
}

/* Whether they come again each time that they are computed; a call without an answer says nothing. */
static bool repeats(const struct line_results *results) {
    enum { TIMES = 8 };
    bool same = true;
    for (int time = 0; results->by && time < TIMES && same; time++) {
        struct line_results again;
        struct error unused;
        if (line_compute(results->by, results->source, &results->place, &again, &unused) &&
            again.count)
            same = is_same(results->by->request, results, &again);
        free(again.codes);
    }
    return same;
}

/* Where two differ: the first element; `count` where they do not. */
static uint64_t first_other(const struct line_binding *line, const struct format *format,
                            const uint64_t *references, const uint64_t *codes, uint64_t count) {
    uint64_t i = 0;
    while (i < count && property_same(line->request, format, references[i], codes[i]))
        i++;
    return i;
}

/* Counts a call once, at the first element of a result whose codes are others. */
static bool compare_codes(struct line_binding *line, int result, const struct format *format,
                          const uint64_t *references, uint64_t first, uint64_t reference_count,
                          const uint64_t *codes, uint64_t count, const char *where) {
    const uint64_t both = count < reference_count ? count : reference_count;
    const uint64_t i = first_other(line, format, references, codes, both);
    if (i == both)
        return false;
    struct change change = {.index = line->number,
                            .input = {line->number, first + i},
                            .reference = references[i],
                            .got = codes[i]};
    snprintf(change.where, sizeof change.where, "%s", where);
    if (line->differing)
        line->differing[result]++;
    if (!line->is_counted[result])
        property_change(line->tally, result, &change);
    line->is_counted[result] = true;
    return true;
}

/* How many results after the first both have of number r, and where those of each begin among its codes. */
static uint64_t both_of(const struct line_results *a, const struct line_results *b, int r,
                        uint64_t *of_a, uint64_t *of_b) {
    *of_a = a->count;
    *of_b = b->count;
    for (int i = 1; i < r; i++) {
        *of_a += a->more[i];
        *of_b += b->more[i];
    }
    return a->more[r] < b->more[r] ? a->more[r] : b->more[r];
}

/* Whether any code is another one. */
static bool differ(const struct line_binding *line, const struct line_results *reference,
                   uint64_t first, const struct line_results *results) {
    const uint64_t left = reference->count - first;
    uint64_t both = results->count < left ? results->count : left, from, to;
    bool differs =
        first_other(line, results->format, reference->codes + first, results->codes, both) < both;
    for (int r = 1; r < MAX_ARRAY_RESULTS && !differs; r++) {
        both = both_of(reference, results, r, &from, &to);
        differs = first_other(line, results->formats[r], reference->codes + from,
                              results->codes + to, both) < both;
    }
    return differs;
}

bool line_compare(struct line_binding *line, const struct line_results *reference, uint64_t first,
                  const struct line_results *results, const char *where) {
    line->tally->comparisons += reference->count && results->count;
    if (!reference->count || !results->count)
        return false;
    if (!line->counts_first && differ(line, reference, first, results) &&
        (!repeats(reference) || !repeats(results))) {
        line->tally->unrepeatable += !line->is_unrepeatable;
        return line->is_unrepeatable = true;
    }
    bool changed = compare_codes(line, 0, results->format, reference->codes + first, first,
                                 reference->count - first, results->codes, results->count, where);
    for (int r = 1; r < MAX_ARRAY_RESULTS; r++) {
        uint64_t from, to;
        both_of(reference, results, r, &from, &to);
        changed |= compare_codes(line, r, results->formats[r], reference->codes + from, 0,
                                 reference->more[r], results->codes + to, results->more[r], where);
    }
    return changed;
}

static bool is_stopped(const struct invariance_request *request) {
    return request->stop && *request->stop;
}

/* The reference is the line alone; of products with all columns. */
static bool try_line(struct line_binding *line, const struct line_source *source, line_trial *trial,
                     struct error *error) {
    const struct line_place alone = {.count = 1};
    struct property_tally *tally = line->tally;
    struct line_results reference;
    line->condition = 0;
    memset(line->is_counted, 0, sizeof line->is_counted);
    line->is_unrepeatable = false;
    bool good = line_compute(line, source, &alone, &reference, error);
    uint64_t compared = tally->comparisons, lost = tally->lost[1] + tally->left_out;
    line->condition = 1;
    if (good && reference.count)
        good = trial(line, source, &reference, error);
    bool none = tally->comparisons == compared;
    bool unanswered = !reference.count || (none && tally->lost[1] + tally->left_out > lost);
    /* A call that is too short for the property is none of its inputs. */
    tally->inputs += unanswered || !none;
    tally->unanswered += unanswered;
    free(reference.codes);
    return good;
}

static uint64_t *load_line(const struct array *operand, uint64_t length) {
    uint64_t *codes = malloc((size_t)length * sizeof *codes);
    const uint64_t elements = shape_elements(&operand->shape);
    for (uint64_t i = 0; codes && i < length; i++)
        codes[i] = array_code(operand, i % elements);
    return codes;
}

/* The numbers of call `number`, all of them as one line. */
static bool try_call(struct line_binding *line, uint64_t number, line_trial *trial,
                     struct error *error) {
    const struct binding_request *computed = &line->request->computed;
    struct array_call call = {.parameters = &computed->parameters,
                              .rounding = computed->rounding,
                              .overflow = computed->overflow};
    if (!case_open(&call, &line->request->domain->cases, number, computed->operation,
                   computed->format, error))
        return false;
    uint64_t length = shape_elements(&call.operands[0].shape);
    enum array_lines kind = array_lines(computed->operation->array, &computed->parameters);
    int operands = kind == LINES_NONE ? 0
                   : kind == LINES_PRODUCT
                       ? 1
                       : operation_operands(computed->operation, &computed->parameters);
    uint64_t *codes[LINE_OPERANDS] = {NULL};
    struct line_source source = {.number = number, .call = &call, .length = length};
    bool good = true;
    line->number = number;
    for (int k = 0; k < operands; k++) {
        source.lines[k] = codes[k] = load_line(&call.operands[k], length);
        good = good && codes[k];
    }
    good = good ? try_line(line, &source, trial, error)
                : error_set(error, "out of memory for an array");
    for (int k = 0; k < operands; k++)
        free(codes[k]);
    array_call_free(&call);
    return good;
}

bool lines_try_calls(const struct invariance_request *request, struct property_tally *tally,
                     line_trial *trial, void *context, bool counts_first, struct error *error) {
    struct line_binding line;
    bool good = line_open(&line, request, tally, false, error);
    line.context = context;
    line.counts_first = counts_first;
    struct invariance_checkpoint *saved = request->saved;
    uint64_t first = saved ? invariance_checkpoint_next(saved, saved->at) : 0;
    for (uint64_t i = first; good && i < request->domain->count && !is_stopped(request); i++) {
        if (shard_has(&request->shard, i, invariance_unit(request)))
            good = try_call(&line, i, trial, error);
        if (good && saved && i + 1 < request->domain->count)
            invariance_checkpoint_note(saved, saved->at, i + 1, 0);
        if (request->progress)
            request->progress(request->progress_context, i + 1);
    }
    line_close(&line);
    return good;
}

bool lines_try(struct line_binding *line, const struct line_source *source,
               const struct line_place *place, const struct line_results *reference, uint64_t first,
               const char *where, bool *changed, struct error *error) {
    struct line_results results;
    bool good = line_compute(line, source, place, &results, error);
    *changed = good && line_compare(line, reference, first, &results, where);
    free(results.codes);
    return good;
}

bool lines_apply(const struct invariance_request *request, const struct binding *binding,
                 struct error *why) {
    (void)binding;
    return array_lines(request->computed.operation->array, &request->computed.parameters) !=
               LINES_NONE ||
           error_set(why, "%s is not computed line by line", request->computed.operation->name);
}
