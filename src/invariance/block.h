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
    size_t condition;                    /* number of the next arrangement */
    uint64_t first;                      /* its inputs in the domain: */
    size_t count;
    void *inputs[MAX_OPERANDS];   /* codes */
    void *operands[MAX_OPERANDS]; /* of an arrangement */
    struct outputs reference, outputs;
    uint8_t *changed[MAX_RESULTS]; /* by input */
    uint8_t *is_missing;           /* likewise, those without an answer in the reference */
    uint8_t *is_compared;
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

/* Computes the inputs so arranged, into one of the block's two outputs; the reference first. An
 * arrangement in which too many inputs have cost a process is not asked for. */
bool block_compute(struct block *block, const struct arrangement *arrangement,
                   struct outputs *outputs, struct error *error);

/* Compares the outputs of an arrangement with those of the reference, element by element: of each
 * input the copy with that number, or the first one where `with_first`. */
void block_compare(struct block *block, const struct arrangement *arrangement,
                   const struct outputs *outputs, const struct arrangement *reference,
                   bool with_first);

/* Computes an arrangement and compares it with the reference, which is there. */
bool block_try(struct block *block, const struct arrangement *arrangement,
               const struct arrangement *reference, struct error *error);

#endif
