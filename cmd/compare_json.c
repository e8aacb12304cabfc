/* The rows of `detcheck compare` as objects of its document. */
#include "compare_output.h"
#include "json_codes.h"

#include "base/json_output.h"
#include "base/json_tree.h"
#include "report/text.h"
#include "sweep/open_inputs.h"

static bool add_measure(void *array, const struct measure *measure,
                        const struct measure_difference *difference) {
    cJSON *one = json_append(array);
    cJSON_AddStringToObject(one, "measure", measure->name);
    if (*difference->where) {
        cJSON_AddStringToObject(one, "where", difference->where);
        cJSON_AddNumberToObject(one, "parts", (double)difference->differ);
    }
    cJSON_AddNumberToObject(one, "a", difference->was);
    cJSON_AddNumberToObject(one, "b", difference->is);
    return true;
}

/* Of the two, what they did besides answering; without the object where it is nothing. */
static void add_events(cJSON *object, const struct compare_row *row) {
    static const char *const names[] = {"a_events", "b_events"};
    for (int side = 0; side < 2; side++) {
        const struct differ_events *events = &row->outcome.events[side];
        if (!events->all)
            continue;
        cJSON *row_object = cJSON_AddObjectToObject(object, names[side]);
        for (int i = 0; i < EVENT_KINDS; i++)
            if (events->counts[i])
                cJSON_AddNumberToObject(row_object, event_names[i], (double)events->counts[i]);
        json_add_codes(row_object, "first", row->computed.format, events->in,
                       row->computed.operation->operands);
    }
}

static void add_inputs(cJSON *object, const struct compare_row *row) {
    const struct differ_outcome *outcome = &row->outcome;
    const struct format *format = request_result_format(&row->computed);
    cJSON_AddNumberToObject(object, "tested", (double)outcome->tested);
    cJSON_AddNumberToObject(object, "differ", (double)outcome->differ);
    cJSON_AddNumberToObject(object, "nan_bits_differ", (double)outcome->nans);
    cJSON_AddNumberToObject(object, "unanswered", (double)outcome->unanswered);
    if (open_inputs_of(&row->computed).any)
        cJSON_AddNumberToObject(object, "not_called", (double)outcome->open);
    add_events(object, row);
    cJSON *first = cJSON_AddArrayToObject(object, "first");
    for (size_t i = 0; i < outcome->first_count; i++) {
        cJSON *witness = json_append(first);
        json_add_codes(witness, "in", row->computed.format, outcome->first[i].in,
                       row->computed.operation->operands);
        json_add_codes(witness, "a", format, outcome->first[i].a, row->computed.operation->results);
        json_add_codes(witness, "b", format, outcome->first[i].b, row->computed.operation->results);
    }
    cJSON *binades = cJSON_AddArrayToObject(object, "by_binade");
    for (int i = 0; i < DIFFER_BINADES; i++)
        if (outcome->binades[i].tested) {
            cJSON *binade = json_append(binades);
            cJSON_AddNumberToObject(binade, "exponent", outcome->lowest_exponent + i);
            cJSON_AddNumberToObject(binade, "tested", (double)outcome->binades[i].tested);
            cJSON_AddNumberToObject(binade, "differ", (double)outcome->binades[i].differ);
        }
}

static void add_effects(cJSON *object, const struct compare_row *row) {
    const struct effect_counts *sides = row->effects;
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++) {
        if (!sides[0].asked[part] && !sides[1].asked[part])
            continue;
        cJSON *member = cJSON_AddObjectToObject(object, effect_part_names[part]);
        cJSON_AddBoolToObject(member, "a_told", sides[0].reported[part]);
        cJSON_AddBoolToObject(member, "b_told", sides[1].reported[part]);
        cJSON *list = cJSON_AddArrayToObject(member, "differ");
        for (int i = 0; i < (int)EFFECT_FAULTS * EFFECTS && compare_effects_differ(row, part);
             i++) {
            int fault = i / EFFECTS, effect = i % EFFECTS;
            const uint64_t a = sides[0].counts[fault][effect], b = sides[1].counts[fault][effect];
            if (effect_part_of(effect) != part || a == b)
                continue;
            cJSON *one = json_append(list);
            cJSON_AddStringToObject(one, "fault", effect_fault_names[fault]);
            cJSON_AddStringToObject(one, effect_item_names[part], effect_name(effect));
            cJSON_AddNumberToObject(one, "a", (double)a);
            cJSON_AddNumberToObject(one, "b", (double)b);
        }
    }
}

