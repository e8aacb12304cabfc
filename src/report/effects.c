/* The members "flags" and "errno", and their lines. */
#include "report/effects.h"

#include "base/json_tree.h"
#include "format/text.h"
#include "report/items.h"
#include "report/text.h"

#include <string.h>

const char *const effect_part_names[EFFECT_PARTS] = {"flags", "errno"};
const char *const effect_item_names[EFFECT_PARTS] = {"flag", "errno"};

static bool is_asked(const struct sweep_request *request, enum effect_part part) {
    return part == EFFECT_FLAGS ? request->computed.flags : request->computed.errnos;
}

static bool is_told(const struct implementation_outcome *outcome, enum effect_part part) {
    return part == EFFECT_FLAGS ? outcome->tells_flags : outcome->tells_errno;
}

/* The effects of a set that belong to the part. */
static uint8_t of_part(uint8_t effects, enum effect_part part) {
    const uint8_t flags = (1 << FLAGS) - 1;
    return part == EFFECT_FLAGS ? effects & flags : effects & (uint8_t)~flags;
}

void report_add_flag_rules(cJSON *parameters, const struct sweep_request *request) {
    const struct binding_request *computed = &request->computed;
    if (computed->flags)
        cJSON_AddTrueToObject(parameters, "flags");
    if (computed->errnos)
        cJSON_AddTrueToObject(parameters, "errno");
    if (computed->flags && request->inexact)
        cJSON_AddTrueToObject(parameters, "inexact");
    if (computed->flags && request->may_clear)
        cJSON_AddTrueToObject(parameters, "may_clear");
    if (computed->flags)
        cJSON_AddStringToObject(parameters, "tininess",
                                computed->tiny_after_rounding ? "after" : "before");
}

static void add_codes(cJSON *object, const struct sweep_request *request, const uint64_t *codes) {
    const struct format *format = request_result_format(&request->computed);
    char text[NUMBER_TEXT];
    int results = request->computed.operation->results;
    cJSON *list = results > 1 ? cJSON_AddArrayToObject(object, "got") : NULL;
    for (int i = 0; i < results && list; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(format_bits_text(format, codes[i], text)));
    if (!list)
        report_add_bits(object, "got", format, codes[0]);
}

static void add_sighting(cJSON *object, const char *name, const struct sweep_request *request,
                         const struct effect_sighting *sighting, enum effect_part part) {
    char text[EFFECTS_TEXT];
    cJSON *row = cJSON_AddObjectToObject(object, name);
    report_add_input(row, request, sighting->input);
    add_codes(row, request, sighting->got);
    cJSON_AddStringToObject(row, "seen", effects_text(of_part(sighting->seen, part), text));
    cJSON_AddStringToObject(row, "required",
                            effects_text(of_part(sighting->rule.required, part), text));
    cJSON_AddStringToObject(row, "permitted",
                            effects_text(of_part(sighting->rule.permitted, part), text));
    cJSON_AddNumberToObject(row, "binades", sighting->away);
}

static void add_part(cJSON *object, const struct sweep_request *request,
                     const struct implementation_outcome *outcome, enum effect_part part) {
    const struct effect_tally *tally = &outcome->effects;
    cJSON *member = cJSON_AddObjectToObject(object, effect_part_names[part]);
    cJSON_AddBoolToObject(member, "told", is_told(outcome, part));
    if (!is_told(outcome, part))
        return;
    cJSON_AddBoolToObject(member, "promised", !outcome->promises_no_flags || part == EFFECT_ERRNO);
    cJSON_AddNumberToObject(member, "calls", (double)tally->calls);
    cJSON_AddNumberToObject(member, "faulty", (double)tally->faulty[part]);
    cJSON *faults = cJSON_AddArrayToObject(member, "faults");
    for (int fault = 0; fault < EFFECT_FAULTS; fault++)
        for (int effect = 0; effect < EFFECTS; effect++) {
            const struct effect_count *count = &tally->counts[fault][effect];
            if (!count->count || effect_part_of(effect) != part)
                continue;
            cJSON *row = cJSON_CreateObject();
            cJSON_AddItemToArray(faults, row);
            cJSON_AddStringToObject(row, "fault", effect_fault_names[fault]);
            cJSON_AddStringToObject(row, effect_item_names[part], effect_name(effect));
            cJSON_AddNumberToObject(row, "count", (double)count->count);
            add_sighting(row, "first", request, &count->first, part);
            add_sighting(row, "worst", request, &count->worst, part);
        }
}

