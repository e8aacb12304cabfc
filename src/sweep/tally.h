/* What a sweep counts for one implementation and one result.
 *
 * A tally of a set of inputs does not depend on the order in which they were judged, and the merge
 * of two tallies is the tally of both sets: every field is an integer sum, a maximum with ties
 * broken by the input's number, or the first few of an order. So the number of threads, blocks or
 * machines never changes a report. */
#ifndef DETCHECK_SWEEP_TALLY_H
#define DETCHECK_SWEEP_TALLY_H

#include "impl/implementation.h"
#include "oracle/judge.h"
#include "record/sum.h"
#include "sweep/envelope.h"
#include "sweep/measured.h"

#include <stdbool.h>
#include <stdint.h>

enum { TALLY_WORST = 10, TALLY_EVENTS = 16, TALLY_FIRST = 10, HISTOGRAM_EDGES = 41 };

/* Upper ends (inclusive, in ulps) of the histogram's buckets; one more bucket has no end. */
extern const double histogram_edges[HISTOGRAM_EDGES];

/* The order of inputs: by their numbers. Those of a report have none (0), and are in the order of their
 * codes, which is the same. */
static inline bool place_is_earlier(uint64_t index, const uint64_t *input, uint64_t other,
                                    const uint64_t *others) {
    int i = 0;
    if (index != other)
        return index < other;
    while (i < MAX_OPERANDS - 1 && input[i] == others[i])
        i++;
    return input[i] < others[i];
}

static inline bool witness_is_earlier(const struct witness *a, const struct witness *b) {
    return place_is_earlier(a->index, a->input, b->index, b->input);
}

/* How an error ranks among others: cut to a multiple of 2^-22 ulp, and of 2^-20 ulp where it lies
 * below `fine_from` or between 1 - 2^-10 and 1. Millions of neighbours may share an error (all that
 * arccos gives near 0 are pi/2), or have one that grows from input to input by next to nothing:
 * such differences mean nothing, and a fast judge need not ask MPFR for them. */
double error_rank(double error, double fine_from);
/* The largest error of a right result: 0.5 to nearest, 1 in the directed roundings. */
double error_fine_from(enum rounding rounding);

/* Computes the error of an output again, as exactly as can be; what it finds to contradict what is
 * known makes the sweep fail. */
struct error_knowledge;
typedef double refine_function(void *context, const struct witness *witness,
                               const struct error_knowledge *knowledge);

/* What is known of an error: it lies within `slack` of the judgement's, and never above `most`
 * (0.5, or just below 1, for right results). Where the ranking depends on more, `refine` is asked.
 */
struct error_knowledge {
    double slack, most;
    bool right; /* correctly rounded */
    refine_function *refine;
    void *context;
};

/* Errors over the inputs with one exponent of the first operand; the largest is cut to a multiple
 * of 2^-20 ulp. */
struct binade_tally {
    uint64_t tested, incorrect;
    double max_error;
};

struct event_witness {
    enum event_kind kind;
    uint64_t index;
    uint64_t input[MAX_OPERANDS];
};

/* What elements are worth beside the steps of their definition: op/array.h. */
/* Errors of values rank as those in ulps of a directed rounding. */
#define VALUE_FINE_FROM 1.0

struct value_tally {
    uint64_t exact, clipped, overflowed, lost_bits;
    struct error_sum above, below; /* of the outputs that stand for too much, or for too little */
    bool has_max;
    struct witness max; /* as the tally's, with the error of the value */
};
void value_tally_add(struct value_tally *tally, const struct array_value *value,
                     const struct witness *witness);
/* Of `count` outputs, the mean of all errors, and that of the errors with their signs. */
double error_sums_mean(const struct error_sum *above, const struct error_sum *below,
                       uint64_t count);
double error_sums_bias(const struct error_sum *above, const struct error_sum *below,
                       uint64_t count);

/* What was found of a promise (sweep/promise/promise.h). */
struct promise_violation {
    struct witness witness; /* with the error in ulps, 0 where it has none */
    double excess;          /* promise_excess */
    double limit;           /* in ulps */
    bool has_error;         /* no NaN mismatch and no zero of the wrong sign */
    bool has_reference;     /* other bits were promised than these: no limit */
    uint64_t reference;     /* the bits that were promised */
};
struct promise_tally {
    uint64_t kept, accepted, left_out, violations; /* of those tested */
    bool has_worst;
    struct promise_violation worst;
};

