/* Two implementations side by side, without an oracle: where their outputs have other bits. */
#ifndef DETCHECK_SWEEP_DIFFER_H
#define DETCHECK_SWEEP_DIFFER_H

#include "impl/implementation.h"
#include "sweep/domain.h"
#include "sweep/fingerprint.h"

enum { DIFFER_FIRST = 10, DIFFER_BINADES = 4200 };

/* Inputs by the binade of the first operand; those that have none (zero, infinity, NaN) are last.
 */
struct differ_binade {
    uint64_t tested, differ;
};

struct differ_witness {
    uint64_t index; /* in the domain */
    uint64_t in[MAX_OPERANDS], a[MAX_RESULTS], b[MAX_RESULTS];
};

/* What one of the two did besides answering. */
struct differ_events {
    uint64_t counts[EVENT_KINDS], all;
    enum event_kind kind; /* of the first */
    uint64_t index, in[MAX_OPERANDS];
};

struct differ_outcome {
    uint64_t tested, differ; /* inputs that both answered */
    uint64_t nans; /* inputs that count as equal, whose outputs are NaNs with different bits */
    uint64_t unanswered; /* inputs that one of the two did not */
    uint64_t open;       /* inputs of which no result is right (sweep/open_inputs.h) */
    struct differ_events events[2];
    int lowest_exponent; /* of binades[0] */
    struct differ_binade binades[DIFFER_BINADES];
    struct differ_binade none; /* without a binade */
    size_t first_count;
    struct differ_witness first[DIFFER_FIRST]; /* in order of the domain */
};

struct differ_request {
    struct binding_request computed;
    const struct implementation *a, *b;
    const struct domain *domain;
    int only;             /* the one result that is compared, or -1: all */
    uint64_t from, count; /* the part of the domain */
    int threads;
    const volatile sig_atomic_t *stop; /* nonzero: compare no more; may be NULL */
};

/* Runs both; NaNs count as equal. An input that one of the two does not answer, or that is open, is not compared.
 * False when one does not provide what is asked, or for trouble of the environment, and when it was
 * stopped; the outcome then has the inputs that were compared until then. */
bool differ_run(const struct differ_request *request, struct differ_outcome *outcome,
                struct error *error);

/* The digest of one block of the domain's outputs of one result, as a sweep has it. False also
 * where an input of it is not answered. */
bool differ_digest(const struct differ_request *request, const struct implementation *which,
                   int result, uint64_t block, struct block_digest *digest, struct error *error);

#endif
