/* What calls did to flags and to errno: a row a member, for each of the two. */
#include "sweep/effects_record.h"

#include "sweep/tally_record.h"

#include <string.h>

const char *const effect_part_names[EFFECT_PARTS] = {"flags", "errno"};
const char *const effect_item_names[EFFECT_PARTS] = {"flag", "errno"};

static const enum effect_part parts[EFFECT_PARTS] = {EFFECT_FLAGS, EFFECT_ERRNO};

static enum effect_part part_of(const struct record_member *member) {
    return *(const enum effect_part *)member->of;
}

uint8_t effects_of_part(uint8_t effects, enum effect_part part) {
    const uint8_t flags = (1 << FLAGS) - 1;
    return part == EFFECT_FLAGS ? effects & flags : effects & (uint8_t)~flags;
}

/* A set of effects, as their names. */
static void write_set(const struct record_out *out) {
    char text[EFFECTS_TEXT];
    const uint8_t *set = record_from(out);
    record_add(out,
               cJSON_CreateString(effects_text(effects_of_part(*set, part_of(out->member)), text)));
}

static void read_set(const struct record_in *in) {
    uint8_t *set = record_into(in);
    bool known = effects_parse(json_string(in->reader, in->object, in->member->name), set) &&
                 effects_of_part(*set, part_of(in->member)) == *set;
    if (!known && in->wire->strict)
        record_fail(in, "should be names of effects, or none");
}

static const struct record_kind effect_set = {write_set, read_set,
                                              .schema = "{\"type\": \"string\", \"minLength\": 1}"};

/* The codes of all results: one as a string, several as an array. */
static void write_codes(const struct record_out *out) {
    const uint64_t *codes = record_from(out);
    if (out->wire->widths.results == 1) {
        record_add(out, record_code_item(codes[0], out->wire->widths.digits));
        return;
    }
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < out->wire->widths.results; i++)
        cJSON_AddItemToArray(list, record_code_item(codes[i], out->wire->widths.digits));
    record_add(out, list);
}

static void read_codes(const struct record_in *in) {
    uint64_t *codes = record_into(in);
    const cJSON *item = record_item(in);
    int results = cJSON_IsArray(item) ? cJSON_GetArraySize(item) : 1, digits = 0;
    bool good =
        results <= MAX_RESULTS && (!in->wire->is_checkpoint || results == in->wire->widths.results);
    for (int i = 0; good && i < results; i++)
        good = record_code_of(cJSON_IsArray(item) ? cJSON_GetArrayItem(item, i) : item, &codes[i],
                              &digits) &&
               (!in->wire->is_code || in->wire->is_code(in->wire, codes[i]));
    if (in->wire->found && good) {
        in->wire->found->digits = digits;
        in->wire->found->results = results;
    }
    if (!good && in->wire->strict)
        record_fail(in, "should be a code, or one for each result");
}

static const struct record_kind codes_kind = {
    write_codes, read_codes,
    .schema = "{\"anyOf\": [{\"$ref\": \"#/definitions/bits\"}, {\"type\": \"array\","
              "\"items\": {\"$ref\": \"#/definitions/bits\"}}]}"};

#define SEEN(MEMBER) offsetof(struct effect_witness, MEMBER)
static void check_call(const struct record_in *in) {
    const struct effect_witness *call = in->data;
    check_place(in->reader, in->wire, call->index, call->input);
}

#define CALL_MEMBERS(PART)                                                                         \
    {                                                                                              \
        WITNESS_PLACE(SEEN(index)),                                                                \
            {"input", &record_input, SEEN(input), .check = check_call, .says = "The input."},      \
            {"got", &codes_kind, SEEN(got), .says = "The output; of several results an array."},   \
            {"seen", &effect_set, SEEN(seen), &parts[PART],                                        \
             .says = "The flags or values that the call set."},                                    \
            {"required", &effect_set, SEEN(rule.required), &parts[PART],                           \
             .says = "The flags or values that it has to set."},                                   \
            {"permitted", &effect_set, SEEN(rule.permitted), &parts[PART],                         \
             .says = "The flags or values that it may set."},                                      \
        {                                                                                          \
            "binades", &record_count, SEEN(away),                                                  \
                .says =                                                                            \
                    "By how many binades the output lies from where the effect would be right."    \
        }                                                                                          \
    }
static const struct record_member flag_members[] = CALL_MEMBERS(EFFECT_FLAGS);
static const struct record_member errno_members[] = CALL_MEMBERS(EFFECT_ERRNO);
static const struct record call_records[EFFECT_PARTS] = {
    {"call", flag_members, ROWS(flag_members), sizeof(struct effect_witness), RECORD_ALL},
    {"call", errno_members, ROWS(errno_members), sizeof(struct effect_witness), RECORD_ALL}};

/* Faults by kind and by effect. */
static void write_call(cJSON *row, const char *name, const struct effect_witness *call,
                       enum effect_part part, const struct record_wire *wire) {
    cJSON *item = cJSON_AddObjectToObject(row, name);
    record_write(item, &call_records[part], call, NULL, wire);
}