/* What a tally tells of beside what every tally does: bits of `tells`. */
enum tally_tells {
    TELLS_UNANSWERED = 1,
    TELLS_SIGNALLING = 2, /* of numbers */
    TELLS_CALLS = 4,      /* of operands that are integers in C, and of casts to integers */
    TELLS_ENDS = 8,       /* array_counts_ends */
    TELLS_FLUSHED = 16,   /* of a search's inputs */
    TELLS_SUM = 32,
    TELLS_VALUE = 64, /* array_has_values */
    TELLS_PROMISE = 128,
    TELLS_ENVELOPE = 256,
    TELLS_ERRORS = 512, /* of these three what sweep_request.shows asks for */
    TELLS_MONOTONY = 1024,
    TELLS_SYMMETRY = 2048,
    TELLS_SIGNALLED = 4096, /* of numbers */
    TELLS_LENGTHS = 8192    /* array_is_of_texts */
};

/* The members stand in tally_record.c again, a row each: what is counted here is written, read and merged
 * by these rows. */
struct tally {
    unsigned tells;
    double fine_from; /* of error_rank */
    uint64_t tested;
    uint64_t unanswered; /* inputs without an output: not among those tested */
    uint64_t
        not_called;   /* inputs that are no call of C (op/calls.h), or of which a conversion has no
                            right result (cast_is_open): in neither of the two */
    uint64_t correct; /* correctly rounded; NaN for NaN too */
    uint64_t incorrect; /* other bits than the correctly rounded ones, NaN aside */
    uint64_t faithful;  /* the correctly rounded ones too */
    uint64_t in_ulps;   /* outputs that have an error in ulps */
    uint64_t over_1_ulp;
    uint64_t nan_mismatches;
    uint64_t signalling_mismatches; /* those of them where an operand is a signalling NaN */
    uint64_t nan_bits_differ;
    uint64_t signalling_nans;     /* outputs, whatever is right; of operations on numbers */
    uint64_t sign_mismatches;     /* zeros of the wrong sign; part of `incorrect` */
    uint64_t saturated, vanished; /* of tally_add_end */
    struct value_tally value;     /* where array_has_values */
    struct promise_tally promise; /* where there is one */
    uint64_t histogram[HISTOGRAM_EDGES + 1];
    struct error_sum error_sum;
    /* Of a search's inputs: results that are zero where the right one is subnormal, and the largest
     * error among the others. */
    uint64_t flushed;
    bool has_max_else;
    struct witness max_else;
    bool has_max;
    struct witness
        max; /* largest error; of those a wrong output, if there is one; then the first */
    unsigned worst_count;
    struct witness worst[TALLY_WORST]; /* incorrect ones, largest error first, then first input */
    unsigned mismatch_count;
    struct witness mismatches[TALLY_FIRST]; /* first NaN and sign mismatches */
    bool has_first_nan, has_first_sign;     /* the first of each, which those may lack */
    struct witness first_nan, first_sign;
    uint64_t events[EVENT_KINDS];
    unsigned event_count;
    struct event_witness first_events[TALLY_EVENTS];
    int lowest_exponent, binade_count;
    struct binade_tally *binades; /* by exponent, from lowest_exponent */
    struct envelope envelope;     /* where somebody asks for one */
    struct size_tally absolute, relative;
    struct pair_tally monotony, symmetry;
    struct length_tally lengths; /* of texts */
};

bool tally_open(struct tally *tally, const struct format *format, enum rounding rounding);
void tally_close(struct tally *tally);

/* Counts one judged output. `exponent` is that of the first operand's value; INT_MIN for zero,
 * infinity, NaN. */
void tally_add(struct tally *tally, const struct judgement *judgement,
               const struct witness *witness, int exponent,
               const struct error_knowledge *knowledge);

/* Counts `count` more outputs with the very judgement of one that tally_add has counted, none of which
 * would be kept: each comes behind TALLY_WORST such outputs, and its error is no larger. `code` is the
 * first operand of one of them; where there is an envelope, all lie in one step. */
