/* Member by member. */
#include "sweep/checkpoint/sound.h"

#include <math.h>
#include <string.h>

bool sound_flag(const bool *flag) {
    unsigned char byte;
    memcpy(&byte, flag, 1);
    return byte <= 1;
}

bool sound_text(const char *text, size_t room) {
    return memchr(text, '\0', room) != NULL;
}

bool sound_number(double number) {
    return number >= 0;
}

bool sound_codes(const struct binding_request *computed, const uint64_t *codes) {
    for (int i = 0; i < computed->operation->operands; i++)
        if (codes[i] & ~format_mask(computed->format))
            return false;
    return true;
}

bool sound_code(const struct sound *sound, uint64_t code) {
    return !(code & ~format_mask(sound->format));
}

/* The number of a call and of an element; events, which are of the call, have 0 for that. */
static bool is_of_call(const struct sound *sound, const uint64_t *input) {
    struct error unused;
    struct array_call call = {.parameters = &sound->computed->parameters};
    if (input[0] >= sound->domain->count ||
        !array_call_plan(&call, sound->computed->operation->array, sound->computed->format,
                         case_shape(&sound->domain->cases, input[0]), &unused))
        return false;
    return !input[1] || input[1] < shape_elements(&call.results[sound->result].shape);
}

bool sound_input(const struct sound *sound, uint64_t index, const uint64_t *input) {
    uint64_t codes[MAX_OPERANDS];
    if (sound->computed->operation->array)
        return is_of_call(sound, input);
    if (index >= sound->domain->count)
        return false;
    domain_codes_at(sound->domain, index, codes);
    return memcmp(codes, input, (size_t)sound->computed->operation->operands * sizeof *codes) == 0;
}

bool sound_event(const struct sound *sound, const struct event_sighting *event) {
    return (unsigned)event->kind < EVENT_KINDS && sound_input(sound, event->index, event->input);
}

static bool is_sighting(const struct sound *sound, const struct sighting *sighting) {
    return sound_input(sound, sighting->index, sighting->input) &&
           sound_code(sound, sighting->got) && sound_code(sound, sighting->want) &&
           sound_number(sighting->error);
}

/* One that may not be there. */
static bool may_be_sighting(const struct sound *sound, const bool *has,
                            const struct sighting *sighting) {
    return sound_flag(has) && (!*has || is_sighting(sound, sighting));
}

static bool are_sightings(const struct sound *sound, const struct sighting *sightings,
                          unsigned count, unsigned most) {
    bool good = count <= most;
    for (unsigned i = 0; good && i < count; i++)
        good = is_sighting(sound, &sightings[i]);
    return good;
}

static bool is_promise(const struct sound *sound, const struct promise_tally *promise) {
    const struct promise_violation *worst = &promise->worst;
    if (!may_be_sighting(sound, &promise->has_worst, &worst->sighting))
        return false;
    return !promise->has_worst ||
           (sound_flag(&worst->has_error) && sound_flag(&worst->has_reference) &&
            !isnan(worst->excess) && !isnan(worst->limit) &&
            (!worst->has_reference || sound_code(sound, worst->reference)));
}

/* Parts of those tested. Signalling NaNs are counted among what was not answered, too. */
static bool are_parts(const struct tally *tally) {
    const uint64_t parts[] = {
        tally->correct,          tally->incorrect,          tally->faithful,
        tally->in_ulps,          tally->over_1_ulp,         tally->nan_mismatches,
        tally->nan_bits_differ,  tally->sign_mismatches,    tally->saturated,
        tally->vanished,         tally->promise.kept,       tally->promise.accepted,
        tally->promise.left_out, tally->promise.violations, tally->value.exact,
        tally->value.clipped,    tally->value.overflowed,   tally->value.lost_bits};
    bool good = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        good = good && parts[i] <= tally->tested;
    for (size_t i = 0; i <= HISTOGRAM_EDGES; i++)
        good = good && tally->histogram[i] <= tally->tested;
    return good;
}

bool sound_tally(const struct sound *sound, const struct tally *tally) {
    bool numbers = !sound->computed->operation->array;
    bool good = are_parts(tally) && (!numbers || tally->tested <= sound->domain->count) &&
                may_be_sighting(sound, &tally->has_max, &tally->max) &&
                may_be_sighting(sound, &tally->has_max_else, &tally->max_else) &&
                may_be_sighting(sound, &tally->value.has_max, &tally->value.max) &&
                is_promise(sound, &tally->promise) &&
                are_sightings(sound, tally->worst, tally->worst_count, TALLY_WORST) &&
                are_sightings(sound, tally->mismatches, tally->mismatch_count, TALLY_FIRST) &&
                tally->event_count <= TALLY_EVENTS;
    for (unsigned i = 0; good && i < tally->event_count; i++)
        good = sound_event(sound, &tally->first_events[i]);
    return good;
}

bool sound_binades(const struct tally *tally) {
    bool good = true;
    for (int i = 0; i < tally->binade_count; i++)
        good = good && tally->binades[i].tested <= tally->tested &&
               tally->binades[i].incorrect <= tally->binades[i].tested &&
               sound_number(tally->binades[i].max_error);
    return good;
}

bool sound_envelope(const struct sound *sound, const struct envelope *envelope) {
    bool good = true;
    for (size_t i = 0; good && envelope->steps && i < envelope->step_count; i++) {
        const struct envelope_step *step = &envelope->steps[i];
        good = sound_flag(&step->has_error) && step->incorrect <= step->tested &&
               (!step->has_error ||
                (step->least <= step->largest && sound_codes(sound->computed, &step->worst)));
    }
    return good;
}

bool sound_difference(const struct sound *sound, const struct difference_tally *tally) {
    bool good = tally->first_count <= TALLY_FIRST;
    for (unsigned i = 0; good && i < tally->first_count; i++)
        good = sound_input(sound, tally->first[i].index, tally->first[i].input) &&
               sound_code(sound, tally->first[i].a) && sound_code(sound, tally->first[i].b);
    return good;
}

static bool is_effect(const struct sound *sound, const struct effect_sighting *sighting) {
    bool good = sound_input(sound, sighting->index, sighting->input);
    for (int i = 0; i < sound->computed->operation->results; i++)
        good = good && sound_code(sound, sighting->got[i]);
    return good;
}

bool sound_effects(const struct sound *sound, const struct effect_tally *tally) {
    bool good = true;
    for (int i = 0; i < EFFECT_PARTS; i++)
        good = good && tally->faulty[i] <= tally->calls;
    for (int i = 0; i < EFFECT_FAULTS; i++)
        for (int j = 0; j < EFFECTS; j++) {
            const struct effect_count *one = &tally->counts[i][j];
            good =
                good && one->count <= tally->calls &&
                (!one->count || (is_effect(sound, &one->first) && is_effect(sound, &one->worst)));
        }
    return good;
}
