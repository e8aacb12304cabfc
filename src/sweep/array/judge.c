/* One call: drawn, run by every implementation, and judged element by element. */
#include "sweep/array/judge.h"

#include "op/array/text_lines.h"
#include "oracle/exact.h"
#include "sweep/array/lines.h"
#include "sweep/judge/output.h"
#include "sweep/nans.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool array_places_open(struct array_places *places, const struct sweep_request *request,
                       const struct format **result_formats, struct error *error) {
    const struct operation *operation = request->computed.operation;
    const struct cases *cases = &request->domain->cases;
    places->first = calloc(cases->shape_count * MAX_RESULTS, sizeof *places->first);
    if (!places->first)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < cases->shape_count; i++) {
        struct array_call call = {.parameters = &request->computed.parameters};
        if (!array_call_plan(&call, operation->array, request->computed.format, &cases->shapes[i],
                             error))
            return false;
        for (int r = 0; r < operation->results; r++) {
            result_formats[r] = call.results[r].format;
            places->first[i * MAX_RESULTS + (size_t)r] = places->total[r];
            places->total[r] += cases->draws * shape_elements(&call.results[r].shape);
        }
    }
    return true;
}

void array_places_close(struct array_places *places) {
    free(places->first);
}

/* One call under way. */
struct array_case {
    struct worker *worker;
    const struct array_places *places;
    const struct cases *cases;
    const struct operation *operation;
    uint64_t number;
    struct array_call call;
    struct real *scales; /* the exact ones, of results that are judged by value; else NULL */
    void *outputs[MAX_IMPLEMENTATIONS][MAX_RESULTS];
    uint8_t unanswered[MAX_IMPLEMENTATIONS];
    struct line_effects lines[MAX_IMPLEMENTATIONS]; /* of texts */
};

/* An implementation's part in a case. */
struct array_part {
    struct array_case *of;
    size_t implementation;
};

/* Which of the elements of all calls is the first of this one's result. */
static uint64_t first_element(const struct array_case *c, int result) {
    size_t shape = (size_t)(c->number / c->cases->draws);
    return c->places->first[shape * MAX_RESULTS + (size_t)result] +
           case_draw(c->cases, c->number) * shape_elements(&c->call.results[result].shape);
}

/* Whether there are outputs of the implementation. */
static bool has_answered(const struct array_case *c, size_t implementation) {
    return c->worker->provided[implementation] && !c->unanswered[implementation];
}

/* An implementation's elements of a result, as an array. */
static struct array output_of(const struct array_case *c, size_t implementation, int result) {
    struct array output = c->call.results[result];
    output.codes = c->outputs[implementation][result];
    return output;
}

/* As other operations tell of it, for every result; there is no element that it belongs to. */
static void count_event(void *context, enum event_kind kind, size_t index) {
    const struct array_part *part = context;
    struct array_case *c = part->of;
    (void)index;
    for (int r = 0; r < c->operation->results; r++) {
        const struct event_witness event = {
            .kind = kind, .index = first_element(c, r), .input = {c->number, 0}};
        tally_add_event(worker_tally(c->worker, part->implementation, r), &event);
    }
}

static bool fill_by(struct array_case *c, size_t implementation, struct error *error) {
    struct array_call call = c->call;
    struct slice slice = {.count = 1, .unanswered = &c->unanswered[implementation], .array = &call};
    struct array_part part = {c, implementation};
    for (int r = 0; r < c->operation->results; r++) {
        const struct array *result = &call.results[r];
        void **output = &c->outputs[implementation][r];
        *output = calloc((size_t)shape_elements(&result->shape), format_bytes(result->format));
        if (!*output)
            return error_set(error, "out of memory for an array");
        call.results[r].codes = *output;
        slice.array_first[r] = first_element(c, r);
        slice.array_total[r] = c->places->total[r];
    }
    const struct binding *binding = &c->worker->bindings[implementation];
    const struct line_wishes wishes = {binding->tells_flags, binding->tells_errno,
                                       binding->tells_lengths};
    if (!line_effects_open(&c->lines[implementation], wishes, text_line_count(&call)))
        return error_set(error, "out of memory for an array");
    call.lines = &c->lines[implementation];
    if (!binding_fill(&c->worker->bindings[implementation], &slice, count_event, &part, error))
        return false;
    for (int r = 0; r < c->operation->results && c->unanswered[implementation]; r++)
        worker_tally(c->worker, implementation, r)->unanswered +=
            shape_elements(&call.results[r].shape);
    return true;
}

