/* A row as an entry of a report. */
#include "explain/document.h"

#include "op/calls.h"
#include "report/items.h"

#include <string.h>

static void add_difference(cJSON *object, const char *name, const struct explain_row *row,
                           const struct difference *difference) {
    const struct binding_request *computed = &row->computed;
    const struct format *out = request_result_format(computed);
    const struct sweep_request sweep = {.computed = *computed};
    char command[COMMAND_TEXT];
    cJSON *one = cJSON_AddObjectToObject(object, name);
    wire_add_input(one, &sweep, difference->in);
    wire_add_bits(one, "a", out, difference->sides[0]);
    wire_add_bits(one, "b", out, difference->sides[1]);
    if (*explain_command(row, difference, command))
        cJSON_AddStringToObject(one, "command", command);
}

static void add_explanation(cJSON *list, const struct explain_row *row,
                            const struct explanation *one) {
    const struct format *format = row->computed.format;
    char text[SENTENCE_TEXT];
    cJSON *object = json_append(list);
    cJSON_AddStringToObject(object, "hypothesis", one->name);
    if (one->side >= 0)
        cJSON_AddStringToObject(object, "side", one->side ? "b" : "a");
    cJSON_AddNumberToObject(object, "tested", (double)one->tested);
    cJSON_AddNumberToObject(object, "explains", (double)one->explains);
    cJSON_AddNumberToObject(object, "predicts_wrongly", (double)one->wrong);
    cJSON_AddStringToObject(object, "verdict", explanation_verdicts[one->verdict]);
    cJSON_AddStringToObject(object, "says", explain_sentence(row, one, text));
    if (one->cause) {
        cJSON_AddNumberToObject(object, "cause", one->cause);
        cJSON_AddNumberToObject(object, "adds", (double)one->adds);
    }
    if (one->same_as)
        cJSON_AddNumberToObject(object, "same_as", one->same_as);
    if (one->part_of)
        cJSON_AddNumberToObject(object, "part_of", one->part_of);
    if (one->no_cause)
        cJSON_AddStringToObject(object, "no_cause", no_cause_names[one->no_cause]);
    const bool tells_ends = one->has_ends && (one->cause || one->is_within);
    if (tells_ends) {
        wire_add_bits(object, "from", format, one->from);
        if (one->is_within || one->to || !one->period)
            wire_add_bits(object, "to", format,
                          one->to || one->is_interval || one->is_within
                              ? one->to
                              : format_with_sign(format, format_greatest(format),
                                                 format_is_negative(format, one->from)));
    }
    if (one->from_below && tells_ends)
        wire_add_bits(object, "from_below", format, one->from_below);
    if (one->to_below && tells_ends)
        wire_add_bits(object, "to_below", format, one->to_below);
    if (one->of_magnitudes && tells_ends)
        cJSON_AddTrueToObject(object, "of_magnitudes");
    if (one->period)
        cJSON_AddNumberToObject(object, "period", one->period);
    if (one->why)
        cJSON_AddStringToObject(object, "why", one->why);
    if (one->has_example && one->verdict != EXPLAINS_NONE)
        add_difference(object, "example", row, &one->example);
    if (one->has_wrong && one->verdict != EXPLAINS_NONE)
        add_difference(object, "wrong", row, &one->wrong_example);
}

/* Crashes and the like, where there are any. */
static void add_events(cJSON *side, const struct explain_row *row,
                       const struct side_events *events) {
    const struct sweep_request sweep = {.computed = row->computed};
    struct difference difference = {0};
    char command[COMMAND_TEXT];
    if (!events->any)
        return;
    cJSON *counts = cJSON_AddObjectToObject(side, "event_counts");
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        if (events->counts[kind])
            cJSON_AddNumberToObject(counts, event_names[kind], (double)events->counts[kind]);
    cJSON *first = cJSON_AddObjectToObject(side, "first_event");
    cJSON_AddStringToObject(first, "kind", event_names[events->first.kind]);
    wire_add_input(first, &sweep, events->first.input);
    memcpy(difference.in, events->first.input, sizeof difference.in);
    if (*explain_command(row, &difference, command))
        cJSON_AddStringToObject(first, "command", command);
}

/* The array of that name, made where there is none. */
static cJSON *items_of(cJSON *object, const char *name) {
    cJSON *items = cJSON_GetObjectItemCaseSensitive(object, name);
    return items ? items : cJSON_AddArrayToObject(object, name);
}

