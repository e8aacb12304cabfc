/* Comparing what came of calls of lines: where they differ, whether that comes again, and so for all calls of a domain. */
#include "invariance/lines.h"

#include "invariance/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The number of an element in the reference, for people. */
static uint64_t number_of(const struct line_results *results, uint64_t element) {
    const struct line_other *other = results->source ? results->source->other : NULL;
    return other ? other->row->element(results->source->call, other->row, other->turn, element)
                 : element;
}

/* Counts a call once, at the first element of a result whose codes are others. */
static bool compare_codes(struct line_binding *line, int result, const struct format *format,
                          const uint64_t *references, uint64_t first, uint64_t reference_count,
                          const uint64_t *codes, uint64_t count, const struct line_results *of,
                          const char *where) {
    const uint64_t both = count < reference_count ? count : reference_count;
    const uint64_t i = first_other(line, format, references, codes, both);
    if (i == both)
        return false;
    struct change change = {.index = line->number,
                            .input = {line->number, number_of(of, first + i)},
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
    bool changed =
        compare_codes(line, 0, results->format, reference->codes + first, first,
                      reference->count - first, results->codes, results->count, results, where);
    for (int r = 1; r < MAX_ARRAY_RESULTS; r++) {
        uint64_t from, to;
        both_of(reference, results, r, &from, &to);
        changed |= compare_codes(line, r, results->formats[r], reference->codes + from, 0,
                                 reference->more[r], results->codes + to, results->more[r], results,
                                 where);
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