void report_add_effects(cJSON *object, const struct sweep_request *request,
                        const struct implementation_outcome *outcome) {
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++)
        if (is_asked(request, part))
            add_part(object, request, outcome, part);
}

static cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* The place of a fault in the order of a list, by its names. */
static int order_of(const cJSON *row, enum effect_part part) {
    const cJSON *fault = get(row, "fault"), *item = get(row, effect_item_names[part]);
    int place = 0, which = 0;
    while (place < EFFECT_FAULTS && cJSON_IsString(fault) &&
           strcmp(fault->valuestring, effect_fault_names[place]) != 0)
        place++;
    while (which < EFFECTS && cJSON_IsString(item) &&
           strcmp(item->valuestring, effect_name(which)) != 0)
        which++;
    return place * EFFECTS + which;
}

static void take_if(cJSON *row, const char *name, const cJSON *other, bool better) {
    if (better)
        cJSON_ReplaceItemInObjectCaseSensitive(row, name, json_copy(get(other, name)));
}

static double number(const cJSON *object, const char *name) {
    const cJSON *found = get(object, name);
    return cJSON_IsNumber(found) ? found->valuedouble : 0;
}

static void add_to(cJSON *object, const cJSON *shard, const char *name) {
    cJSON *found = get(object, name);
    if (cJSON_IsNumber(found))
        cJSON_SetNumberValue(found, found->valuedouble + number(shard, name));
}

static void join(cJSON *row, const cJSON *other) {
    const cJSON *mine = get(row, "worst"), *worst = get(other, "worst");
    double x = number(mine, "binades"), y = number(worst, "binades");
    bool equal = !(x < y) && !(x > y);
    take_if(row, "first", other,
            report_compare_inputs(NULL, get(other, "first"), get(row, "first")) < 0);
    take_if(row, "worst", other, y > x || (equal && report_compare_inputs(NULL, worst, mine) < 0));
    add_to(row, other, "count");
}

static void merge_faults(cJSON *list, const cJSON *shard, enum effect_part part) {
    const cJSON *other;
    cJSON_ArrayForEach(other, shard) {
        int order = order_of(other, part), at = 0;
        cJSON *row = list->child, *merged = cJSON_CreateArray();
        while (row && order_of(row, part) < order)
            row = row->next;
        if (row && order_of(row, part) == order)
            join(row, other);
        else { /* built anew, since cJSON_InsertItemInArray of cJSON 1.7.15 loses items */
            while (list->child && order_of(list->child, part) < order)
                cJSON_AddItemToArray(merged, cJSON_DetachItemFromArray(list, at));
            cJSON_AddItemToArray(merged, json_copy(other));
            while (list->child)
                cJSON_AddItemToArray(merged, cJSON_DetachItemFromArray(list, at));
            list->child = merged->child;
            merged->child = NULL;
        }
        cJSON_Delete(merged);
    }
}

void merge_effects(cJSON *into, const cJSON *shard) {
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++) {
        cJSON *mine = get(into, effect_part_names[part]);
        const cJSON *other = get(shard, effect_part_names[part]);
        if (!get(mine, "faults") || !get(other, "faults"))
            continue;
        add_to(mine, other, "calls");
        add_to(mine, other, "faulty");
        merge_faults(get(mine, "faults"), get(other, "faults"), part);
    }
}

