/* A block of inputs that a thread compares: the same inputs computed again and again, arranged in
 * arrays in other ways. */
#ifndef DETCHECK_INVARIANCE_BLOCK_H
#define DETCHECK_INVARIANCE_BLOCK_H

#include "invariance/property.h"

/* Elements of a slice: what a block's inputs take in all. */
enum { BLOCK_ELEMENTS = 1 << 15 };

/* How the inputs of a block are laid out. Each takes `copies` elements, one after the other, all of
 * them the same number, so that nothing but what is asked for is other than in another arrangement;
 * and an array begins with each input where `conditions.length` is `copies`. */
struct arrangement {
    struct conditions conditions;
    size_t copies;
    /* Of the copies, every `period`th from `phase` on is another number, the same for all operands:
     * what stands beside the input. A period of 0: none. */
    size_t period, phase;
    uint64_t beside;
    /* Before each array stands a call of as many copies of the same input, whose results are thrown
     * away: what a call leaves behind for the next one is then the same in all arrangements. */
    bool is_led;
    /* What a reader is told of it: "12 bytes past a multiple of 64". Empty: nothing. */
    char text[CHANGE_WHERE / 2];
};

/* Outputs of an arrangement. */
struct outputs {
    void *results[MAX_RESULTS];
    uint8_t *unanswered; /* by element */
    uint8_t *is_missing; /* by input: some of its elements have no answer */
    bool any_missing;
};

struct block {
    const struct invariance_request *request;
    struct binding *binding;
    struct property_tally *tally;        /* of this block and others of the thread */
    const struct property_tally *before; /* of what was compared before them */
    size_t result_bytes;
    size_t condition; /* number of the next arrangement */
    uint64_t first;   /* its inputs in the domain: */
    size_t count;
    void *inputs[MAX_OPERANDS];   /* codes */
    void *operands[MAX_OPERANDS]; /* of an arrangement */
    struct outputs reference, outputs;
    struct outputs led_reference; /* the same as reference, led; there where has_led */
    bool has_led;
    struct outputs repeated;       /* of one input, computed again */
    uint8_t *changed[MAX_RESULTS]; /* by input */
    uint8_t *is_missing;           /* likewise, those without an answer in the reference */
    uint8_t *is_compared;
    uint8_t *is_unrepeatable;
};

/* Room for blocks; false without memory, and block_close is to be called in any case. */
bool block_open(struct block *block, const struct invariance_request *request,
                struct binding *binding);
void block_close(struct block *block);

/* Loads the inputs, compares them by the property's hook, and counts; `tally` and `before` are the
 * block's. */
bool block_run(struct block *block, const struct property *property, uint64_t first, size_t count,
               struct property_tally *tally, const struct property_tally *before,
               struct error *error);

/* Computes the inputs so arranged, as the reference of the arrangements that follow. A block may have
 * several references, one after the other. */
bool block_refer(struct block *block, const struct arrangement *reference, struct error *error);

/* Computes an arrangement and compares it with the reference, which is there: element by element, of
 * each input the copy with that number. An arrangement in which too many inputs have cost a process
 * is not asked for.
 *
 * Where something differs, both are computed again, led, and that counts: a library may remember its
 * last call, and that one was another. It is for repetition to find that. Then an input that
 * still differs is computed alone, again and again, in either arrangement: where its bits are not always
 * the same, the difference is counted as unrepeatable and not as a change, and the next one is tried.
 * After eight all count so. */
bool block_try(struct block *block, const struct arrangement *arrangement,
               const struct arrangement *reference, struct error *error);

/* Computes an arrangement and compares the copies of each input with the first of them, likewise. */
bool block_try_copies(struct block *block, const struct arrangement *arrangement,
                      struct error *error);

#endif