/* Every implementation computes the call into outputs of its own. */
static bool fill(struct array_case *c, struct error *error) {
    for (size_t i = 0; i < c->worker->request->implementation_count; i++)
        if (c->worker->provided[i] && !fill_by(c, i, error))
            return false;
    return true;
}

/* Errors are as exact as can be from the start. */
static double no_refinement(void *context, const struct witness *witness,
                            const struct error_knowledge *knowledge) {
    (void)context;
    (void)knowledge;
    return witness->error;
}

/* det promises its scales too. */
static bool is_strict(const struct array_case *c, size_t implementation) {
    return strcmp(c->worker->request->implementations[implementation].kind->name, "det") == 0;
}

/* `values`: of every implementation, or NULL. */
static void judge_element(struct array_case *c, int result, uint64_t element, const struct real *y,
                          const struct array_value *values) {
    const struct sweep_request *request = c->worker->request;
    const struct format *format = c->call.results[result].format;
    const struct judge judge = {format, request->computed.rounding, request->computed.overflow,
                                request->strict_nan};
    const struct error_knowledge knowledge = {.most = DBL_MAX, .refine = no_refinement};
    struct witness witness = {.index = first_element(c, result) + element,
                              .input = {c->number, element}};
    bool by_rule;
    struct real held;
    for (size_t i = 0; i < request->implementation_count; i++) {
        if (!has_answered(c, i))
            continue;
        struct array outputs[MAX_ARRAY_RESULTS];
        for (int r = 0; r < c->operation->results; r++)
            outputs[r] = output_of(c, i, r);
        struct tally *tally = worker_tally(c->worker, i, result);
        witness.want =
            array_want_beside(&c->call, result, element, y, is_strict(c, i) ? NULL : c->scales,
                              outputs, ORACLE_MOST_BITS, &held, &witness.got, &by_rule);
        struct judgement judgement =
            judge_by_rule(&judge, &held, witness.want, by_rule, witness.got);
        witness.error = judgement.error;
        tally_add(tally, &judgement, &witness, INT_MIN, &knowledge);
        if (c->operation->array->counts_ends)
            tally_add_end(tally, format, &held, witness.got);
        if (values)
            value_tally_add(&tally->value, &values[i], &witness);
    }
}

static void compare_pair(struct array_case *c, struct pair_outcome *pair, int result) {
    if (!has_answered(c, pair->a) || !has_answered(c, pair->b))
        return;
    struct array a = output_of(c, pair->a, result), b = output_of(c, pair->b, result);
    for (uint64_t element = 0; element < shape_elements(&a.shape); element++) {
        uint64_t codes[2] = {array_code(&a, element), array_code(&b, element)};
        const uint64_t input[MAX_OPERANDS] = {c->number, element};
        if (codes[0] != codes[1])
            difference_add(&pair->results[result], first_element(c, result) + element, input,
                           INT_MIN, codes[0], codes[1]);
    }
}

/* The values of a result by all implementations, for free(); of one without an answer they mean
 * nothing. */
static struct array_value *find_values(const struct array_case *c, uint64_t elements,
                                       struct error *error) {
    struct array outputs[MAX_IMPLEMENTATIONS][MAX_ARRAY_RESULTS];
    size_t count = c->worker->request->implementation_count, answered = 0;
    size_t places[MAX_IMPLEMENTATIONS];
    for (size_t i = 0; i < count; i++) {
        if (!has_answered(c, i))
            continue;
        for (int r = 0; r < c->operation->results; r++)
            outputs[answered][r] = output_of(c, i, r);
        places[answered++] = i;
    }
    struct array_value *found = calloc((size_t)elements * (answered ? answered : 1), sizeof *found);
    struct array_value *values = calloc((size_t)elements * count, sizeof *values);
    bool good = found && values;
    if (!good)
        error_set(error, "out of memory for an array");
    else
        good = c->operation->array->values(
            &c->call, (const struct array(*)[MAX_ARRAY_RESULTS])outputs, answered, found, error);
    for (size_t i = 0; good && i < elements * answered; i++)
        values[i / answered * count + places[i % answered]] = found[i];
    free(found);
    if (!good)
        free(values);
    return good ? values : NULL;
}

