/* Counting and merging. */
#include "sweep/effects.h"

#include "sweep/tally.h"

#include <string.h>

const char *const effect_fault_names[EFFECT_FAULTS] = {"missing", "spurious", "cleared"};

const char *effect_name(int effect) {
    return effect < FLAGS ? flag_names[effect] : errno_names[effect - FLAGS + ERRNO_EDOM];
}

const char *effects_text(uint8_t effects, char text[EFFECTS_TEXT]) {
    *text = '\0';
    for (int i = 0; i < EFFECTS; i++)
        if (effects >> i & 1) {
            strcat(text, *text ? " " : "");
            strcat(text, effect_name(i));
        }
    return *text ? text : strcpy(text, "none");
}

bool effects_parse(const char *text, uint8_t *effects) {
    char again[EFFECTS_TEXT];
    *effects = 0;
    for (int i = 0; i < EFFECTS; i++) {
        const char *name = effect_name(i), *found = strstr(text, name);
        size_t length = strlen(name);
        if (found && (found == text || found[-1] == ' ') &&
            (found[length] == ' ' || !found[length]))
            *effects |= (uint8_t)(1u << i);
    }
    return strcmp(effects_text(*effects, again), text) == 0;
}

static int exponent_of(const struct format *format, uint64_t code) {
    struct real value = format_decode(format, code);
    return value.kind == REAL_FINITE ? value.exponent
           : value.kind == REAL_ZERO ? format->emin - format->precision
                                     : format->emax + 1;
}

uint32_t effect_distance(int effect, const struct format *format, const uint64_t *got,
                         int results) {
    int limit = effect == FLAG_UNDERFLOW ? format->emin : format->emax + 1;
    uint32_t least = UINT32_MAX;
    if (effect != FLAG_UNDERFLOW && effect != FLAG_OVERFLOW && effect != FLAG_DIVIDE_BY_ZERO)
        return 0;
    for (int i = 0; i < results; i++) {
        int away = exponent_of(format, got[i]) - limit;
        uint32_t size = (uint32_t)(away < 0 ? -away : away);
        least = size < least ? size : least;
    }
    return least;
}

static bool is_earlier(const struct effect_witness *a, const struct effect_witness *b) {
    return place_is_earlier(a->index, a->input, b->index, b->input);
}

static bool is_worse(const struct effect_witness *a, const struct effect_witness *b) {
    return a->away > b->away || (a->away == b->away && is_earlier(a, b));
}

static void join(struct effect_count *count, uint64_t more, const struct effect_witness *first,
                 const struct effect_witness *worst) {
    if (!count->count || is_earlier(first, &count->first))
        count->first = *first;
    if (!count->count || is_worse(worst, &count->worst))
        count->worst = *worst;
    count->count += more;
}

void effect_tally_add(struct effect_tally *tally, const struct format *format, int results,
                      const struct effect_witness *witness, uint8_t cleared, uint64_t count) {
    const struct effect_rule rule = witness->rule;
    const uint8_t faults[EFFECT_FAULTS] = {
        [EFFECT_MISSING] = rule.required & (uint8_t)~witness->seen,
        [EFFECT_SPURIOUS] = witness->seen & (uint8_t)~rule.permitted,
        [EFFECT_CLEARED] = cleared};
    bool faulty[EFFECT_PARTS] = {false};
    for (int fault = 0; fault < EFFECT_FAULTS; fault++)
        for (int effect = 0; effect < EFFECTS; effect++)
            if (faults[fault] >> effect & 1) {
                struct effect_witness one = *witness;
                one.away = effect_distance(effect, format, witness->got, results);
                join(&tally->counts[fault][effect], count, &one, &one);
                faulty[effect_part_of(effect)] = true;
            }
    for (int part = 0; part < EFFECT_PARTS; part++)
        tally->faulty[part] += faulty[part] ? count : 0;
}

void effect_tally_merge(struct effect_tally *tally, const struct effect_tally *other) {
    tally->calls += other->calls;
    for (int part = 0; part < EFFECT_PARTS; part++)
        tally->faulty[part] += other->faulty[part];
    for (int fault = 0; fault < EFFECT_FAULTS; fault++)
        for (int effect = 0; effect < EFFECTS; effect++) {
            const struct effect_count *theirs = &other->counts[fault][effect];
            if (theirs->count)
                join(&tally->counts[fault][effect], theirs->count, &theirs->first, &theirs->worst);
        }
}
