/* One thread's share of a pass: what it asks the two sides, and the answers. */
#ifndef DETCHECK_EXPLAIN_WORK_H
#define DETCHECK_EXPLAIN_WORK_H

#include "explain/pass.h"
#include "explain/side.h"

/* The other results that a prediction is made from: at inputs that were changed in one way. */
struct moved {
    enum hypothesis_change change;
    int narrow;
    bool where_different; /* no row asks elsewhere */
    uint64_t *codes[2];   /* by side and place in the block */
    bool *has;            /* whether the change changes the input, and both answer there */
    bool ended;           /* one of them is asked no further: nothing is predicted from this */
};

enum { MOVED_MOST = HYPOTHESIS_MOST };

/* What a row made of a code last: the sides mostly give the same, and so do inputs next to each other. */
struct changed {
    bool known;
    uint64_t from, to;
};

/* One thread's share. */
struct work {
    const struct pass *pass;
    const struct explain_request *request;
    const struct format *in, *out;
    void *inputs[MAX_OPERANDS];   /* of the block */
    void *gathered[MAX_OPERANDS]; /* of those that were changed */
    size_t *places;               /* and where they stand in the block */
    void *canonical;              /* outputs for the digest */
    void *outputs[2];             /* codes, as the format stores them */
    bool *answered;
    uint8_t *subnormal; /* which inputs are, of any operand */
    uint8_t *notable;   /* where they differ, or a row says something without the truth */
    struct side sides[2], rebuilds[REBUILD_MOST];
    void *rebuilt[REBUILD_MOST];
    struct moved moved[MOVED_MOST];
    size_t moved_count;
    int moved_of[HYPOTHESIS_MOST]; /* by row: which, or -1 */
    struct hypothesis rows[HYPOTHESIS_MOST];
    struct changed changed[HYPOTHESIS_MOST];
    size_t active[HYPOTHESIS_MOST], active_count; /* rows that are asked */
    struct truth truth;
    size_t truth_count; /* of every input these are asked */
    int truth_codes[HYPOTHESIS_MOST];
    bool converts;              /* of every input it is asked what a conversion makes of it */
    struct converted converted; /* the input that rows are asked about */
    bool narrows;               /* of every input it is asked what a result is in a narrow format */
    bool has_runs;              /* inputs in a row may be as the first one of them, */
    size_t repeats;             /* and so many are as the one that is looked at */
    struct counts counts;
};

/* Binds the sides and the rebuilds, with room for a block. Close it in any case; its truth is the
 * caller's to open and to close. */
bool work_open(struct work *work, struct error *error);
void work_close(struct work *work);

/* Asks all of them for the block, and the sides for the inputs that hypotheses change; digests. */
bool work_ask(struct work *work, const struct input_block *block, uint64_t number,
              struct error *error);

/* Takes an output for a digest. */
void work_put(const struct work *work, size_t at, uint64_t code);

/* What a side gave. */
static inline uint64_t work_output(const struct work *work, int side, size_t at) {
    return code_load(work->outputs[side], format_bytes(work->out), at);
}

#endif
