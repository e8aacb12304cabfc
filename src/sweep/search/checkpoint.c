/* What it is of, how far it is, what it found, and where it looks next. */
#include "sweep/search/checkpoint.h"

#include "sweep/checkpoint/sound.h"
#include "sweep/search/record.h"
#include "sweep/wire.h"

#include <stdio.h>

/* What of the record follows from the request is not in the file. */
static void pass_place(struct search_place *place, struct serialiser *serialiser) {
    struct search_record *record = place->record;
    const struct sweep_wire wire =
        sweep_wire_of(place->sweep, 0, 0, place->sweep->computed.format, true);
    char name[32];
    serialise_number(serialiser, "part", &place->part, record->part_count);
    serialise_double(serialiser, "seconds", &place->seconds);
    serialise_expect(serialiser, "seconds", sound_number(place->seconds));
    serialise_number(serialiser, "evaluations", &record->evaluations, UINT64_MAX);
    for (size_t i = 0; i < record->part_count; i++) {
        snprintf(name, sizeof name, "part_%zu", i + 1);
        serialise_record(serialiser, name, &search_part_record, &record->parts[i], &wire.wire);
    }
    finds_pass(place->finds, serialiser);
}

static const struct record_wire kept_wire = {.is_checkpoint = true, .strict = true};

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

bool search_read(struct search_place *place, const struct worker *worker,
                 struct serialiser *serialiser, bool *found, struct error *error) {
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
    struct identity identity = {.inputs = ""};
    if (!serialise_read(serialiser, &checkpoint->sweeps[checkpoint->at], checkpoint->path, error))
        return false;
    serialise_record(serialiser, "identity", &identity_record, &identity, &kept_wire);
    if (serialise_is_torn(serialiser) ||
        !identity_is(&identity, &place->identity, checkpoint->path, error))
        return false;
    pass_place(place, serialiser);
    if (!serialise_is_torn(serialiser))
        checkpoint_note_resumed(checkpoint);
    return !serialise_is_torn(serialiser);
}

void search_keep(struct search_place *place, struct strategy *strategy) {
    struct checkpoint *checkpoint = place->sweep->checkpoint;
    struct serialiser serialiser;
    if (!checkpoint || !serialise_write(&serialiser))
        return;
    serialise_record(&serialiser, "identity", &identity_record, &place->identity, &kept_wire);
    pass_place(place, &serialiser);
    if (strategy)
        strategy_pass(strategy, &serialiser);
    serialise_end(&serialiser, &checkpoint->sweeps[checkpoint->at]);
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