/* What each report has of the properties of which they tell other things. */
static void add_invariance(cJSON *object, const struct compare_row *row) {
    const struct property_record *sides[2];
    const char *name;
    if (!row->invariance[0])
        return;
    cJSON *list = cJSON_AddArrayToObject(object, "invariance");
    for (size_t at = 0; compare_next_property(row, &at, &name, sides);) {
        cJSON *one = json_append(list);
        cJSON_AddStringToObject(one, "property", name);
        for (int side = 0; side < 2; side++)
            cJSON_AddItemToObject(one, side ? "b" : "a",
                                  sides[side] ? json_copy(sides[side]->json) : cJSON_CreateNull());
    }
    cJSON_AddNumberToObject(object, "a_event_count", (double)row->invariance[0]->events);
    cJSON_AddNumberToObject(object, "b_event_count", (double)row->invariance[1]->events);
}

static void add_implementation(cJSON *object, const char *side, const char *name,
                               const char *detail) {
    char text[2 * SECTION_TEXT + 2];
    snprintf(text, sizeof text, "%s  %s", name, detail);
    cJSON_AddStringToObject(object, side, text);
}

static void add_libraries(cJSON *object, const char *name, const struct library_names *names) {
    cJSON *array = names->count ? cJSON_AddArrayToObject(object, name) : NULL;
    for (size_t i = 0; i < names->count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(names->names[i]));
}

cJSON *compare_row_json(const struct compare_row *row) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "operation", row->operation);
    cJSON_AddStringToObject(object, "format", row->format);
    cJSON_AddStringToObject(object, "rounding", row->rounding);
    cJSON_AddStringToObject(object, "parameters", row->parameters);
    add_implementation(object, "a", row->a, row->a_detail);
    add_implementation(object, "b", row->b, row->b_detail);
    for (int side = 0; side < 2; side++)
        if (row->built[side] && *row->built[side])
            cJSON_AddStringToObject(object, side ? "b_build" : "a_build", row->built[side]);
    add_libraries(object, "a_libraries", &row->libraries[0]);
    add_libraries(object, "b_libraries", &row->libraries[1]);
    cJSON_AddBoolToObject(object, "equal", row->equal);
    if (row->inputs)
        cJSON_AddNumberToObject(object, "inputs", (double)row->inputs);
    if (row->of)
        cJSON_AddNumberToObject(object, "of", (double)row->of);
    for (int side = 0; side < 2; side++) {
        if (row->hosts[side])
            cJSON_AddStringToObject(object, side ? "b_host" : "a_host", row->hosts[side]);
        if (row->variants[side])
            cJSON_AddStringToObject(object, side ? "b_variant" : "a_variant", row->variants[side]);
    }
    const char *next = row->equal ? "" : compare_next(row, (char[NEXT_TEXT]){0});
    if (*next)
        cJSON_AddStringToObject(object, "next", next);
    if (row->blocks) {
        cJSON_AddNumberToObject(object, "blocks", (double)row->blocks);
        cJSON_AddNumberToObject(object, "blocks_differ", (double)row->blocks_differ);
        if (!row->equal)
            cJSON_AddNumberToObject(object, "first_block", (double)row->first_block);
    }
    add_effects(object, row);
    if (row->judged[0])
        compare_measures(row, add_measure, cJSON_AddArrayToObject(object, "measures"));
    add_invariance(object, row);
    if (row->ran)
        add_inputs(object, row);
    else if (*row->why)
        cJSON_AddStringToObject(object, "inputs_unknown", row->why);
    return object;
}
