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

/* Those of the tasks that are done, one behind the other, as a text; false where the text has others. */
static bool pass_text(const struct state_parts *parts, size_t output, char *to, const char *from) {
    const size_t length = from ? strlen(from) : SIZE_MAX;
    size_t at = 0;
    bool good = true;
    for (uint64_t task = 0, count; good && task < parts->view->tasks; task++) {
        struct block_digest *digests = digests_of(parts->view, output, task, &count);
        for (uint64_t i = 0; good && parts->done[task] && i < count; i++, at += DIGEST_TEXT) {
            good = length - at >= DIGEST_TEXT && (!from || digest_read(&digests[i], from + at));
            if (to)
                digest_write(&digests[i], to + at);
        }
    }
    if (to)
        to[at] = '\0';
    return good && (to || at == length);
}

static void pass_digests(struct serialiser *serialiser, const struct state_parts *parts,
                         size_t output) {
    static const char name[] = "digests";
    if (serialiser->reads) {
        const char *text = json_string(&serialiser->reader, serialiser->object, name);
        if (!pass_text(parts, output, NULL, text))
            json_fail(&serialiser->reader, name,
                      "should have 32 hexadecimal digits for each block that is done");
        return;
    }
    char *text = malloc((size_t)parts->view->digest_count * DIGEST_TEXT + 1);
    if (text)
        pass_text(parts, output, text, NULL);
    serialise_put_text(serialiser, name, text);
}

static void pass_effects(struct serialiser *serialiser, struct effect_tally *tally,
                         const struct record_wire *wire) {
    const uint64_t calls = tally->calls;
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++) {
        uint64_t before = part ? tally->calls : calls;
        serialise_record(serialiser, effect_part_names[part], &effect_records[part], tally, wire);
        serialise_expect(serialiser, "calls", !part || tally->calls == before);
    }
}

static void pass_counts(struct serialiser *serialiser, const struct sweep_view *view,
                        struct counted *counted) {
    const int results = view->request->computed.operation->results;
    const struct sweep_wire first = wire_of(view, 0);
    struct serialise_items oracle = serialise_items(serialiser, "oracle");
    for (int j = 0; j < results; j++, serialise_leave_item(serialiser, &oracle)) {
        serialise_enter_item(serialiser, &oracle);
        serialise_members(serialiser, &oracle_record, &counted->oracle[j], &first.wire);
    }
    serialise_end_items(serialiser, &oracle);
    struct serialise_items pairs = serialise_items(serialiser, "pairs");
    for (size_t i = 0; i < view->workers[0].pair_count; i++)
        for (int j = 0; j < results; j++, serialise_leave_item(serialiser, &pairs)) {
            const struct sweep_wire wire = wire_of(view, (size_t)j);
            serialise_enter_item(serialiser, &pairs);
            serialise_members(serialiser, &difference_record, &counted->pairs[i].results[j],
                              &wire.wire);
        }
    serialise_end_items(serialiser, &pairs);
    struct serialise_items effects = serialise_items(serialiser, "effects");
    for (size_t i = 0; view->workers[0].flags && i < view->request->implementation_count;
         i++, serialise_leave_item(serialiser, &effects)) {
        serialise_enter_item(serialiser, &effects);
        pass_effects(serialiser, &counted->effects[i], &first.wire);
    }
    serialise_end_items(serialiser, &effects);
}

static const struct record_text_of fingerprint_room = {FINGERPRINT_TEXT};
static const struct record_member fingerprint_members[] = {
    {"fingerprint", &record_text, 0, .of = &fingerprint_room}};
static const struct record fingerprint_record = {"output", fingerprint_members, 1, FINGERPRINT_TEXT,
                                                 RECORD_ALL};

static void pass_output(struct serialiser *serialiser, const struct state_parts *parts,
                        struct tally *tally, size_t output) {
    const struct sweep_request *request = parts->view->request;
    const struct sweep_wire wire = wire_of(parts->view, output);
    char *fingerprint = parts->fingerprints[output];
    serialise_members(serialiser, &tally_record, tally, &wire.wire);
    if (serialiser->reads && !request->computed.operation->array &&
        tally->tested > request->domain->count)
        json_fail(&serialiser->reader, "tested", "is more than there are inputs");
    if (!parts->head->finished) {
        pass_digests(serialiser, parts, output);
        return;
    }
    serialise_members(serialiser, &fingerprint_record, fingerprint, &wire.wire);
    if (serialiser->reads && *fingerprint && !fingerprint_is_text(fingerprint))
        json_fail(&serialiser->reader, "fingerprint", "should be a fingerprint");
}

void state_pass_head(struct serialiser *serialiser, struct state_head *head) {
    const struct record_wire wire = {.is_checkpoint = true, .strict = true};
    serialise_members(serialiser, &head_record, head, &wire);
}

void state_pass_rest(struct serialiser *serialiser, const struct state_parts *parts,
                     struct counted *counted) {
    const struct sweep_view *view = parts->view;
    serialise_flags(serialiser, "done", parts->done, sizeof *parts->done, (size_t)view->tasks);
    for (uint64_t task = 0; parts->head->finished && task < view->tasks; task++)
        serialise_expect(serialiser, "done", parts->done[task]);
    pass_counts(serialiser, view, counted);
    struct serialise_items outputs = serialise_items(serialiser, "outputs");
    for (size_t i = 0; i < view->output_count && !serialise_is_torn(serialiser); i++)
        if (view_has(view, i)) {
            serialise_enter_item(serialiser, &outputs);
            pass_output(serialiser, parts, &counted->tallies[i], i);
            serialise_leave_item(serialiser, &outputs);
        }
    serialise_end_items(serialiser, &outputs);
}