/* Judges the effects of calls on texts: the end or the length that they report, errno and exception flags. */
static bool judge_lines(struct array_case *c, const struct real *y, struct error *error) {
    bool good = true;
    for (size_t i = 0; i < c->worker->request->implementation_count && good; i++) {
        struct array_call call = c->call;
        if (!has_answered(c, i) || !array_is_of_texts(c->operation->array))
            continue;
        call.results[0] = output_of(c, i, 0);
        good = lines_judge(&(struct line_call){.worker = c->worker,
                                               .implementation = i,
                                               .call = &call,
                                               .lines = &c->lines[i],
                                               .y = y,
                                               .number = c->number,
                                               .first = first_element(c, 0)});
    }
    return good || error_set(error, "out of memory for a text");
}

static bool judge_result(struct array_case *c, int result, struct block_digest *digests,
                         size_t stride, struct error *error) {
    struct worker *worker = c->worker;
    const struct format *format = c->call.results[result].format;
    uint64_t elements = shape_elements(&c->call.results[result].shape);
    struct real *y = calloc((size_t)elements, sizeof *y);
    struct array_value *values = NULL;
    if (y && c->scales && result > 0)
        memcpy(y, c->scales, (size_t)elements * sizeof *y);
    bool known = y && c->scales && result > 0 ? true
                 : y ? c->operation->array->exact(&c->call, result, ORACLE_MOST_BITS, y, error)
                     : error_set(error, "out of memory for an array");
    if (known && array_has_values(c->operation->array, result))
        known = (values = find_values(c, elements, error)) != NULL;
    size_t count = worker->request->implementation_count;
    for (uint64_t element = 0; known && element < elements; element++)
        judge_element(c, result, element, &y[element], values ? &values[element * count] : NULL);
    known = known && judge_lines(c, y, error);
    free(values);
    free(y);
    if (!known)
        return false;
    worker->counts[result].exact += elements;
    for (size_t i = 0; i < worker->request->implementation_count; i++) {
        if (!has_answered(c, i))
            continue;
        make_nans_canonical(format, c->outputs[i][result], (size_t)elements);
        digests[(i * MAX_RESULTS + (size_t)result) * stride] =
            fingerprint_block(format, c->outputs[i][result], (size_t)elements);
    }
    for (size_t i = 0; i < worker->pair_count; i++)
        compare_pair(c, &worker->pairs[i], result);
    return true;
}

/* Of results that are judged by value. */
static bool find_scales(struct array_case *c, struct error *error) {
    if (!array_is_by_value(&c->call))
        return true;
    c->scales = calloc((size_t)shape_elements(&c->call.results[1].shape), sizeof *c->scales);
    if (!c->scales)
        return error_set(error, "out of memory for an array");
    return c->operation->array->exact(&c->call, 1, ORACLE_MOST_BITS, c->scales, error);
}

bool array_worker_run(struct worker *worker, const struct array_places *places, uint64_t number,
                      struct block_digest *digests, size_t stride, struct error *error) {
    const struct binding_request *computed = &worker->request->computed;
    struct array_case c = {.worker = worker,
                           .places = places,
                           .cases = &worker->request->domain->cases,
                           .operation = computed->operation,
                           .number = number,
                           .call = {.parameters = &computed->parameters,
                                    .rounding = computed->rounding,
                                    .overflow = computed->overflow}};
    bool good = case_open(&c.call, c.cases, number, c.operation, computed->format, error) &&
                fill(&c, error) && find_scales(&c, error);
    for (int r = 0; good && !worker_should_stop(worker, 0) && r < c.operation->results; r++)
        good = judge_result(&c, r, digests, stride, error);
    array_call_free(&c.call);
    free(c.scales);
    for (size_t i = 0; i < worker->request->implementation_count; i++) {
        line_effects_close(&c.lines[i]);
        for (int r = 0; r < MAX_RESULTS; r++)
            free(c.outputs[i][r]);
    }
    return good;
}
