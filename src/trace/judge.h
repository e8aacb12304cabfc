/* What can be said of an operation whose inputs were the same on both sides and whose outputs were not: which side is nearer
 * to the exact result, and what makes the difference.
 *
 * Judged are the outputs that differ, from the recorded inputs: the others are the same on both sides. A cause is named only
 * where it gives all outputs that were looked at, bit for bit. */
#ifndef DETCHECK_TRACE_JUDGE_H
#define DETCHECK_TRACE_JUDGE_H

#include "trace/call.h"
#include "trace/compare.h"
#include "trace/digests.h"

enum { TRACE_WHY = 256, TRACE_CAUSE = 1024, TRACE_SIDE = 384 };

struct trace_finding {
    const char *operation;       /* detcheck's; NULL: not judged, and `why` says why */
    const char *operation_there; /* where each side is judged by its own; else NULL */
    char why[TRACE_WHY];
    uint64_t outputs, differ, judged; /* judged: of those that differ */
    uint64_t terms;                   /* that judging was estimated to take (trace/drawn.h) */
    uint64_t wrong[2],
        nearer[2];     /* of those judged: not correctly rounded; nearer than the other side's */
    double largest[2]; /* error in ulps */
    enum trace_cause cause;
    char says[TRACE_CAUSE];    /* the cause as a sentence without an end; or what comes nearest */
    char sides[2][TRACE_SIDE]; /* the way that gives all outputs of a side; empty: none is known */
    uint64_t looked;           /* outputs that the ways were held against */
    uint64_t tried, fits[2];   /* ways; and of these, those that give all of a side */
    double seconds;            /* of the processor that looking for the cause took */
};

/* Which operations of a trace have the same name and inputs. All zero at first. */
struct trace_repeats {
    const struct trace *trace;
    struct digest_map first; /* of a name and digests of inputs */
    size_t *next;            /* of each operation: the next one of that key; SIZE_MAX: none */
};

/* False without memory; trace_repeats_close in any case. */
bool trace_repeats_open(struct trace_repeats *repeats, const struct trace *trace);
void trace_repeats_close(struct trace_repeats *repeats);

struct trace_question {
    const struct trace *traces[2];
    const struct trace_operation
        *operations[2];           /* of the same row; their inputs have the same bits */
    struct trace_group groups[2]; /* of two groups; `operations` has the first one of here twice */
    /* Whose outputs are looked at, where a group of operations stands beside one: `operations` has the one twice, and
     * `traces` its trace; or beside another group; else NULL. */
    const struct trace_operation *givers[2];
    const struct trace *giver_traces[2];
    size_t numbers[2];   /* which operation of its own trace gives each side's outputs */
    const char *swapped; /* inputs that one side has in other places; "" */
    const struct trace_repeats
        *repeats[2];               /* of both traces; NULL: repetitions are not looked for */
    struct trace_reveals *reveals; /* of implementations that are at hand; or NULL */
    uint64_t terms;                /* of sums: about as many as judging may take the time of */
    double seconds;                /* of the processor that looking for a cause may take */
};

static inline const struct trace_operation *trace_giver(const struct trace_question *question,
                                                        int side) {
    return question->givers[side] ? question->givers[side] : question->operations[side];
}

/* False where not even the outputs can be read: the error says why. */
bool trace_find(const struct trace_question *request, struct trace_finding *finding,
                struct error *error);

/* The same for a comparison (trace/compare.h): a trace_judge, whose context is a struct trace_patience. */
struct trace_patience {
    uint64_t
        terms; /* that are left for all rows that are still to come; TRACE_ALL_TERMS: each output is judged */
    double seconds; /* likewise, of looking for causes */
    double
        overtime; /* of the processor, for rows that come when either is spent; then rows are not judged */
    struct trace_reveals *reveals;   /* of implementations that are at hand; or NULL */
    struct trace_repeats repeats[2]; /* made at the first row; trace_patience_close frees them */
};
void trace_patience_close(struct trace_patience *patience);
bool trace_judge_row(void *context, const struct trace *here, const struct trace *there,
                     struct trace_row *row, struct error *error);

#endif
