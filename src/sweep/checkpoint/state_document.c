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

static void pass_digests(struct flow *flow, const struct state_parts *parts, size_t output) {
    static const char name[] = "digests";
    if (flow->reads) {
        const char *text = json_string(&flow->reader, flow->object, name);
        if (!pass_text(parts, output, NULL, text))
            json_fail(&flow->reader, name,
                      "should have 32 hexadecimal digits for each block that is done");
        return;
    }
    char *text = malloc((size_t)parts->view->digest_count * DIGEST_TEXT + 1);
    if (text)
        pass_text(parts, output, text, NULL);
    flow_put_text(flow, name, text);
}

static void pass_effects(struct flow *flow, struct effect_tally *tally,
                         const struct record_wire *wire) {
    const uint64_t calls = tally->calls;
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++) {
        uint64_t before = part ? tally->calls : calls;
        flow_record(flow, effect_part_names[part], &effect_records[part], tally, wire);
        flow_expect(flow, "calls", !part || tally->calls == before);
    }
}

static void pass_counts(struct flow *flow, const struct sweep_view *view, struct counted *counted) {
    const int results = view->request->computed.operation->results;
    const struct sweep_wire first = wire_of(view, 0);
    struct flow_items oracle = flow_items(flow, "oracle");
    for (int j = 0; j < results; j++, flow_leave_item(flow, &oracle)) {
        flow_enter_item(flow, &oracle);
        flow_members(flow, &oracle_record, &counted->oracle[j], &first.wire);
    }
    flow_end_items(flow, &oracle);
    struct flow_items pairs = flow_items(flow, "pairs");
    for (size_t i = 0; i < view->workers[0].pair_count; i++)
        for (int j = 0; j < results; j++, flow_leave_item(flow, &pairs)) {
            const struct sweep_wire wire = wire_of(view, (size_t)j);
            flow_enter_item(flow, &pairs);
            flow_members(flow, &difference_record, &counted->pairs[i].results[j], &wire.wire);
        }
    flow_end_items(flow, &pairs);
    struct flow_items effects = flow_items(flow, "effects");
    for (size_t i = 0; view->workers[0].flags && i < view->request->implementation_count;
         i++, flow_leave_item(flow, &effects)) {
        flow_enter_item(flow, &effects);
        pass_effects(flow, &counted->effects[i], &first.wire);
    }
    flow_end_items(flow, &effects);
}

static const struct record_text_of fingerprint_room = {FINGERPRINT_TEXT};
static const struct record_member fingerprint_members[] = {
    {"fingerprint", &record_text, 0, .of = &fingerprint_room}};
static const struct record fingerprint_record = {"output", fingerprint_members, 1, FINGERPRINT_TEXT,
                                                 RECORD_ALL};

static void pass_output(struct flow *flow, const struct state_parts *parts, struct tally *tally,
                        size_t output) {
    const struct sweep_request *request = parts->view->request;
    const struct sweep_wire wire = wire_of(parts->view, output);
    char *fingerprint = parts->fingerprints[output];
    flow_members(flow, &tally_record, tally, &wire.wire);
    if (flow->reads && !request->computed.operation->array &&
        tally->tested > request->domain->count)
        json_fail(&flow->reader, "tested", "is more than there are inputs");
    if (!parts->head->finished) {
        pass_digests(flow, parts, output);
        return;
    }
    flow_members(flow, &fingerprint_record, fingerprint, &wire.wire);
    if (flow->reads && *fingerprint && !fingerprint_is_text(fingerprint))
        json_fail(&flow->reader, "fingerprint", "should be a fingerprint");
}

void state_pass_head(struct flow *flow, struct state_head *head) {
    const struct record_wire wire = {.kept = true, .strict = true};
    flow_members(flow, &head_record, head, &wire);
}

void state_pass_rest(struct flow *flow, const struct state_parts *parts, struct counted *counted) {
    const struct sweep_view *view = parts->view;
    flow_flags(flow, "done", parts->done, sizeof *parts->done, (size_t)view->tasks);
    for (uint64_t task = 0; parts->head->finished && task < view->tasks; task++)
        flow_expect(flow, "done", parts->done[task]);
    pass_counts(flow, view, counted);
    struct flow_items outputs = flow_items(flow, "outputs");
    for (size_t i = 0; i < view->output_count && !flow_is_torn(flow); i++)
        if (view_has(view, i)) {
            flow_enter_item(flow, &outputs);
            pass_output(flow, parts, &counted->tallies[i], i);
            flow_leave_item(flow, &outputs);
        }
    flow_end_items(flow, &outputs);
}