struct effect_counts effects_read(const cJSON *implementation) {
    struct effect_counts counts = {0};
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++) {
        const cJSON *row, *member = get(implementation, effect_part_names[part]);
        counts.asked[part] = member;
        counts.told[part] = cJSON_IsTrue(get(member, "told"));
        cJSON_ArrayForEach(row, get(member, "faults")) {
            int order = order_of(row, part), fault = order / EFFECTS, effect = order % EFFECTS;
            if (fault < EFFECT_FAULTS && effect_part_of(effect) == part)
                counts.counts[fault][effect] += (uint64_t)number(row, "count");
        }
    }
    return counts;
}

static const char *const headings[EFFECT_PARTS] = {"exception flags", "errno"};

static void print_sighting(FILE *stream, const struct sweep_request *request, const char *label,
                           const struct effect_sighting *sighting, enum effect_part part) {
    char seen[EFFECTS_TEXT], required[EFFECTS_TEXT];
    fprintf(stream, "                   %s   ", label);
    text_print_input(stream, request, sighting->input);
    fprintf(stream, "\n                         seen %s; required %s\n",
            effects_text(of_part(sighting->seen, part), seen),
            effects_text(of_part(sighting->rule.required, part), required));
}

/* "overflow missing" */
static void name_fault(int fault, int effect, char text[64]) {
    snprintf(text, 64, "%s %s", effect_name(effect), effect_fault_names[fault]);
}

static void print_part(FILE *stream, const struct sweep_request *request,
                       const struct implementation_outcome *outcome, enum effect_part part,
                       bool colour) {
    const struct effect_tally *tally = &outcome->effects;
    const char *bad = colour && tally->faulty[part] ? TEXT_BAD : "";
    char count[32], calls[32], name[64];
    if (!is_told(outcome, part)) {
        fprintf(stream, "  %-22s not told: it cannot say what its calls do to them\n",
                headings[part]);
        return;
    }
    fprintf(stream, "  %-22s %s%s%s of %s calls at fault%s\n", headings[part], bad,
            text_grouped(tally->faulty[part], count), *bad ? TEXT_PLAIN : "",
            text_grouped(tally->calls, calls),
            part == EFFECT_FLAGS && outcome->promises_no_flags
                ? ", judged by its promise: it clears none"
                : "");
    for (int fault = 0; fault < EFFECT_FAULTS; fault++)
        for (int effect = 0; effect < EFFECTS; effect++) {
            const struct effect_count *one = &tally->counts[fault][effect];
            if (!one->count || effect_part_of(effect) != part)
                continue;
            name_fault(fault, effect, name);
            fprintf(stream, "  %-22s %s\n", name, text_grouped(one->count, count));
            print_sighting(stream, request, "first", &one->first, part);
            if (one->worst.index != one->first.index)
                print_sighting(stream, request, "worst", &one->worst, part);
        }
}

void effects_print(FILE *stream, const struct sweep_request *request,
                   const struct implementation_outcome *outcome, bool colour) {
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++)
        if (is_asked(request, part))
            print_part(stream, request, outcome, part, colour);
}

void effects_print_counts(FILE *stream, const struct sweep_request *request,
                          const struct implementation_outcome *outcome, bool colour) {
    char count[32], name[64];
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++)
        if (is_asked(request, part) && !is_told(outcome, part))
            fprintf(stream, "%14s%s: not told\n", "", headings[part]);
    for (int fault = 0; fault < EFFECT_FAULTS; fault++)
        for (int effect = 0; effect < EFFECTS; effect++) {
            uint64_t faults = outcome->effects.counts[fault][effect].count;
            name_fault(fault, effect, name);
            if (faults)
                fprintf(stream, "%14s%s%s: %s%s\n", "", colour ? TEXT_BAD : "", name,
                        text_grouped(faults, count), colour ? TEXT_PLAIN : "");
        }
}
