/* Each part by the rows of its records. */
#include "sweep/checkpoint/state_document.h"

#include "sweep/effects_record.h"
#include "sweep/tally_record.h"
#include "sweep/wire.h"

#include <stdlib.h>
#include <string.h>

#define HEAD(MEMBER) offsetof(struct state_head, MEMBER)
static const struct record_member head_members[] = {
    {"identity", &record_nested, HEAD(identity), .of = &identity_record},
    {"tasks", &record_count, .offset = HEAD(tasks)},
    {"task_digests", &record_count, .offset = HEAD(task_digests)},
    {"digest_count", &record_count, .offset = HEAD(digest_count)},
    {"output_count", &record_count, .offset = HEAD(outputs)},
    {"pair_count", &record_count, .offset = HEAD(pairs)},
    {"envelope", &record_count, .offset = HEAD(envelope)},
    {"finished", &record_count, .offset = HEAD(finished)},
    {"seconds", &record_error, .offset = HEAD(seconds)}};
static const struct record head_record = {"state", head_members, ROWS(head_members),
                                          sizeof(struct state_head), RECORD_ALL};

static struct sweep_wire wire_of(const struct sweep_view *view, size_t output) {
    int result = (int)(output % MAX_RESULTS);
    return sweep_wire_of(view->request, output / MAX_RESULTS, result, view->formats[result], true);
}

/* The digests of a task, and how many there are. */
static struct block_digest *digests_of(const struct sweep_view *view, size_t output, uint64_t task,
                                       uint64_t *count) {
    uint64_t first = task * view->task_digests, rest = view->digest_count - first;
    *count = rest < view->task_digests ? rest : view->task_digests;
    return view->digests + output * view->digest_count + first;
}

static bool add_digests(cJSON *object, const struct state_parts *parts, size_t output) {
    char *text = malloc((size_t)parts->view->digest_count * DIGEST_TEXT + 1), *end = text;
    if (!text)
        return false;
    for (uint64_t task = 0, count; task < parts->view->tasks; task++) {
        const struct block_digest *digests = digests_of(parts->view, output, task, &count);
        for (uint64_t i = 0; parts->done[task] && i < count; i++, end += DIGEST_TEXT)
            digest_write(&digests[i], end);
    }
    *end = '\0';
    cJSON_AddStringToObject(object, "digests", text);
    free(text);
    return true;
}

static void read_digests(struct json_reader *reader, const cJSON *object,
                         const struct state_parts *parts, size_t output) {
    const char *text = json_string(reader, object, "digests");
    size_t left = strlen(text);
    bool good = true;
    for (uint64_t task = 0, count; good && task < parts->view->tasks; task++) {
        struct block_digest *digests = digests_of(parts->view, output, task, &count);
        for (uint64_t i = 0; good && parts->done[task] && i < count; i++, text += DIGEST_TEXT) {
            good = left >= DIGEST_TEXT && digest_read(&digests[i], text);
            left -= good ? DIGEST_TEXT : 0;
        }
    }
    if (!good || left)
        json_fail(reader, "digests",
                  "should have 32 hexadecimal digits for each block that is done");
}

static bool add_done(cJSON *document, const struct state_parts *parts) {
    size_t tasks = (size_t)parts->view->tasks;
    char *text = malloc(tasks + 1);
    if (!text)
        return false;
    for (size_t i = 0; i < tasks; i++)
        text[i] = parts->done[i] ? '1' : '0';
    text[tasks] = '\0';
    cJSON_AddStringToObject(document, "done", text);
    free(text);
    return true;
}

static void read_done(struct json_reader *reader, const cJSON *document,
                      const struct state_parts *parts) {
    const char *text = json_string(reader, document, "done");
    size_t tasks = (size_t)parts->view->tasks;
    if (strlen(text) != tasks || strspn(text, parts->head->finished ? "1" : "01") != tasks) {
        json_fail(reader, "done", "should be 0 or 1 for each task, and 1 where all are done");
        return;
    }
    for (size_t i = 0; i < tasks; i++)
        parts->done[i] = text[i] == '1';
}

static cJSON *append_object(cJSON *array) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

static void add_counts(cJSON *document, const struct sweep_view *view,
                       const struct counted *counted) {
    int results = view->request->computed.operation->results;
    const struct sweep_wire first = wire_of(view, 0);
    cJSON *oracle = cJSON_AddArrayToObject(document, "oracle");
    for (int j = 0; j < results; j++)
        record_write(append_object(oracle), &oracle_record, &counted->oracle[j], NULL, &first.wire);
    cJSON *pairs = cJSON_AddArrayToObject(document, "pairs");
    for (size_t i = 0; i < view->workers[0].pair_count; i++)
        for (int j = 0; j < results; j++) {
            const struct sweep_wire wire = wire_of(view, (size_t)j);
            record_write(append_object(pairs), &difference_record, &counted->pairs[i].results[j],
                         NULL, &wire.wire);
        }
    cJSON *effects = cJSON_AddArrayToObject(document, "effects");
    for (size_t i = 0; view->workers[0].flags && i < view->request->implementation_count; i++) {
        cJSON *one = append_object(effects);
        for (enum effect_part part = 0; part < EFFECT_PARTS; part++)
            record_write(cJSON_AddObjectToObject(one, effect_part_names[part]),
                         &effect_records[part], &counted->effects[i], NULL, &first.wire);
    }
}

