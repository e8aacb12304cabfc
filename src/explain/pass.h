/* Two implementations held against each other, input by input, and against what the hypotheses
 * predict. */
#ifndef DETCHECK_EXPLAIN_PASS_H
#define DETCHECK_EXPLAIN_PASS_H

#include "base/stage.h"
#include "explain/conversion.h"
#include "explain/count.h"
#include "explain/side.h"
#include "sweep/fingerprint.h"

#include <signal.h>

/* Magnitudes from..to of each sign, nowhere where `from` is above `to`. */
struct stretch {
    bool limited; /* false: everywhere */
    uint64_t from[2], to[2];
};

static inline bool stretch_has(const struct stretch *stretch, const struct format *format,
                               uint64_t code) {
    const int sign = format_is_negative(format, code);
    const uint64_t magnitude = format_magnitude(format, code);
    return !stretch->limited || (!format_is_nan(format, code) && magnitude >= stretch->from[sign] &&
                                 magnitude <= stretch->to[sign]);
}

struct explain_request {
    struct binding_request computed;
    int result; /* of those of the operation */
    const struct implementation *sides[2];
    const struct implementation *rebuilds[REBUILD_MOST];
    const char *rebuild_names[REBUILD_MOST]; /* of their hypotheses */
    size_t rebuild_count;
    struct side_losses *rebuild_losses; /* the caller's, REBUILD_MOST of them; or NULL */
    const struct domain *domain;
    const struct stretch
        *limits; /* by bit, where a hypothesis says anything; or NULL: everywhere */
    int threads;
    uint64_t seed;                     /* of what is drawn */
    const volatile sig_atomic_t *stop; /* nonzero: come to an end; may be NULL */
    struct side_losses *losses[2];     /* by side, the caller's, for all phases; or NULL */
    const struct stage *stage;         /* told of each pass; may be NULL */
};

/* Whether an input has the same random bits, or none, wherever it stands. */
static inline bool request_is_uniform(const struct explain_request *request) {
    return !rounding_is_stochastic(request->computed.rounding) ||
           request->computed.parameters.values[PARAMETER_RANDOM].present;
}

/* Inputs in a row: FINGERPRINT_BLOCK at most. */
struct input_block {
    uint64_t first;
    size_t count;
};

/* Called for each difference, by several threads at a time. */
typedef void difference_function(void *context, hypothesis_set set,
                                 const struct difference *difference);

/* Called for each prediction that is wrong, likewise. */
typedef void wrong_function(void *context, hypothesis_set bit, const struct difference *difference);

struct pass {
    struct input_block (*block)(const struct pass *pass, uint64_t at); /* the blocks, by number */
    uint64_t block_count;
    const struct explain_request *request;
    hypothesis_set alive;           /* those that are asked */
    hypothesis_set where_different; /* of those, asked only where the sides differ */
    /* Where not NULL: by side and block, the digest of the outputs. */
    struct block_digest *digests[2];
    /* Where not NULL: by row and block, the digest of what the row has `predicted_side` give, of the
     * rows that have a bit in `alive`. */
    struct block_digest *predicted;
    int predicted_side;
    enum side_question question;
    const char *doing; /* what is asked, for a bar of progress; or NULL */
    bool keeps;        /* where it is stopped, what was counted until then is the caller's */
    difference_function *visit;  /* may be NULL */
    wrong_function *visit_wrong; /* likewise */
    void *visit_context;
    void *context; /* of `block` */
};

/* Rows without those of rebuilds. */
static inline size_t hypothesis_own_rows(const struct explain_request *request) {
    return request->computed.operation->converts ? conversion_hypothesis_count : hypothesis_count;
}

/* The row of a bit of a set, those of rebuilds included. */
static inline struct hypothesis hypothesis_of(const struct explain_request *request, size_t row) {
    const size_t own = hypothesis_own_rows(request);
    if (row < own)
        return request->computed.operation->converts ? conversion_hypothesis(row) : hypotheses[row];
    return (struct hypothesis){.name = request->rebuild_names[row - own],
                               .says = "is what the command builds",
                               .source = FROM_REBUILD};
}

static inline size_t hypothesis_rows(const struct explain_request *request) {
    return hypothesis_own_rows(request) + request->rebuild_count;
}

/* Counts. False, with an error, also where it was stopped: then there are counts only of a pass that keeps them. */
bool pass_run(const struct pass *pass, struct counts *counts, struct error *error);

#endif
