/* What it is of, how far it is, what it found, and where it looks next. */
#include "sweep/search/kept.h"

#include "sweep/checkpoint/sound.h"
#include "sweep/fingerprint.h"

#include <string.h>

struct head {
    struct identity identity;
    uint64_t part;
    double seconds;
};

static void pass_part(struct search_part *part, const struct binding_request *computed,
                      struct flow *flow) {
    flow_pass(flow, &part->evaluations, sizeof part->evaluations);
    flow_pass_count(flow, &part->best_count, SEARCH_BEST);
    flow_pass(flow, part->best, sizeof part->best);
    flow_pass_count(flow, &part->growth_count, SEARCH_GROWTH);
    flow_pass(flow, part->growth, sizeof part->growth);
    for (size_t i = 0; i < part->best_count; i++)
        flow_expect(flow, finds_is_sound(&part->best[i], computed));
    for (size_t i = 0; i < part->growth_count; i++)
        flow_expect(flow, sound_number(part->growth[i].value));
}

/* What of the record follows from the request is not in the file. */
static void pass_place(struct search_place *place, struct flow *flow) {
    struct search_record *record = place->record;
    flow_pass(flow, &record->evaluations, sizeof record->evaluations);
    for (size_t i = 0; i < record->part_count; i++)
        pass_part(&record->parts[i], &place->sweep->computed, flow);
    finds_pass(place->finds, flow);
}

/* Which inputs it starts from, and who computes. */
static bool identify(struct search_place *place, const struct worker *worker, struct error *error) {
    const struct domain *known = place->request->known;
    return promises_identity(place->sweep, place->identity.promises, error) &&
           (!known || domain_identity(known, place->identity.inputs) ||
            error_set(error, "out of memory for a checkpoint")) &&
           implementations_identity(&place->sweep->computed, place->sweep->implementations,
                                    place->sweep->implementation_count, worker->bindings,
                                    worker->provided, place->identity.implementations, error);
}

static struct head head_of(const struct search_place *place) {
    struct head head;
    memset(&head, 0, sizeof head);
    head.identity = place->identity;
    head.part = place->part;
    head.seconds = place->seconds;
    return head;
}

bool search_read(struct search_place *place, const struct worker *worker, struct flow *flow,
                 bool *found, struct error *error) {
    struct checkpoint *checkpoint = place->sweep->checkpoint;
    *found = false;
    if (!checkpoint)
        return true;
    if (!checkpoint_begin(checkpoint, found))
        return error_set(error, "out of memory for a checkpoint");
    if (!identify(place, worker, error))
        return false;
    if (!*found)
        return true;
    struct head head = head_of(place);
    *flow = (struct flow){.bytes = &checkpoint->sweeps[checkpoint->at], .reads = true};
    flow_pass(flow, &head, sizeof head);
    if (!flow->torn && !identity_is(&head.identity, &place->identity, checkpoint->path, error))
        return false;
    pass_place(place, flow);
    if (flow->torn || head.part > place->record->part_count || !sound_number(head.seconds))
        return error_set(error, "%.200s is torn", checkpoint->path);
    place->part = head.part;
    place->seconds = head.seconds;
    checkpoint_note_resumed(checkpoint);
    return true;
}

bool search_is_read(const struct search_place *place, const struct flow *flow,
                    struct error *error) {
    return (!flow->torn && flow->at == flow->bytes->size) ||
           error_set(error, "%.200s is torn", place->sweep->checkpoint->path);
}

void search_keep(struct search_place *place, struct strategy *strategy) {
    struct checkpoint *checkpoint = place->sweep->checkpoint;
    if (!checkpoint)
        return;
    struct flow flow = {.bytes = &checkpoint->sweeps[checkpoint->at]};
    struct head head = head_of(place);
    flow.bytes->size = 0;
    flow.bytes->failed = false;
    flow_pass(&flow, &head, sizeof head);
    pass_place(place, &flow);
    if (strategy)
        strategy_pass(strategy, &flow);
    checkpoint->fresh = true;
    if (checkpoint_is_due(checkpoint)) {
        checkpoint_settle(checkpoint);
        checkpoint_write(checkpoint);
    }
}

void search_leave(const struct search_place *place) {
    if (place->sweep->checkpoint)
        place->sweep->checkpoint->at++;
}
