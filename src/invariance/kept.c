/* Tallies as bytes. */
#include "invariance/kept.h"

#include "base/clock.h"
#include "sweep/checkpoint/flow.h"
#include "sweep/checkpoint/sound.h"

#include <stdlib.h>
#include <string.h>

struct head {
    struct identity identity;
    uint64_t properties;
    double seconds;
};

static struct head head_of(const struct invariance_kept *kept) {
    struct head head;
    memset(&head, 0, sizeof head);
    head.identity = kept->identity;
    head.properties = kept->request->property_count;
    head.seconds = clock_seconds() - kept->start;
    return head;
}

static bool is_change(const struct sound *sound, const struct change *change) {
    return sound_input(sound, change->index, change->input) &&
           sound_code(sound, change->reference) && sound_code(sound, change->got) &&
           sound_text(change->where, CHANGE_WHERE);
}

/* Sizes of batches are those of the request, where the property has tried any. */
static bool are_sizes(const struct invariance_request *request,
                      const struct property_tally *tally) {
    const struct batch_sizes sizes = batch_sizes_of(request);
    bool good = !tally->batch_sizes.count || tally->batch_sizes.count == sizes.count;
    for (size_t i = 0; good && i < tally->batch_sizes.count; i++)
        good =
            tally->batch_sizes.sizes[i] == sizes.sizes[i] && tally->batch_calls[i] <= tally->inputs;
    return good;
}

/* What others may have written: sweep/checkpoint/sound.h. */
static bool is_tally(const struct invariance_kept *kept, const struct property_tally *tally) {
    const struct invariance_request *request = kept->request;
    struct sound sound = {.computed = &request->computed, .domain = request->domain};
    bool good = tally->inputs <= request->domain->count && tally->unrepeatable <= tally->inputs &&
                tally->unanswered <= tally->inputs &&
                tally->not_called <= request->domain->count - tally->inputs &&
                are_sizes(request, tally);
    for (int i = 0; i < request->computed.operation->results; i++) {
        sound.result = i;
        sound.format = kept->outcome->formats[i];
        good = good && tally->results[i].changed <= tally->inputs &&
               (!tally->results[i].changed || is_change(&sound, &tally->results[i].first));
    }
    return good && (!tally->event_count || (sound_event(&sound, &tally->first_event) &&
                                            sound_text(tally->first_event_where, CHANGE_WHERE)));
}

static void pass_properties(struct invariance_kept *kept, struct flow *flow) {
    for (size_t i = 0; i < kept->request->property_count; i++) {
        struct kept_property *property = &kept->properties[i];
        struct property_tally *tally = &kept->outcome->properties[i].tally;
        flow_pass(flow, property, sizeof *property);
        flow_expect(flow, property->next <= kept->request->domain->count &&
                              property->blocks <= KEPT_MOST_BLOCKS);
        flow_pass(flow, tally, sizeof *tally);
        flow_expect(flow, flow->torn || is_tally(kept, tally));
    }
}

static bool resume(struct invariance_kept *kept, struct error *error) {
    struct checkpoint *checkpoint = kept->request->checkpoint;
    struct flow flow = {.bytes = &checkpoint->sweeps[checkpoint->at], .reads = true};
    struct head head = head_of(kept);
    flow_pass(&flow, &head, sizeof head);
    if (!flow.torn && !identity_is(&head.identity, &kept->identity, checkpoint->path, error))
        return false;
    pass_properties(kept, &flow);
    if (flow.torn || flow.at != flow.bytes->size || !sound_number(head.seconds) ||
        head.properties != kept->request->property_count)
        return error_set(error, "%.200s is torn", checkpoint->path);
    kept->start -= head.seconds;
    checkpoint_note_resumed(checkpoint);
    return true;
}

bool kept_open(struct invariance_kept *kept, const struct invariance_request *request,
               struct invariance_outcome *outcome, const struct binding *binding,
               struct error *error) {
    const bool provided = true;
    bool known;
    *kept =
        (struct invariance_kept){.request = request, .outcome = outcome, .start = clock_seconds()};
    kept->properties = calloc(request->property_count + 1, sizeof *kept->properties);
    if (!kept->properties || !checkpoint_begin(request->checkpoint, &known) ||
        !domain_identity(request->domain, kept->identity.inputs))
        return error_set(error, "out of memory for a checkpoint");
    return implementations_identity(&request->computed, request->implementation, 1, binding,
                                    &provided, kept->identity.implementations, error) &&
           (!known || resume(kept, error));
}

void kept_close(struct invariance_kept *kept) {
    free(kept->properties);
    kept->properties = NULL;
}

uint64_t kept_next(const struct invariance_kept *kept, size_t property) {
    return kept ? kept->properties[property].next : 0;
}

bool kept_is_done(const struct invariance_kept *kept, size_t property) {
    uint64_t next = kept_next(kept, property);
    return next && next >= kept->request->domain->count;
}

void kept_note(struct invariance_kept *kept, size_t property, uint64_t next, uint64_t blocks) {
    if (!kept || (kept->request->stop && *kept->request->stop))
        return;
    struct checkpoint *checkpoint = kept->request->checkpoint;
    struct flow flow = {.bytes = &checkpoint->sweeps[checkpoint->at]};
    struct head head = head_of(kept);
    kept->properties[property] = (struct kept_property){next, blocks};
    flow.bytes->size = 0;
    flow.bytes->failed = false;
    flow_pass(&flow, &head, sizeof head);
    pass_properties(kept, &flow);
    checkpoint->fresh = true;
    if (checkpoint_is_due(checkpoint)) {
        checkpoint_settle(checkpoint);
        checkpoint_write(checkpoint);
    }
}

void kept_leave(const struct invariance_kept *kept) {
    if (kept)
        kept->request->checkpoint->at++;
}