void tally_add_alike(struct tally *tally, const struct judgement *judgement, uint64_t count,
                     int exponent, uint64_t code);

/* Of an output that tally_add has counted: whether it is the largest number, and the exact value
 * beyond that; whether it is zero, and the exact value is not. */
void tally_add_end(struct tally *tally, const struct format *format, const struct real *y,
                   uint64_t got);

/* Counts many outputs of one exponent at once, right or wrong, but no mismatches: histogram[k] of
 * them with an error in bucket k, errors that sum to `error_sum` in units of 2^-29 ulp. `code` as in
 * tally_add_alike; what the envelope has of their errors is told to it apart. */
struct bulk_outputs {
    uint64_t count, incorrect, faithful, in_ulps, over_1_ulp, nan_bits_differ;
    uint64_t histogram[HISTOGRAM_EDGES + 1];
    uint64_t error_sum;
};
enum { BULK_UNITS_LOG2 = 29 };
void tally_add_bulk(struct tally *tally, const struct bulk_outputs *outputs, int exponent,
                    uint64_t code);

/* Whether an output for input `index` with an error of at most `error` could still change a
 * maximum or the list of the worst, and the offer of one that could (counted by tally_add_bulk). */
bool tally_could_change(const struct tally *tally, double error, uint64_t index, int exponent,
                        bool incorrect);
void tally_offer(struct tally *tally, const struct witness *witness, int exponent,
                 const struct error_knowledge *knowledge, bool incorrect);

/* What the envelope is told of an output in ulps, counted or not: `below` the exact value, or not. */
void tally_offer_step(struct tally *tally, const struct witness *witness, bool below,
                      const struct error_knowledge *knowledge);

/* Of an output in ulps that tally_add has counted: whether it was flushed to zero, and its error where
 * it was not. */
void tally_add_flushed(struct tally *tally, bool flushed, const struct witness *witness);

/* The orders of the lists of a tally (record_before): of the worst outputs, of the first ones, of events. */
bool tally_is_worse(const void *tally, const void *a, const void *b);
bool tally_is_earlier(const void *tally, const void *a, const void *b);
bool tally_event_is_earlier(const void *tally, const void *a, const void *b);
/* Of witnesses the larger error first, to the last bit, then the earlier input. */
bool tally_is_larger(const void *data, const void *a, const void *b);

/* Counts the absolute and the relative error of an output in ulps that tally_add has counted. */
void tally_add_sizes(struct tally *tally, const struct format *format, const struct real *y,
                     const struct witness *witness);

/* The means of those of these errors that are doubles. */
double tally_mean_absolute(const struct tally *tally);
double tally_mean_relative(const struct tally *tally);

/* Counts a pair that is wrong, and keeps the first. */
void pair_tally_add_wrong(struct pair_tally *tally, const struct pair_witness *witness);

/* Where the error lies that so many thousandths of the outputs in ulps do not exceed, by the edges of the histogram and
 * by the largest error. Of no outputs both ends are 0. */
struct percentile tally_percentile(const struct tally *tally, unsigned thousandths);

/* Counts a line, and keeps the first whose length is wrong. */
void length_tally_add(struct length_tally *tally, const struct length_witness *witness);

void tally_add_event(struct tally *tally, const struct event_witness *event);
void tally_merge(struct tally *tally, const struct tally *other);

/* Where two implementations gave different bits (NaNs canonical). */
enum { DIFFERENCE_LOWEST = -1100, DIFFERENCE_BINADES = 2200 };
struct difference_witness {
    uint64_t index;
    uint64_t input[MAX_OPERANDS];
    uint64_t a, b;
};
struct difference_tally {
    uint64_t count;
    uint64_t binades[DIFFERENCE_BINADES]; /* of the first operand, from DIFFERENCE_LOWEST */
    unsigned first_count;
    struct difference_witness first[TALLY_FIRST];
};
/* `exponent` as for tally_add. */
void difference_add(struct difference_tally *tally, uint64_t index, const uint64_t *input,
                    int exponent, uint64_t a, uint64_t b);
void difference_merge(struct difference_tally *tally, const struct difference_tally *other);

#endif
