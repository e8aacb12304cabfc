/* What a sweep counts of the side effects of calls: exception flags and errno.
 *
 * A set of effects is a byte: the flags of format/flags.h, then what errno may be set to. Effects are
 * those of a call, whatever the number of its results. As for tallies (tally.h), nothing depends on
 * the order in which calls were judged. */
#ifndef DETCHECK_SWEEP_EFFECTS_H
#define DETCHECK_SWEEP_EFFECTS_H

#include "oracle/flags.h"

enum effect { EFFECT_EDOM = FLAGS, EFFECT_ERANGE, EFFECT_OTHER_ERRNO, EFFECTS };
/* The name of the flag, or of the value of errno. */
const char *effect_name(int effect);
/* "overflow ERANGE", or "none". */
enum { EFFECTS_TEXT = FLAGS_TEXT + 32 };
const char *effects_text(uint8_t effects, char text[EFFECTS_TEXT]);

/* Back; false for other text. */
bool effects_parse(const char *text, uint8_t *effects);

/* Of flags and a value of errno. */
static inline uint8_t effects_of(uint8_t flags, enum errno_kind number) {
    return (uint8_t)(flags | (((1u << FLAGS) >> 1 << number) & 0xe0u));
}

/* What a call may do wrong. */
enum effect_fault { EFFECT_MISSING, EFFECT_SPURIOUS, EFFECT_CLEARED, EFFECT_FAULTS };
extern const char *const effect_fault_names[EFFECT_FAULTS];

/* What is right for a call. */
struct effect_rule {
    uint8_t required, permitted;
};

/* A call that did something wrong. */
struct effect_witness {
    uint64_t index; /* of its input in the domain */
    uint64_t input[MAX_OPERANDS];
    uint64_t got[MAX_RESULTS];
    struct effect_rule rule;
    uint8_t seen;  /* raised, and errno */
    uint64_t away; /* binades by which the output lies from where the effect would be right */
};

struct effect_count {
    uint64_t count;
    struct effect_witness first, worst; /* worst: the farthest away, and the first of those */
};

/* Flags and errno, which reports tell apart. */
enum effect_part { EFFECT_FLAGS, EFFECT_ERRNO, EFFECT_PARTS };
static inline enum effect_part effect_part_of(int effect) {
    return effect < FLAGS ? EFFECT_FLAGS : EFFECT_ERRNO;
}

struct effect_tally {
    uint64_t calls, faulty[EFFECT_PARTS];
    struct effect_count counts[EFFECT_FAULTS][EFFECTS];
};

/* How many binades the outputs of a call lie from the threshold of an effect: for overflow and
 * division by zero from the end of the numbers, for underflow from the smallest normal one; of the
 * results, that which is nearest. Of the other effects 0. Zero lies just below the subnormal numbers;
 * infinity and NaN just beyond the largest one. */
uint32_t effect_distance(int effect, const struct format *format, const uint64_t *got, int results);

/* Counts a faulty call, and those that follow it with the same fault as far away: `count` of them in
 * all. `cleared` are flags. */
void effect_tally_add(struct effect_tally *tally, const struct format *format, int results,
                      const struct effect_witness *witness, uint8_t cleared, uint64_t count);
void effect_tally_merge(struct effect_tally *tally, const struct effect_tally *other);

#endif