/* One of the two: who it is, and whose bits it has. */
static void add_side(cJSON *object, const char *name, const struct explain_row *row, int side) {
    const struct library_names *names = &row->libraries[side];
    cJSON *one = cJSON_AddObjectToObject(object, name);
    uint64_t differ;
    cJSON_AddStringToObject(one, "name", row->sides[side]);
    cJSON_AddStringToObject(one, "detail", row->details[side]);
    if (*row->totals[side])
        cJSON_AddStringToObject(one, "fingerprint", row->totals[side]);
    cJSON *list = cJSON_AddArrayToObject(one, "libraries"),
          *inputs = cJSON_AddArrayToObject(one, "inputs");
    for (size_t i = 0; i < names->count; i++)
        if (explain_library_exception(row, side, names->names[i]) != EXCEPTION_DECIDED)
            cJSON_AddItemToArray(list, cJSON_CreateString(names->names[i]));
    for (int i = 0; i < LIBRARY_INPUTS; i++)
        if (names->by[i])
            cJSON_AddItemToArray(inputs, cJSON_CreateString(library_inputs_names[i]));
    if (explain_exception(row, side, &differ))
        cJSON_AddNumberToObject(one, "libraries_except", (double)differ);
    cJSON *prints = cJSON_AddObjectToObject(one, "fingerprints");
    for (int i = 0; i < LIBRARY_INPUTS; i++)
        if (*row->prints[side][i])
            cJSON_AddStringToObject(prints, library_inputs_names[i], row->prints[side][i]);
    for (int i = 0; i < SIDE_QUESTIONS; i++)
        if (row->cut[side][i])
            cJSON_AddItemToArray(items_of(one, "asked_no_further"),
                                 cJSON_CreateString(question_rows[i].name));
    add_events(one, row, &row->outcome.events[side]);
}

static void add_unanswered(cJSON *object, const struct explain_row *row) {
    struct integer_place place;
    cJSON_AddNumberToObject(object, "unanswered", (double)row->outcome.unanswered);
    if (row->ran && (operation_integer_place(row->computed.operation, &place) ||
                     open_inputs_of(&row->computed).any))
        cJSON_AddNumberToObject(object, "not_called", (double)row->outcome.not_called);
}

/* What was found out, or that nothing was: then the blocks that differ, or the two fingerprints, have
 * no cause. */
static void add_outcome(cJSON *object, const struct explain_row *row) {
    const struct explain_outcome *outcome = &row->outcome;
    const bool blocks = row->ran ? outcome->of_blocks : row->blocks > 0;
    const uint64_t tested = row->ran ? outcome->tested : row->blocks ? row->blocks : 1;
    const uint64_t differ = row->ran      ? outcome->differ
                            : row->blocks ? row->blocks_differ
                                          : !row->equal;
    cJSON_AddStringToObject(object, "unit", blocks ? "block" : row->ran ? "input" : "fingerprint");
    cJSON_AddNumberToObject(object, "tested", (double)tested);
    add_unanswered(object, row);
    cJSON_AddNumberToObject(object, "differ", (double)differ);
    if (outcome->judged == outcome->differ && outcome->differ) {
        cJSON_AddNumberToObject(object, "a_correctly_rounded", (double)outcome->right[0]);
        cJSON_AddNumberToObject(object, "b_correctly_rounded", (double)outcome->right[1]);
    }
    cJSON_AddNumberToObject(object, "unexplained",
                            (double)(row->ran ? outcome->unexplained : differ));
    if (outcome->has_first)
        add_difference(object, "first", row, &outcome->first);
    if (outcome->has_unexplained)
        add_difference(object, "first_unexplained", row, &outcome->first_unexplained);
    cJSON *list = cJSON_AddArrayToObject(object, "explanations");
    for (size_t i = 0; i < outcome->count; i++)
        add_explanation(list, row, &outcome->explanations[i]);
}

static void add_folded_side(cJSON *object, const struct explain_row *row, int number) {
    const struct folded_side *side = &row->folded->sides[number];
    const struct format *out = request_result_format(&row->computed);
    const struct sweep_request sweep = {.computed = row->computed};
    cJSON *one = cJSON_AddObjectToObject(object, number ? "b" : "a");
    cJSON_AddNumberToObject(one, "incorrectly_rounded", (double)side->wrong);
    if (!side->has_worst) {
        cJSON_AddNullToObject(one, "max_ulp");
        return;
    }
    cJSON *worst = cJSON_AddObjectToObject(one, "max_ulp");
    report_add_error(worst, "error", side->error);
    wire_add_input(worst, &sweep, side->input);
    wire_add_bits(worst, "got", out, side->got);
    wire_add_bits(worst, "want", out, side->want);
}

