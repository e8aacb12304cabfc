/* Looking for the worst inputs, where there are too many to try them all.
 *
 * A search is a source of inputs: it tries many, judges them well enough to rank them, and what it
 * found worst becomes a domain that a sweep then judges as any other. What is not among them may be
 * worse: the largest error that a search finds is a lower bound. */
#ifndef DETCHECK_SWEEP_SEARCH_SEARCH_H
#define DETCHECK_SWEEP_SEARCH_SEARCH_H

#include "sweep/domain.h"
#include "sweep/fingerprint.h"
#include "sweep/sweep.h"

/* What makes an input the worst. */
enum search_purpose {
    SEARCH_ERROR,      /* of one implementation, in ulps */
    SEARCH_DIFFERENCE, /* of two, in ulps */
    SEARCH_BOUNDARY,   /* the exact result lies near a place where rounding changes; in ulps */
    SEARCH_WRONG_ROUNDING, /* the error of an output that is not correctly rounded, at inputs that are built
                              (sweep/built/built.h) */
    SEARCH_PURPOSES
};
extern const char *const search_purpose_names[SEARCH_PURPOSES];

/* Whether an error of an output is what is sought, all of them or those of wrong roundings. */
static inline bool search_is_of_errors(enum search_purpose purpose) {
    return purpose == SEARCH_ERROR || purpose == SEARCH_WRONG_ROUNDING;
}

/* What one unit of the search's rank is called: "error", "difference", "distance", "error". */
extern const char *const search_value_names[SEARCH_PURPOSES];

struct found_input {
    uint64_t input[MAX_OPERANDS];
    double value; /* the error, the difference or the distance */
};

/* The best so far after that many evaluations. */
struct search_growth {
    uint64_t evaluations;
    double value;
};

enum { SEARCH_BEST = 32, SEARCH_GROWTH = 256 };

/* The search for one implementation, or two, or none. */
struct search_part {
    size_t implementations[2]; /* of the request */
    size_t implementation_count;
    const char *names[2]; /* theirs */
    unsigned tells;       /* the bit of the purpose, which the rows of its values have (record.h) */
    uint64_t evaluations; /* inputs that were tried */
    unsigned best_count;
    struct found_input best[SEARCH_BEST]; /* the worst inputs, the worst first */
    unsigned growth_count;
    struct search_growth growth[SEARCH_GROWTH];
};

/* How a domain was found. */
struct search_record {
    struct shard shard;   /* the share of the effort that it is; {0}: all of it */
    uint64_t whole;       /* evaluations of all shards; 0 where the time counts */
    char whole_text[256]; /* what all shards are, for people */
    char whole_identity
        [FINGERPRINT_TEXT]; /* of the inputs to start from; empty where there are none */
    enum search_purpose purpose;
    uint64_t evaluations; /* of all parts */
    double seconds;       /* that the search took, in runs that were ended before too */
    uint64_t
        found; /* inputs; where it is 0, the domain's stand for those tried: the largest errors that
                             are allowed, or any input */
    bool accepts_flushed; /* as was asked for */
    bool without_built;   /* the same */
    bool
        has_nothing; /* the domain has any input, which is of no interest: of this run, not of a report that was read */
    unsigned part_count;
    struct search_part parts[MAX_IMPLEMENTATIONS];
};

struct search_request {
    /* All but its domain: what is computed and by whom, and the checkpoint that the search goes on from,
     * if any. What is not searched yet is then sought with the same results as without a break. */
    const struct sweep_request *sweep;
    enum search_purpose purpose;
    /* It ends after so many evaluations, or, where that is 0, after so many seconds: each part has
     * its share. */
    uint64_t evaluations;
    double seconds;
    volatile double *until; /* where the implementations look how long they may wait; or NULL */
    uint64_t seed;
    bool accepts_flushed; /* a result that is zero where the right one is subnormal is no error */
    bool without_built;   /* no inputs are built */
    const struct code_set *sets; /* where to look: of each operand */
    const struct domain *known;  /* inputs to start from, or NULL */
};

/* Whether the inputs of an operation in a format are too many to try all, or, where inputs are to be built, whether they
 * are for that operation; else an error that says what to do. */
bool search_is_for(enum search_purpose purpose, const struct operation *operation,
                   const struct format *format, struct error *error);

/* Runs. The domain (to free) has the worst inputs, and those where something else was wrong, and
 * points to the record. Not all was tried where *complete is false: the request's stop flag was
 * set. With `evaluations`, the domain and the record depend on the request alone, not on the number
 * of threads. */
bool search_run(const struct search_request *request, struct search_record *record,
                struct domain *domain, bool *complete, struct error *error);

#endif
