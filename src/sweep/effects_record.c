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
static void write_set(cJSON *object, const struct record_member *member, const void *data,
                      const void *parent, const struct record_wire *wire) {
    char text[EFFECTS_TEXT];
    const uint8_t *set = (const uint8_t *)data + member->offset;
    (void)parent, (void)wire;
    record_put(object, member->name,
               cJSON_CreateString(effects_text(effects_of_part(*set, part_of(member)), text)));
}

static void read_set(struct json_reader *reader, const cJSON *object,
                     const struct record_member *member, void *data,
                     const struct record_wire *wire) {
    uint8_t *set = (uint8_t *)data + member->offset;
    bool known = effects_parse(json_string(reader, object, member->name), set) &&
                 effects_of_part(*set, part_of(member)) == *set;
    if (!known && wire->strict)
        json_fail(reader, member->name, "should be names of effects, or none");
}

static cJSON *schema_of_set(const struct record_member *member) {
    (void)member;
    return cJSON_Parse("{\"type\": \"string\", \"minLength\": 1}");
}

static const struct record_kind effect_set = {write_set, read_set, NULL, schema_of_set, NULL, NULL};

/* The codes of all results: one as a string, several as an array. */
static void write_codes(cJSON *object, const struct record_member *member, const void *data,
                        const void *parent, const struct record_wire *wire) {
    const uint64_t *codes = (const void *)((const char *)data + member->offset);
    (void)parent;
    if (wire->widths.results == 1) {
        record_put(object, member->name, record_code_item(codes[0], wire->widths.digits));
        return;
    }
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < wire->widths.results; i++)
        cJSON_AddItemToArray(list, record_code_item(codes[i], wire->widths.digits));
    record_put(object, member->name, list);
}

static void read_codes(struct json_reader *reader, const cJSON *object,
                       const struct record_member *member, void *data,
                       const struct record_wire *wire) {
    uint64_t *codes = (void *)((char *)data + member->offset);
    const cJSON *item = json_get(object, member->name);
    int results = cJSON_IsArray(item) ? cJSON_GetArraySize(item) : 1, digits = 0;
    bool good = results <= MAX_RESULTS && (!wire->kept || results == wire->widths.results);
    for (int i = 0; good && i < results; i++)
        good = record_code_of(cJSON_IsArray(item) ? cJSON_GetArrayItem(item, i) : item, &codes[i],
                              &digits) &&
               (!wire->is_code || wire->is_code(wire, codes[i]));
    if (wire->found && good) {
        wire->found->digits = digits;
        wire->found->results = results;
    }
    if (!good && wire->strict)
        json_fail(reader, member->name, "should be a code, or one for each result");
}

static cJSON *schema_of_codes(const struct record_member *member) {
    (void)member;
    return cJSON_Parse("{\"anyOf\": [{\"$ref\": \"#/definitions/bits\"}, {\"type\": \"array\","
                       "\"items\": {\"$ref\": \"#/definitions/bits\"}}]}");
}

static const struct record_kind codes_kind = {write_codes,     read_codes, NULL,
                                              schema_of_codes, NULL,       NULL};

#define SEEN(MEMBER) offsetof(struct effect_sighting, MEMBER)
static void check_call(struct json_reader *reader, void *data, const void *parent,
                       const struct record_wire *wire) {
    const struct effect_sighting *call = data;
    (void)parent;
    check_place(reader, wire, call->index, call->input);
}

#define CALL_MEMBERS(PART)                                                                         \
    {                                                                                              \
        WITNESS_PLACE(SEEN(index)),                                                                \
            {"input", &record_input, SEEN(input), .check = check_call, .says = "The input."},      \
            {"got", &codes_kind, SEEN(got), .says = "The output; of several results an array."},   \
            {"seen", &effect_set, SEEN(seen), &parts[PART], .says = "What the call did."},         \
            {"required", &effect_set, SEEN(rule.required), &parts[PART],                           \
             .says = "What it has to do."},                                                        \
            {"permitted", &effect_set, SEEN(rule.permitted), &parts[PART],                         \
             .says = "What it may do."},                                                           \
        {                                                                                          \
            "binades", &record_count, SEEN(away),                                                  \
                .says =                                                                            \
                    "By how many binades the output lies from where the effect would be right."    \
        }                                                                                          \
    }
