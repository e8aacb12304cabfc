/* The members "flags" and "errno", and their lines. */
#include "report/effects.h"

#include "report/document_wire.h"
#include "report/text.h"
#include "sweep/wire.h"

#include <string.h>

static bool is_asked(const struct sweep_request *request, enum effect_part part) {
    return part == EFFECT_FLAGS ? request->computed.flags : request->computed.errnos;
}

static bool is_reported(const struct implementation_outcome *outcome, enum effect_part part) {
    return part == EFFECT_FLAGS ? outcome->tells_flags : outcome->tells_errno;
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

static void add_part(cJSON *object, const struct implementation_outcome *outcome,
                     enum effect_part part, const struct record_wire *wire) {
    cJSON *member = cJSON_AddObjectToObject(object, effect_part_names[part]);
    cJSON_AddBoolToObject(member, "told", is_reported(outcome, part));
    if (!is_reported(outcome, part))
        return;
    cJSON_AddBoolToObject(member, "promised", !outcome->promises_no_flags || part == EFFECT_ERRNO);
    record_write(member, &effect_records[part], &outcome->effects, NULL, wire);
}

void report_add_effects(cJSON *object, const struct sweep_request *request,
                        const struct implementation_outcome *outcome, const struct format *format) {
    const struct sweep_wire wire = sweep_wire_of(request, 0, 0, format, false);
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++)
        if (is_asked(request, part))
            add_part(object, outcome, part, &wire.wire);
}

/* Reads a part, if the document has figures of it. */
static bool read_part(struct json_reader *reader, const cJSON *implementation,
                      enum effect_part part, struct effect_tally *tally,
                      const struct record_wire *wire) {
    const cJSON *member = json_get(implementation, effect_part_names[part]);
    if (!cJSON_IsTrue(json_get(member, "told")))
        return false;
    size_t mark = json_enter(reader, effect_part_names[part], -1);
    record_read(reader, member, &effect_records[part], tally, NULL, wire);
    json_leave(reader, mark);
    return true;
}

bool merge_effects(cJSON *into, const cJSON *shard, const struct shape_list *shapes,
                   struct error *error) {
    struct json_reader reader = {.file = cJSON_GetStringValue(json_get(into, "name")),
                                 .error = error};
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++) {
        struct effect_tally mine = {0}, theirs = {0};
        struct document_wire wire;
        document_wire_open(&wire, shapes);
        if (read_part(&reader, into, part, &mine, &wire.wire) &&
            read_part(&reader, shard, part, &theirs, &wire.wire) && !reader.failed) {
            effect_tally_merge(&mine, &theirs);
            record_write(json_get(into, effect_part_names[part]), &effect_records[part], &mine,
                         NULL, &wire.wire);
        }
        document_wire_close(&wire);
    }
    return !reader.failed;
}

void effects_read(struct json_reader *reader, const cJSON *implementation,
                  struct effect_counts *counts) {
    const struct record_wire wire = {0};
    struct effect_tally tally = {0};
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++) {
        const cJSON *member = json_get(implementation, effect_part_names[part]);
        counts->asked[part] = member && !cJSON_IsNull(member);
        if (counts->asked[part]) {
            json_bool(reader, member, "told");
            counts->reported[part] = read_part(reader, implementation, part, &tally, &wire);
        }
    }
    for (int fault = 0; fault < EFFECT_FAULTS; fault++)
        for (int effect = 0; effect < EFFECTS; effect++)
            counts->counts[fault][effect] = tally.counts[fault][effect].count;
}

uint64_t effects_faults(const struct effect_counts *counts, enum effect_part part,
                        enum effect_fault fault) {
    uint64_t sum = 0;
    for (int effect = 0; effect < EFFECTS; effect++)
        sum += effect_part_of(effect) == part ? counts->counts[fault][effect] : 0;
    return sum;
}

static const char *const headings[EFFECT_PARTS] = {"exception flags", "errno"};

static void print_witness(FILE *stream, const struct sweep_request *request, const char *label,
                          const struct effect_witness *witness, enum effect_part part) {
    char seen[EFFECTS_TEXT], required[EFFECTS_TEXT];
    fprintf(stream, "                   %s   ", label);
    text_print_input(stream, request, witness->input);
    fprintf(stream, "\n                         seen %s; required %s\n",
            effects_text(effects_of_part(witness->seen, part), seen),
            effects_text(effects_of_part(witness->rule.required, part), required));
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
    if (!is_reported(outcome, part)) {
        fprintf(stream, "  %-22s not reported: it cannot report what its calls do\n",
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
            print_witness(stream, request, "first", &one->first, part);
            if (one->worst.index != one->first.index)
                print_witness(stream, request, "worst", &one->worst, part);
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
        if (is_asked(request, part) && !is_reported(outcome, part))
            fprintf(stream, "%14s%s: not reported\n", "", headings[part]);
    for (int fault = 0; fault < EFFECT_FAULTS; fault++)
        for (int effect = 0; effect < EFFECTS; effect++) {
            uint64_t faults = outcome->effects.counts[fault][effect].count;
            name_fault(fault, effect, name);
            if (faults)
                fprintf(stream, "%14s%s%s: %s%s\n", "", colour ? TEXT_BAD : "", name,
                        text_grouped(faults, count), colour ? TEXT_PLAIN : "");
        }
}