static void write_faults(const struct record_out *out) {
    const struct effect_tally *tally = out->data;
    enum effect_part part = part_of(out->member);
    cJSON *faults = cJSON_CreateArray();
    for (int fault = 0; fault < EFFECT_FAULTS; fault++)
        for (int effect = 0; effect < EFFECTS; effect++) {
            const struct effect_count *count = &tally->counts[fault][effect];
            if (!count->count || effect_part_of(effect) != part)
                continue;
            cJSON *row = json_append(faults);
            cJSON_AddStringToObject(row, "fault", effect_fault_names[fault]);
            cJSON_AddStringToObject(row, effect_item_names[part], effect_name(effect));
            cJSON_AddNumberToObject(row, "count", (double)count->count);
            write_call(row, "first", &count->first, part, out->wire);
            write_call(row, "worst", &count->worst, part, out->wire);
        }
    record_add(out, faults);
}

static void read_call(struct json_reader *reader, const cJSON *row, const char *name,
                      struct effect_witness *call, enum effect_part part,
                      const struct record_wire *wire) {
    const cJSON *item = json_object(reader, row, name);
    size_t mark = json_enter(reader, name, -1);
    record_read(reader, item, &call_records[part], call, NULL, wire);
    json_leave(reader, mark);
}

/* The fault and the effect that a row names; false where one of them is not known here. */
static bool find_fault(struct json_reader *reader, const cJSON *row, enum effect_part part,
                       int *fault, int *effect) {
    const char *name = json_string(reader, row, "fault");
    const char *item = json_string(reader, row, effect_item_names[part]);
    for (*fault = 0; *fault < EFFECT_FAULTS; ++*fault)
        if (strcmp(name, effect_fault_names[*fault]) == 0)
            break;
    for (*effect = 0; *effect < EFFECTS; ++*effect)
        if (strcmp(item, effect_name(*effect)) == 0)
            break;
    return *fault < EFFECT_FAULTS && *effect < EFFECTS && effect_part_of(*effect) == part;
}

static void read_fault(struct json_reader *reader, const cJSON *row, struct effect_tally *tally,
                       enum effect_part part, const struct record_wire *wire) {
    int fault, effect;
    uint64_t number = json_count(reader, row, "count");
    if (!find_fault(reader, row, part, &fault, &effect)) {
        if (wire->strict)
            json_fail(reader, "fault", "is not known to this version of detcheck");
        return;
    }
    struct effect_count *count = &tally->counts[fault][effect];
    if (wire->strict && (count->count || !number || number > tally->calls))
        json_fail(reader, "count", "is 0, is more than calls, or is given twice");
    count->count += number;
    if (!wire->strict) /* only how many there are */
        return;
    read_call(reader, row, "first", &count->first, part, wire);
    read_call(reader, row, "worst", &count->worst, part, wire);
}

static void read_faults(const struct record_in *in) {
    const cJSON *row, *faults = json_array(in->reader, in->object, in->member->name);
    int number = 0;
    cJSON_ArrayForEach(row, faults) {
        size_t mark = json_enter(in->reader, in->member->name, number++);
        read_fault(in->reader, row, in->data, part_of(in->member), in->wire);
        json_leave(in->reader, mark);
    }
}

static cJSON *schema_of_faults(const struct record_member *member) {
    enum effect_part part = part_of(member);
    cJSON *row =
        cJSON_Parse("{\"type\": \"object\", \"additionalProperties\": false, \"properties\":"
                    "{\"count\": {\"$ref\": \"#/definitions/count\"}}}");
    cJSON *properties = json_get(row, "properties");
    cJSON *array = cJSON_Parse("{\"type\": \"array\"}");
    static const char *const calls[] = {"first", "worst"};
    for (int i = 0; i < 2; i++)
        cJSON_AddItemToObject(properties, calls[i], record_schema(&call_records[part]));
    cJSON_AddItemToObject(array, "items", row);
    return array;
}

static const struct record_kind faults_kind = {write_faults, read_faults,
                                               .make_schema = schema_of_faults};

#define EFFECTS_AT(MEMBER) offsetof(struct effect_tally, MEMBER)
#define CALLS                                                                                      \
    {                                                                                              \
        "calls", &record_count, EFFECTS_AT(calls), .flags = RECORD_LENIENT,                        \
                                                   .says = "Calls that were judged."               \
    }
#define FAULTY(PART)                                                                               \
    {                                                                                              \
        "faulty", &record_count, EFFECTS_AT(faulty[PART]),                                         \
            .flags = RECORD_LENIENT, .part_of = {"calls", EFFECTS_AT(calls), false},               \
            .says = "Calls at fault."                                                              \
    }
#define FAULTS(PART)                                                                               \
    { "faults", &faults_kind, 0, &parts[PART], .says = "The faults, a row for each." }
static const struct record_member of_flags[] = {CALLS, FAULTY(EFFECT_FLAGS), FAULTS(EFFECT_FLAGS)};
static const struct record_member of_errno[] = {CALLS, FAULTY(EFFECT_ERRNO), FAULTS(EFFECT_ERRNO)};
const struct record effect_records[EFFECT_PARTS] = {
    {"flags", of_flags, ROWS(of_flags), sizeof(struct effect_tally), RECORD_ALL},
    {"errno", of_errno, ROWS(of_errno), sizeof(struct effect_tally), RECORD_ALL}};
