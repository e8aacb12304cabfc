/* Tallies, member by member. */
#include "invariance/kept.h"

#include "base/clock.h"
#include "invariance/record.h"
#include "sweep/checkpoint/flow.h"
#include "sweep/checkpoint/sound.h"
#include "sweep/tally_record.h"
#include "sweep/wire.h"

#include <stdio.h>
#include <stdlib.h>

/* Events of a property are no events of its own result. */
static const struct record_text_of where_text = {CHANGE_WHERE};
static const struct record_member where_members[] = {
    {"where", &record_text, offsetof(struct property_tally, first_event_where), .of = &where_text}};
static const struct record where_record = {"where", where_members, 1, sizeof(struct property_tally),
                                           RECORD_ALL};
static const struct record_wire plain_wire = {.kept = true, .strict = true};

/* What of it is the same for all results. */
static void pass_counts(struct property_tally *tally, uint64_t most, struct flow *flow) {
    uint64_t *const variants = &tally->by_variant[0][0];
    flow_number(flow, "inputs", &tally->inputs, most);
    flow_number(flow, "unrepeatable", &tally->unrepeatable, tally->inputs);
    flow_number(flow, "unanswered", &tally->unanswered, tally->inputs);
    flow_number(flow, "not_called", &tally->not_called, most - tally->inputs);
    flow_numbers(flow, "by_variant", variants, sizeof *variants, MOST_VARIANTS * MAX_RESULTS,
                 UINT64_MAX);
    flow_numbers(flow, "events", tally->events, sizeof *tally->events, EVENT_KINDS, UINT64_MAX);
    flow_number(flow, "event_count", &tally->event_count, UINT64_MAX);
    flow_number(flow, "comparisons", &tally->comparisons, UINT64_MAX);
    flow_number(flow, "at_once", &tally->at_once, UINT64_MAX);
    flow_number(flow, "first_at_once", &tally->first_at_once, UINT64_MAX);
    flow_size(flow, "batch_size_count", &tally->batch_sizes.count, BATCH_SIZES);
    flow_numbers(flow, "batch_sizes", tally->batch_sizes.sizes, sizeof(uint64_t),
                 tally->batch_sizes.count, LARGEST_BATCH);
    flow_numbers(flow, "batch_calls", tally->batch_calls, sizeof(uint64_t), BATCH_SIZES,
                 UINT64_MAX);
    flow_numbers(flow, "lost", tally->lost, sizeof(uint64_t), TALLY_CONDITIONS, UINT64_MAX);
    flow_number(flow, "left_out", &tally->left_out, UINT64_MAX);
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

static void pass_tally(struct invariance_kept *kept, struct property_tally *tally,
                       struct flow *flow) {
    static const char *const names[MAX_RESULTS][2] = {{"changed_1", "first_1"},
                                                      {"changed_2", "first_2"}};
    const struct invariance_request *request = kept->request;
    const struct sweep_request sweep = {.computed = request->computed, .domain = request->domain};
    pass_counts(tally, request->domain->count, flow);
    flow_expect(flow, "batch_sizes", flow_is_torn(flow) || are_sizes(request, tally));
    for (int i = 0; i < request->computed.operation->results && !flow_is_torn(flow); i++) {
        const struct sweep_wire wire = sweep_wire_of(&sweep, 0, i, kept->outcome->formats[i], true);
        flow_number(flow, names[i][0], &tally->results[i].changed, tally->inputs);
        if (tally->results[i].changed)
            flow_record(flow, names[i][1], &change_record, &tally->results[i].first, &wire.wire);
        if (!i && tally->event_count) {
            flow_record(flow, "first_event", &event_record, &tally->first_event, &wire.wire);
            flow_record(flow, "first_event_text", &where_record, tally, &plain_wire);
        }
    }
}

static void pass_state(struct invariance_kept *kept, double *seconds, struct flow *flow) {
    char name[32];
    flow_double(flow, "seconds", seconds);
    flow_expect(flow, "seconds", sound_number(*seconds));
    for (size_t i = 0; i < kept->request->property_count && !flow_is_torn(flow); i++) {
        struct kept_property *property = &kept->properties[i];
        snprintf(name, sizeof name, "property_%zu", i + 1);
        struct flow_place place = flow_enter(flow, name);
        flow_number(flow, "next", &property->next, kept->request->domain->count);
        flow_number(flow, "blocks", &property->blocks, KEPT_MOST_BLOCKS);
        pass_tally(kept, &kept->outcome->properties[i].tally, flow);
        flow_leave(flow, place);
    }
}

static bool read_state(struct invariance_kept *kept, struct flow *flow, struct error *error) {
    struct identity identity = {.inputs = ""};
    uint64_t properties = 0;
    double seconds = 0;
    flow_record(flow, "identity", &identity_record, &identity, &plain_wire);
    if (flow_is_torn(flow) ||
        !identity_is(&identity, &kept->identity, kept->request->checkpoint->path, error))
        return false;
    flow_number(flow, "properties", &properties, UINT64_MAX);
    flow_expect(flow, "properties", properties == kept->request->property_count);
    pass_state(kept, &seconds, flow);
    kept->start -= seconds;
    return !flow_is_torn(flow);
}

static bool resume(struct invariance_kept *kept, struct error *error) {
    struct checkpoint *checkpoint = kept->request->checkpoint;
    struct flow flow;
    if (!flow_read(&flow, &checkpoint->sweeps[checkpoint->at], checkpoint->path, error))
        return false;
    bool good = read_state(kept, &flow, error);
    flow_close(&flow);
    if (good)
        checkpoint_note_resumed(checkpoint);
    return good;
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
    uint64_t properties = kept->request->property_count;
    double seconds = clock_seconds() - kept->start;
    struct flow flow;
    kept->properties[property] = (struct kept_property){next, blocks};
    if (!flow_write(&flow))
        return;
    flow_record(&flow, "identity", &identity_record, &kept->identity, &plain_wire);
    flow_number(&flow, "properties", &properties, UINT64_MAX);
    pass_state(kept, &seconds, &flow);
    flow_end(&flow, &checkpoint->sweeps[checkpoint->at]);
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