cJSON *state_to_document(const struct state_parts *parts, const struct counted *counted) {
    const struct sweep_view *view = parts->view;
    cJSON *document = cJSON_CreateObject();
    const struct sweep_wire first = wire_of(view, 0);
    record_write(document, &head_record, parts->head, NULL, &first.wire);
    bool room = add_done(document, parts);
    add_counts(document, view, counted);
    cJSON *outputs = cJSON_AddArrayToObject(document, "outputs");
    for (size_t i = 0; room && i < view->output_count; i++) {
        if (!view_has(view, i))
            continue;
        const struct sweep_wire wire = wire_of(view, i);
        cJSON *output = append_object(outputs);
        record_write(output, &tally_record, &counted->tallies[i], NULL, &wire.wire);
        if (parts->head->finished)
            cJSON_AddStringToObject(output, "fingerprint", parts->fingerprints[i]);
        else
            room = add_digests(output, parts, i);
    }
    if (room)
        return document;
    cJSON_Delete(document);
    return NULL;
}

void state_read_head(struct json_reader *reader, const cJSON *document, struct state_head *head) {
    const struct record_wire wire = {.kept = true, .strict = true};
    record_read(reader, document, &head_record, head, NULL, &wire);
}

/* The next item of an array, entered; where there is none, the reader fails. */
struct items {
    struct json_reader *reader;
    const cJSON *next;
    const char *name;
    int number;
    size_t mark;
};

static struct items items_of(struct json_reader *reader, const cJSON *document, const char *name) {
    const cJSON *array = json_array(reader, document, name);
    return (struct items){.reader = reader, .next = array ? array->child : NULL, .name = name};
}

static const cJSON *enter_next(struct items *items) {
    const cJSON *item = items->next;
    if (!item)
        json_fail(items->reader, items->name, "has too few");
    items->next = item ? item->next : NULL;
    items->mark = json_enter(items->reader, items->name, items->number++);
    return item;
}

static void leave(struct items *items) {
    json_leave(items->reader, items->mark);
}

static void end(const struct items *items) {
    if (items->next)
        json_fail(items->reader, items->name, "has too many");
}

static void read_effects(struct json_reader *reader, const cJSON *object,
                         struct effect_tally *tally, const struct record_wire *wire) {
    uint64_t calls = 0;
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++) {
        const cJSON *member = json_object(reader, object, effect_part_names[part]);
        size_t mark = json_enter(reader, effect_part_names[part], -1);
        record_read(reader, member, &effect_records[part], tally, NULL, wire);
        if (part && tally->calls != calls)
            json_fail(reader, "calls", "are not those of the flags");
        calls = tally->calls;
        json_leave(reader, mark);
    }
}

static void read_counts(struct json_reader *reader, const cJSON *document,
                        const struct sweep_view *view, struct counted *counted) {
    int results = view->request->computed.operation->results;
    const struct sweep_wire first = wire_of(view, 0);
    struct items oracle = items_of(reader, document, "oracle");
    for (int j = 0; j < results; j++, leave(&oracle))
        record_read(reader, enter_next(&oracle), &oracle_record, &counted->oracle[j], NULL,
                    &first.wire);
    end(&oracle);
    struct items pairs = items_of(reader, document, "pairs");
    for (size_t i = 0; i < view->workers[0].pair_count; i++)
        for (int j = 0; j < results; j++, leave(&pairs)) {
            const struct sweep_wire wire = wire_of(view, (size_t)j);
            record_read(reader, enter_next(&pairs), &difference_record,
                        &counted->pairs[i].results[j], NULL, &wire.wire);
        }
    end(&pairs);
    struct items effects = items_of(reader, document, "effects");
    for (size_t i = 0; view->workers[0].flags && i < view->request->implementation_count;
         i++, leave(&effects))
        read_effects(reader, enter_next(&effects), &counted->effects[i], &first.wire);
    end(&effects);
}

static void read_output(struct json_reader *reader, const cJSON *object,
                        const struct state_parts *parts, struct tally *tally, size_t output) {
    const struct sweep_request *request = parts->view->request;
    const struct sweep_wire wire = wire_of(parts->view, output);
    record_read(reader, object, &tally_record, tally, NULL, &wire.wire);
    if (!request->computed.operation->array && tally->tested > request->domain->count)
        json_fail(reader, "tested", "is more than there are inputs");
    if (!parts->head->finished) {
        read_digests(reader, object, parts, output);
        return;
    }
    const char *text = json_string(reader, object, "fingerprint");
    if (*text && !fingerprint_is_text(text))
        json_fail(reader, "fingerprint", "should be a fingerprint");
    else
        memcpy(parts->fingerprints[output], text, strlen(text) + 1);
}

void state_read_rest(struct json_reader *reader, const cJSON *document,
                     const struct state_parts *parts, struct counted *counted) {
    read_done(reader, document, parts);
    read_counts(reader, document, parts->view, counted);
    struct items outputs = items_of(reader, document, "outputs");
    for (size_t i = 0; i < parts->view->output_count && !reader->failed; i++)
        if (view_has(parts->view, i)) {
            const cJSON *object = enter_next(&outputs);
            read_output(reader, object, parts, &counted->tallies[i], i);
            leave(&outputs);
        }
    end(&outputs);
}
