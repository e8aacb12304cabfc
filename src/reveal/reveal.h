/* In which order, and in what arithmetic, an implementation sums: found by probes, proven by replay. */
#ifndef DETCHECK_REVEAL_REVEAL_H
#define DETCHECK_REVEAL_REVEAL_H

#include "reveal/addend.h"
#include "reveal/refute.h"
#include "reveal/unit_names.h"

enum reveal_state {
    REVEALED, /* no array that was replayed differs */
    BEST_FIT, /* some do: the model is the one of which the fewest do; or c stands nowhere in it */
    NOT_REPEATABLE, /* a call that is made again returns another result */
    NO_TREE,        /* what pairs of terms say is no tree */
    NOT_TOLD,       /* no number of the format is lost beside another, or no model can be run */
    REVEAL_STATES
};
extern const char *const reveal_state_names[REVEAL_STATES];

struct reveal_request {
    const struct implementation *implementation;
    struct binding_request computed;
    const struct inner_sum *inner; /* the sum inside of the operation that is meant, or NULL */
    struct shape shape;            /* the user's, or of 0 dimensions */
    size_t whole; /* of a scan: the length of the lines of which lengths are prefixes; else 0 */
    uint64_t arrays, seed;             /* to be replayed */
    const volatile sig_atomic_t *stop; /* NULL, or set where no more is wanted */
    unsigned at_once;                  /* threads that make each call; 0: one */
};

enum { REVEAL_OPEN = 48, REVEAL_TEXT = 512 };

/* Of one length. */
struct revealed {
    enum reveal_state state;
    size_t terms;
    bool has_model;
    struct model model;
    struct replay replay;
    const char *const *families; /* the names of those of its arrays */
    char why
        [REVEAL_TEXT]; /* beside the state: the call that shows it, or what the first difference refutes */
    struct refuted refuted; /* of BEST_FIT */
    char open[REVEAL_OPEN][ORDER_TEXT];
    unsigned open_count;
    struct unit_names units; /* matrix units that give all samples */
    struct addend addend;    /* where c stands; "": none comes in, or nothing is revealed */
    uint8_t *weight;         /* of each term: how often it is in the result, 3: another number */
    size_t dropped, doubled, odd;
    struct shape shape;
    uint64_t tree_calls, node_calls, calls; /* of these all */
    size_t models;                          /* that were tried */
    bool is_cut;                            /* others were not */
    const char *event;
};

/* False with an error where the environment fails, or the implementation does not provide this. revealed_close when
 * done, in any case. */
bool reveal_length(const struct reveal_request *request, size_t terms, struct revealed *revealed,
                   struct error *error);
void revealed_close(struct revealed *revealed);

/* A model of another length is tried before anything is probed: where no array differs, that is it. `through` is what
 * is known of a sum inside of an operation beside its order. */
bool reveal_by(const struct reveal_request *request, size_t terms, const struct order *order,
               const struct through_choice *through, struct revealed *revealed, bool *fits,
               struct error *error);

#endif
