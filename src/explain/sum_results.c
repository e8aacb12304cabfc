/* Asking both sides, call by call. */
#include "explain/sum_results.h"

#include "format/text.h"
#include "op/array/slices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lines ---- */

size_t sum_line_length(const struct array_call *call) {
    return call->rule->lines == LINES_PRODUCT ? (size_t)call->operands[0].shape.extents[1]
                                              : (size_t)slices_of(call).length;
}

static uint64_t load(const struct array *array, const struct format *format, uint64_t index) {
    return format ? element_load(array, format, index) : array_code(array, index);
}

void sum_line_load(const struct array_call *call, const struct format *format, uint64_t element,
                   uint64_t *const codes[2]) {
    const struct array *operands = call->operands;
    const size_t length = sum_line_length(call);
    if (call->rule->lines == LINES_PRODUCT) {
        const uint64_t columns = operands[1].shape.extents[1];
        for (uint64_t i = 0; i < length; i++) {
            codes[0][i] = load(&operands[0], format, element / columns * length + i);
            codes[1][i] = load(&operands[1], format, i * columns + element % columns);
        }
        return;
    }
    const struct slices slices = slices_of(call);
    for (int k = 0; k < 2 && call->rule->operand_names[k]; k++)
        for (uint64_t i = 0; i < length; i++)
            codes[k][i] = load(&operands[k], format, slice_place(&slices, element, i));
}

/* ---- Asking ---- */

static void count_event(void *context, enum event_kind kind, size_t index) {
    struct side_events *events = context;
    (void)index;
    events->counts[kind]++;
}

static bool make_room(struct sum_results *results, size_t more) {
    if (results->count + more <= results->room)
        return true;
    const size_t room = (results->count + more) * 2;
    for (int side = 0; side < 2; side++) {
        uint64_t *codes = realloc(results->codes[side], room * sizeof *codes);
        if (!codes)
            return false;
        results->codes[side] = codes;
    }
    results->room = room;
    return true;
}

static bool open_call(const struct sum_results *results, uint64_t number, struct array_call *call,
                      struct error *error) {
    const struct explain_request *request = results->request;
    const struct binding_request *computed = &request->computed;
    *call = (struct array_call){.parameters = &computed->parameters,
                                .rounding = computed->rounding,
                                .overflow = computed->overflow};
    if (request->stop && *request->stop)
        return error_set(error, "interrupted; nothing is explained");
    return case_open(call, &request->domain->cases, number, computed->operation, computed->format,
                     error);
}

static bool ask_call(struct sum_results *results, struct binding bindings[2], uint64_t number,
                     struct explain_outcome *outcome, struct error *error) {
    struct array_call call;
    if (!open_call(results, number, &call, error)) {
        array_call_free(&call);
        return false;
    }
    const struct array *result = &call.results[results->request->result];
    const size_t elements = (size_t)shape_elements(&result->shape);
    const size_t bytes = format_bytes(result->format);
    bool good = make_room(results, elements) || error_set(error, "out of memory for results");
    results->format = result->format;
    results->answered[number] = 1;
    results->first[number] = results->count;
    for (int side = 0; good && side < 2; side++) {
        uint8_t unanswered = 0;
        const struct slice slice = {.count = 1, .array = &call, .unanswered = &unanswered};
        good = binding_fill(&bindings[side], &slice, count_event, &outcome->events[side], error);
        for (size_t i = 0; good && i < elements; i++)
            results->codes[side][results->count + i] = code_load(result->codes, bytes, i);
        results->answered[number] &= !unanswered;
    }
    array_call_free(&call);
    for (size_t i = 0; good && results->answered[number] && i < elements; i++)
        outcome->differ += sum_results_differ(results, results->count + i);
    if (results->answered[number])
        outcome->tested += elements;
    else
        outcome->unanswered += elements;
    results->count += elements;
    return good;
}

bool sum_results_open(struct sum_results *results, const struct explain_request *request,
                      struct explain_outcome *outcome, struct error *error) {
    const struct binding_request *computed = &request->computed;
    struct binding bindings[2] = {{.state = NULL}, {.state = NULL}};
    struct error why;
    *results = (struct sum_results){.request = request, .calls = request->domain->count};
    results->answered = calloc((size_t)results->calls + 1, 1);
    results->first = calloc((size_t)results->calls + 1, sizeof *results->first);
    bool good =
        (results->answered && results->first) || error_set(error, "out of memory for results");
    for (int side = 0; good && side < 2; side++)
        good = implementation_bind(&bindings[side], request->sides[side], computed, &why) ||
               error_set(error, "%s does not provide %s in %s: %s", request->sides[side]->name,
                         computed->operation->name, computed->format->name, why.text);
    for (uint64_t number = 0; good && number < results->calls; number++)
        good = ask_call(results, bindings, number, outcome, error);
    for (int side = 0; side < 2; side++)
        binding_close(&bindings[side]);
    return good;
}

void sum_results_close(struct sum_results *results) {
    free(results->answered);
    free(results->first);
    for (int side = 0; side < 2; side++)
        free(results->codes[side]);
}

bool sum_results_visit(const struct sum_results *results, sum_visitor *visit, void *context,
                       struct error *error) {
    bool good = true;
    for (uint64_t number = 0; good && number < results->calls; number++) {
        struct array_call call;
        if (!results->answered[number])
            continue;
        good = open_call(results, number, &call, error);
        if (good)
            good = visit(context, &call, number, error);
        array_call_free(&call);
    }
    return good;
}

void sum_results_first(const struct sum_results *results, char *text, size_t room) {
    const struct explain_request *request = results->request;
    char shape[PARAMETER_ROOM], bits[2][NUMBER_TEXT];
    *text = '\0';
    for (uint64_t call = 0; call < results->calls; call++) {
        const size_t end = results->first[call] + sum_elements_of(results, call);
        for (size_t at = results->first[call]; results->answered[call] && at < end; at++) {
            if (!sum_results_differ(results, at))
                continue;
            const struct parameter_value value = {
                .present = true, .shape = *case_shape(&request->domain->cases, call)};
            snprintf(text, room, "the first is element %zu of call %" PRIu64 " (%s): A %s, B %s",
                     at - results->first[call], call,
                     parameter_text(&parameter_rows[PARAMETER_SHAPE_OF], &value, shape),
                     format_bits_text(results->format, results->codes[0][at], bits[0]),
                     format_bits_text(results->format, results->codes[1][at], bits[1]));
            return;
        }
    }
}
