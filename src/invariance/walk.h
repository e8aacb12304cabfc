/* A walk over the inputs of a domain with an implementation in processes of its own
 * (impl/remote/apart.h), which compute the same blocks again and again in other surroundings. */
#ifndef DETCHECK_INVARIANCE_WALK_H
#define DETCHECK_INVARIANCE_WALK_H

#include "impl/remote/apart.h"
#include "invariance/property.h"

/* Numbers in an array, where a function takes arrays and can be asked for their length: the same
 * number stands at the same place of an array of the same length each time. */
enum { WALK_ARRAY = 64 };

/* One process. */
struct walk_process {
    struct implementation implementation;
    struct foreign_settings settings;
    struct binding binding;
};

/* Starts it; the variant, which outlives it, may be NULL. False when that fails. */
bool walk_process_open(struct walk_process *process, const struct invariance_request *request,
                       const char *variant, struct error *error);
void walk_process_close(struct walk_process *process);

/* What the implementation says of conditions when it runs in a process of its own; false with the
 * reason where it does not. */
bool walk_support(const struct invariance_request *request, struct condition_support *support,
                  struct error *why);

/* The same for an `applies` hook: false, too, where it cannot be asked for that condition
 * (CONDITIONS: for none). */
bool walk_applies(const struct invariance_request *request, enum condition condition,
                  struct error *why);

/* Variants for a `variants` hook: those with which the implementation starts. */
bool walk_variants(const struct invariance_request *request, const struct binding *binding,
                   struct variants *variants, struct error *why);

struct walk_outputs {
    void *results[MAX_RESULTS];
    uint8_t *unanswered, *trapped;
};

struct walk {
    const struct invariance_request *request;
    struct property_tally *tally;
    size_t array;   /* inputs of a call; 0: as the implementation likes */
    uint64_t first; /* of the block, in the domain */
    size_t count;
    void *inputs[MAX_OPERANDS];   /* codes of the block */
    void *operands[MAX_OPERANDS]; /* in the order in which they are computed */
    struct walk_outputs reference, outputs, sent;
    size_t condition;    /* number of what is computed next */
    const char *where;   /* what that is in words; may be NULL */
    uint64_t *differing; /* by result, counted for each comparison; NULL: nobody asks */
    uint8_t *changed[MAX_RESULTS], *is_compared; /* by input */
    uint8_t *is_missing;                         /* likewise, those without an answer at first */
    uint8_t *is_unrepeatable;
    size_t repeated; /* blocks that were computed again to see whether they can be repeated */
};

/* In which order the calls of a block are made. */
enum walk_order {
    WALK_FORWARD,
    WALK_BACKWARD,      /* the last call first */
    WALK_AFTER_ONE,     /* a call with 1 before each */
    WALK_AFTER_GREATEST /* a call with the greatest number before each */
};

/* Room; the process is one of the walk. False without memory; walk_close is to be called anyway. */
bool walk_open(struct walk *walk, const struct invariance_request *request,
               const struct walk_process *process, struct property_tally *tally);
void walk_close(struct walk *walk);

/* Counts the block, and loads the next one. False after the last one, or where the user stops. */
bool walk_next(struct walk *walk);

/* Computes the block. The conditions may be NULL; their length is the walk's. What has cost too many
 * inputs their process is not asked for. */
bool walk_compute(struct walk *walk, struct walk_process *process,
                  const struct conditions *conditions, enum walk_order order,
                  struct walk_outputs *outputs, struct error *error);

/* Computes inputs `at` to `at` + `count` of the block alone. */
bool walk_compute_some(struct walk *walk, struct walk_process *process,
                       const struct conditions *conditions, size_t at, size_t count,
                       struct walk_outputs *outputs, struct error *error);

/* Where outputs differ from the reference, and not by what `excused` (or NULL) has, computes both again,
 * the reference by the first process without conditions: inputs whose bits are not the same then are
 * counted as unrepeatable, and not compared. Of a block as a whole, in the first blocks that differ; and
 * of one input again and again, whose verdict is that of all that differ. A second process of NULL is not
 * asked: by several threads outputs need not be the same again. */
bool walk_repeat(struct walk *walk, struct walk_process *process, struct walk_process *other,
                 const struct conditions *conditions, const struct walk_outputs *excused,
                 struct error *error);

/* Counts each input of them whose output is other than that of the reference, unless that is what
 * `excused` (or NULL) has. */
void walk_compare(struct walk *walk, const struct walk_outputs *outputs, size_t at, size_t count,
                  const struct walk_outputs *excused, const char *where);

/* Whether there is an answer to an input to be compared with the reference's. */
bool walk_is_answered(struct walk *walk, const struct walk_outputs *outputs, size_t at);

/* Notes that an output has changed, once for each input. */
void walk_change(struct walk *walk, size_t at, int result, uint64_t reference, uint64_t got,
                 const char *where);

/* The code of a result of the block. */
uint64_t walk_result(const struct walk *walk, const struct walk_outputs *outputs, int result,
                     size_t at);

/* The operands of an input of the block. */
void walk_codes(const struct walk *walk, size_t at, uint64_t codes[MAX_OPERANDS]);

#endif
