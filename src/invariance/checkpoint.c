/* Tallies, member by member. */
#include "invariance/checkpoint.h"

#include "base/clock.h"
#include "invariance/record.h"
#include "sweep/checkpoint/serialise.h"
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
static const struct record_wire plain_wire = {.is_checkpoint = true, .strict = true};

/* What of it is the same for all results. */
static void pass_counts(struct property_tally *tally, uint64_t most,
                        struct serialiser *serialiser) {
    uint64_t *const variants = &tally->by_variant[0][0];
    serialise_number(serialiser, "inputs", &tally->inputs, most);
    serialise_number(serialiser, "unrepeatable", &tally->unrepeatable, tally->inputs);
    serialise_number(serialiser, "unanswered", &tally->unanswered, tally->inputs);
    serialise_number(serialiser, "not_called", &tally->not_called, most - tally->inputs);
    serialise_numbers(serialiser, "by_variant", variants, sizeof *variants,
                      MOST_VARIANTS * MAX_RESULTS, UINT64_MAX);
    serialise_numbers(serialiser, "events", tally->events, sizeof *tally->events, EVENT_KINDS,
                      UINT64_MAX);
    serialise_number(serialiser, "event_count", &tally->event_count, UINT64_MAX);
    serialise_number(serialiser, "comparisons", &tally->comparisons, UINT64_MAX);
    serialise_number(serialiser, "at_once", &tally->at_once, UINT64_MAX);
    serialise_number(serialiser, "first_at_once", &tally->first_at_once, UINT64_MAX);
    serialise_size(serialiser, "batch_size_count", &tally->batch_sizes.count, BATCH_SIZES);
    serialise_numbers(serialiser, "batch_sizes", tally->batch_sizes.sizes, sizeof(uint64_t),
                      tally->batch_sizes.count, LARGEST_BATCH);
    serialise_numbers(serialiser, "batch_calls", tally->batch_calls, sizeof(uint64_t), BATCH_SIZES,
                      UINT64_MAX);
    serialise_numbers(serialiser, "lost", tally->lost, sizeof(uint64_t), TALLY_CONDITIONS,
                      UINT64_MAX);
    serialise_number(serialiser, "left_out", &tally->left_out, UINT64_MAX);
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

static void pass_tally(struct invariance_checkpoint *saved, struct property_tally *tally,
                       struct serialiser *serialiser) {
    static const char *const names[MAX_RESULTS][2] = {
        {"changed_1", "first_1"}, {"changed_2", "first_2"}, {"changed_3", "first_3"}};
    const struct invariance_request *request = saved->request;
    const struct sweep_request sweep = {.computed = request->computed, .domain = request->domain};
    pass_counts(tally, request->domain->count, serialiser);
    serialise_expect(serialiser, "batch_sizes",
                     serialise_is_torn(serialiser) || are_sizes(request, tally));
    for (int i = 0; i < request->computed.operation->results && !serialise_is_torn(serialiser);
         i++) {
        const struct sweep_wire wire =
            sweep_wire_of(&sweep, 0, i, saved->outcome->formats[i], true);
        serialise_number(serialiser, names[i][0], &tally->results[i].changed, tally->inputs);
        if (tally->results[i].changed)
            serialise_record(serialiser, names[i][1], &change_record, &tally->results[i].first,
                             &wire.wire);
        if (!i && tally->event_count) {
            serialise_record(serialiser, "first_event", &event_record, &tally->first_event,
                             &wire.wire);
            serialise_record(serialiser, "first_event_text", &where_record, tally, &plain_wire);
        }
    }
}

static void pass_state(struct invariance_checkpoint *saved, double *seconds,
                       struct serialiser *serialiser) {
    char name[32];
    serialise_double(serialiser, "seconds", seconds);
    serialise_expect(serialiser, "seconds", sound_number(*seconds));
    for (size_t i = 0; i < saved->request->property_count && !serialise_is_torn(serialiser); i++) {
        struct property_checkpoint *property = &saved->properties[i];
        snprintf(name, sizeof name, "property_%zu", i + 1);
        struct serialise_place place = serialise_enter(serialiser, name);
        serialise_number(serialiser, "next", &property->next, saved->request->domain->count);
        serialise_number(serialiser, "blocks", &property->blocks, CHECKPOINT_MOST_BLOCKS);
        pass_tally(saved, &saved->outcome->properties[i].tally, serialiser);
        serialise_leave(serialiser, place);
    }
}

static bool read_state(struct invariance_checkpoint *saved, struct serialiser *serialiser,
                       struct error *error) {
    struct identity identity = {.inputs = ""};
    uint64_t properties = 0;
    double seconds = 0;
    serialise_record(serialiser, "identity", &identity_record, &identity, &plain_wire);
    if (serialise_is_torn(serialiser) ||
        !identity_is(&identity, &saved->identity, saved->request->checkpoint->path, error))
        return false;
    serialise_number(serialiser, "properties", &properties, UINT64_MAX);
    serialise_expect(serialiser, "properties", properties == saved->request->property_count);
    pass_state(saved, &seconds, serialiser);
    saved->start -= seconds;
    return !serialise_is_torn(serialiser);
}

static bool resume(struct invariance_checkpoint *saved, struct error *error) {
    struct checkpoint *checkpoint = saved->request->checkpoint;
    struct serialiser serialiser;
    if (!serialise_read(&serialiser, &checkpoint->sweeps[checkpoint->at], checkpoint->path, error))
        return false;
    bool good = read_state(saved, &serialiser, error);
    serialise_close(&serialiser);
    if (good)
        checkpoint_note_resumed(checkpoint);
    return good;
}

bool invariance_checkpoint_open(struct invariance_checkpoint *saved,
                                const struct invariance_request *request,
                                struct invariance_outcome *outcome, const struct binding *binding,
                                struct error *error) {
    const bool provided = true;
    bool known;
    *saved = (struct invariance_checkpoint){
        .request = request, .outcome = outcome, .start = clock_seconds()};
    saved->properties = calloc(request->property_count + 1, sizeof *saved->properties);
    if (!saved->properties || !checkpoint_begin(request->checkpoint, &known) ||
        !domain_identity(request->domain, saved->identity.inputs))
        return error_set(error, "out of memory for a checkpoint");
    return implementations_identity(&request->computed, request->implementation, 1, binding,
                                    &provided, saved->identity.implementations, error) &&
           (!known || resume(saved, error));
}

void invariance_checkpoint_close(struct invariance_checkpoint *saved) {
    free(saved->properties);
    saved->properties = NULL;
}

uint64_t invariance_checkpoint_next(const struct invariance_checkpoint *saved, size_t property) {
    return saved ? saved->properties[property].next : 0;
}

bool invariance_checkpoint_is_done(const struct invariance_checkpoint *saved, size_t property) {
    uint64_t next = invariance_checkpoint_next(saved, property);
    return next && next >= saved->request->domain->count;
}

void invariance_checkpoint_note(struct invariance_checkpoint *saved, size_t property, uint64_t next,
                                uint64_t blocks) {
    if (!saved || (saved->request->stop && *saved->request->stop))
        return;
    struct checkpoint *checkpoint = saved->request->checkpoint;
    uint64_t properties = saved->request->property_count;
    double seconds = clock_seconds() - saved->start;
    struct serialiser serialiser;
    saved->properties[property] = (struct property_checkpoint){next, blocks};
    if (!serialise_write(&serialiser))
        return;
    serialise_record(&serialiser, "identity", &identity_record, &saved->identity, &plain_wire);
    serialise_number(&serialiser, "properties", &properties, UINT64_MAX);
    pass_state(saved, &seconds, &serialiser);
    serialise_end(&serialiser, &checkpoint->sweeps[checkpoint->at]);
    checkpoint->fresh = true;
    if (checkpoint_is_due(checkpoint)) {
        checkpoint_settle(checkpoint);
        checkpoint_write(checkpoint);
    }
}

void invariance_checkpoint_leave(const struct invariance_checkpoint *saved) {
    if (saved)
        saved->request->checkpoint->at++;
}
