/* What a state may hold. Its bytes come from a file, and what they say is used as numbers of elements,
 * inputs, codes and texts: a file whose hash fits, but which no run has written, is to be refused, and
 * to lead to no place that is not there. */
#ifndef DETCHECK_SWEEP_CHECKPOINT_SOUND_H
#define DETCHECK_SWEEP_CHECKPOINT_SOUND_H

#include "sweep/sweep.h"

/* What was computed: inputs of a domain, and codes of a result in its format. */
struct sound {
    const struct binding_request *computed;
    const struct domain *domain;
    int result;
    const struct format *format;
};

/* A bool that is 0 or 1, whatever its byte was read from. */
bool sound_flag(const bool *flag);

/* A text that ends within its room. */
bool sound_text(const char *text, size_t room);

/* An error, a time, a score: a number from 0, or infinity. */
bool sound_number(double number);

/* Codes of the operands. */
bool sound_codes(const struct binding_request *computed, const uint64_t *codes);

/* Whether the domain's input of that number is this one; of arrays, whether there is such a call and such
 * an element. */
bool sound_input(const struct sound *sound, uint64_t index, const uint64_t *input);

/* A code of the result. */
bool sound_code(const struct sound *sound, uint64_t code);

bool sound_event(const struct sound *sound, const struct event_sighting *event);

/* All of a tally but its binades and its envelope. */
bool sound_tally(const struct sound *sound, const struct tally *tally);
bool sound_binades(const struct tally *tally);
bool sound_envelope(const struct sound *sound, const struct envelope *envelope);

bool sound_difference(const struct sound *sound, const struct difference_tally *tally);

/* `results`: those of the other results have their formats. */
bool sound_effects(const struct sound *sound, const struct effect_tally *tally);

#endif