static const struct record_member flag_members[] = CALL_MEMBERS(EFFECT_FLAGS);
static const struct record_member errno_members[] = CALL_MEMBERS(EFFECT_ERRNO);
static const struct record call_records[EFFECT_PARTS] = {
    {"call", flag_members, ROWS(flag_members), sizeof(struct effect_sighting), RECORD_ALL},
    {"call", errno_members, ROWS(errno_members), sizeof(struct effect_sighting), RECORD_ALL}};

/* Faults by kind and by effect. */
static void write_call(cJSON *row, const char *name, const struct effect_sighting *call,
                       enum effect_part part, const struct record_wire *wire) {
    cJSON *item = cJSON_AddObjectToObject(row, name);
    record_write(item, &call_records[part], call, NULL, wire);
}

static void write_faults(cJSON *object, const struct record_member *member, const void *data,
                         const void *parent, const struct record_wire *wire) {
    const struct effect_tally *tally = data;
    enum effect_part part = part_of(member);
    cJSON *faults = cJSON_CreateArray();
    (void)parent;
    for (int fault = 0; fault < EFFECT_FAULTS; fault++)
        for (int effect = 0; effect < EFFECTS; effect++) {
            const struct effect_count *count = &tally->counts[fault][effect];
            if (!count->count || effect_part_of(effect) != part)
                continue;
            cJSON *row = json_append(faults);
            cJSON_AddStringToObject(row, "fault", effect_fault_names[fault]);
            cJSON_AddStringToObject(row, effect_item_names[part], effect_name(effect));
            cJSON_AddNumberToObject(row, "count", (double)count->count);
            write_call(row, "first", &count->first, part, wire);
            write_call(row, "worst", &count->worst, part, wire);
        }
    record_put(object, member->name, faults);
}

static void read_call(struct json_reader *reader, const cJSON *row, const char *name,
                      struct effect_sighting *call, enum effect_part part,
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
            json_fail(reader, "fault", "is none that is known here");
        return;
    }
    struct effect_count *count = &tally->counts[fault][effect];
    if (wire->strict && (count->count || !number || number > tally->calls))
        json_fail(reader, "count", "is more than calls, or 0, or stands twice");
    count->count += number;
    if (!wire->strict) /* only how many there are */
        return;
    read_call(reader, row, "first", &count->first, part, wire);
    read_call(reader, row, "worst", &count->worst, part, wire);
}

static void read_faults(struct json_reader *reader, const cJSON *object,
                        const struct record_member *member, void *data,
                        const struct record_wire *wire) {
    const cJSON *row, *faults = json_array(reader, object, member->name);
    int number = 0;
    cJSON_ArrayForEach(row, faults) {
        size_t mark = json_enter(reader, member->name, number++);
        read_fault(reader, row, data, part_of(member), wire);
        json_leave(reader, mark);
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

static const struct record_kind faults_kind = {write_faults,     read_faults, NULL,
                                               schema_of_faults, NULL,        NULL};

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
    { "faults", &faults_kind, 0, &parts[PART], .says = "What was wrong: a row for each fault." }
static const struct record_member of_flags[] = {CALLS, FAULTY(EFFECT_FLAGS), FAULTS(EFFECT_FLAGS)};
static const struct record_member of_errno[] = {CALLS, FAULTY(EFFECT_ERRNO), FAULTS(EFFECT_ERRNO)};
const struct record effect_records[EFFECT_PARTS] = {
    {"flags", of_flags, ROWS(of_flags), sizeof(struct effect_tally), RECORD_ALL},
    {"errno", of_errno, ROWS(of_errno), sizeof(struct effect_tally), RECORD_ALL}};