/* What a compiler folded, and each input for which that is another number than the call gives. */
static void add_folded(cJSON *explanation, const struct explain_row *row) {
    const struct folded *folded = row->folded;
    const struct format *out = request_result_format(&row->computed);
    const struct sweep_request sweep = {.computed = row->computed};
    cJSON *object = cJSON_AddObjectToObject(explanation, "folded");
    cJSON_AddStringToObject(object, "command", folded->command);
    cJSON_AddNumberToObject(object, "calls", (double)folded->calls);
    cJSON_AddNumberToObject(object, "folded", (double)folded->folded);
    add_folded_side(object, row, 0);
    add_folded_side(object, row, 1);
    cJSON *list = cJSON_AddArrayToObject(object, "differences");
    for (size_t i = 0; i < folded->count; i++) {
        const struct folded_difference *one = &folded->differences[i];
        cJSON *entry = json_append(list);
        wire_add_input(entry, &sweep, one->at.in);
        wire_add_bits(entry, "a", out, one->at.sides[0]);
        wire_add_bits(entry, "b", out, one->at.sides[1]);
        wire_add_bits(entry, "want", out, one->want);
    }
}

static void add_implementation(cJSON *array, const struct explain_row *row) {
    const int side = row->alone ? 0 : 1;
    const char *print = row->totals[side];
    cJSON *object = json_append(array);
    cJSON_AddStringToObject(object, "name", row->sides[side]);
    cJSON_AddStringToObject(object, "detail", row->details[side]);
    cJSON_AddTrueToObject(object, "provided");
    cJSON_AddNumberToObject(
        object, "tested", (double)(row->count - row->outcome.unanswered - row->outcome.not_called));
    cJSON *explanation = cJSON_AddObjectToObject(object, "explanation");
    add_side(explanation, "a", row, 0);
    if (!row->alone) {
        add_side(explanation, "b", row, 1);
        cJSON_AddBoolToObject(explanation, "equal", row->equal);
        if (row->blocks) {
            cJSON_AddNumberToObject(explanation, "blocks", (double)row->blocks);
            cJSON_AddNumberToObject(explanation, "blocks_differ", (double)row->blocks_differ);
        }
        if (*row->why)
            cJSON_AddStringToObject(explanation, "note", row->why);
        add_outcome(explanation, row);
        if (row->folded)
            add_folded(explanation, row);
    } else if (row->ran)
        add_unanswered(explanation, row);
    if (*print)
        cJSON_AddStringToObject(object, "fingerprint", print);
    else
        cJSON_AddNullToObject(object, "fingerprint");
}

/* Inputs that are not known here have a digest or a description. */
static void add_inputs(cJSON *object, const struct explain_row *row) {
    if (row->recorded_inputs) {
        char *text = cJSON_PrintUnformatted(row->recorded_inputs); /* whose names it shares */
        if (text)
            cJSON_AddRawToObject(object, "inputs", text);
        cJSON_free(text);
    } else if (row->domain) {
        const struct sweep_request sweep = {.computed = row->computed, .domain = row->domain};
        report_add_inputs(object, &sweep, row->domain->count);
    } else {
        cJSON *inputs = cJSON_AddObjectToObject(object, "inputs");
        cJSON_AddStringToObject(inputs, "kind", "recorded");
        cJSON_AddStringToObject(inputs, "description", row->inputs);
        cJSON_AddNumberToObject(inputs, "count", (double)row->count);
    }
}

void explain_add(struct report *report, const struct explain_row *row) {
    cJSON *object = json_append(report->results);
    cJSON_AddStringToObject(object, "operation", row->operation);
    cJSON_AddStringToObject(object, "format", row->format);
    cJSON_AddStringToObject(object, "rounding", row->rounding);
    cJSON *parameters = cJSON_AddObjectToObject(object, "parameters");
    cJSON_AddFalseToObject(parameters, "strict_nan");
    if (row->computed.operation)
        report_add_parameters(parameters, &row->computed.parameters);
    cJSON_AddTrueToObject(parameters, "explanation");
    if (!row->alone)
        cJSON_AddStringToObject(parameters, "against", row->sides[0]);
    add_inputs(object, row);
    add_implementation(cJSON_AddArrayToObject(object, "implementations"), row);
    cJSON_AddArrayToObject(object, "differences");
    report->inputs += row->ran ? row->count : 0;
}
