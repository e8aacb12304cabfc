/* Looking into a box: many inputs of it, their errors near enough for ranking, and the largest of
 * them exactly. */
#ifndef DETCHECK_SWEEP_SEARCH_PROBE_H
#define DETCHECK_SWEEP_SEARCH_PROBE_H

#include "impl/libm.h"
#include "sweep/built/built.h"
#include "sweep/effects.h"
#include "sweep/open_inputs.h"
#include "sweep/search/box.h"
#include "sweep/search/line.h"
#include "sweep/search/search.h"
#include "sweep/worker.h"

enum { PROBE_MOST_INPUTS = 1 << 14, PROBE_MOST_EVALUATIONS = 1 << 16, PROBE_STRANGE = 4 };

/* Large errors alone: those above the bound, of one sign, at inputs that share low bits. */
struct beyond {
    double bound; /* 0: all errors */
    double reach; /* how far above, about */
    bool below;   /* the outputs are below the exact results */
    unsigned shared_log2;
    uint64_t shared; /* a code of the running operand with the low bits that are wanted */
};

enum { MOST_SHARED_BITS = 16 };

/* What is to be looked at. */
struct probe {
    struct box box;
    uint64_t half;  /* codes on either side of the centre of a line, at most */
    size_t inputs;  /* how many at first, at most PROBE_MOST_INPUTS */
    size_t most;    /* how many in all */
    bool breeds;    /* the worst inputs of the line are combined to worse ones */
    bool seeks_end; /* its line lies next to where the results change their binade, if they do */
    struct beyond beyond;
    const struct code_set *scattered; /* not a line, but inputs from everywhere in these; or NULL */
    const struct domain *listed;      /* not a line, but inputs of this list; or NULL */
    bool is_built;                    /* not a line, but inputs that are built */
    uint64_t first;  /* and the number of the first of them, in the search or the list */
    uint64_t number; /* of the probe in the search: with the seed, what is drawn */
};

/* An input whose call raised a wrong flag, lacked one, or did so with errno. */
enum { FAULT_KINDS = EFFECT_FAULTS * EFFECTS };
struct found_fault {
    uint64_t kind; /* of the fault and the effect */
    uint64_t input[MAX_OPERANDS];
};

/* What was seen. */
struct probe_result {
    uint64_t evaluations;
    double top; /* the mean of the largest eight */
    bool has_best;
    struct found_input best; /* exact */
    bool has_allowed;
    struct found_input allowed; /* the largest error of those that are allowed, and no finds */
    bool below;                 /* the output of the first is below the exact result */
    unsigned strange;           /* inputs without an answer, or where NaN or a sign is wrong: */
    uint64_t strange_inputs[PROBE_STRANGE][MAX_OPERANDS];
    uint32_t faults; /* of flags and errno: the bits of their kinds, and an input with each */
    size_t faulty_count;
    struct found_fault faulty[FAULT_KINDS];
};

/* One thread's means. */
struct prober {
    const struct search_request *request;
    const size_t *implementations; /* one, or the two that are compared; none for a boundary */
    size_t implementation_count;
    struct worker worker;
    struct line_maker maker;
    struct libm_wider wider;
    struct builder *builder; /* NULL where no inputs are built for the operation */
    double *offsets, *values, *ranks, *more_ranks; /* PROBE_MOST_INPUTS each */
    void *outputs[2][MAX_RESULTS];
    struct integer_place integer; /* `operand` is -1 where none is an integer */
    struct open_inputs open;      /* of which no result is right, and none is sought */
};

/* As worker_open. */
bool prober_open(struct prober *prober, const struct search_request *request,
                 const struct sweep_request *sweep, struct error *reasons, struct error *error);
void prober_close(struct prober *prober);

/* False for trouble of the environment only. */
bool prober_look(struct prober *prober, const struct probe *probe, struct probe_result *result,
                 struct error *error);

#endif
