/* Two traces beside one another: which operations parted by themselves, and how far the outputs are apart.
 *
 * A comparison is a record (record.h): what is written as a document, read from one, printed and drawn is the same
 * struct. Texts are those of the traces, or of the document that it was read from. */
#ifndef DETCHECK_TRACE_COMPARE_H
#define DETCHECK_TRACE_COMPARE_H

#include "tensor/compare.h"
#include "trace/trace.h"

#include <signal.h>

enum trace_verdict {
    TRACE_EQUAL,
    TRACE_PARTED,       /* the same inputs, other outputs */
    TRACE_FOLLOWED,     /* other outputs, of inputs that an operation before had as other outputs */
    TRACE_OTHER_INPUTS, /* other outputs, of other inputs that no operation before gave otherwise */
    TRACE_UNCLEAR,      /* other outputs, and the digest of an input is missing */
    TRACE_NOT_COMPARED, /* no output has a digest on both sides, or all are whatever lay in memory */
    TRACE_HERE_ALONE,   /* no partner on the other side */
    TRACE_THERE_ALONE,
    TRACE_VERDICTS
};
extern const char *const trace_verdict_names[TRACE_VERDICTS];

/* Outputs at a distance: "3 to 4" ulps. */
struct trace_ulps {
    char ulps[TENSOR_DISTANCE_TEXT];
    uint64_t count;
};

/* What makes the outputs differ. */
enum trace_cause {
    TRACE_CAUSE_NONE,       /* nothing was found */
    TRACE_CAUSE_ATTRIBUTES, /* the two were asked for other things */
    TRACE_CAUSE_REPEATS,    /* a side gave the same inputs other outputs when it was called again */
    TRACE_CAUSE_RELATION,   /* one side's outputs are the other's, changed */
    TRACE_CAUSE_BOTH,       /* a way of computing gives all outputs of each side */
    TRACE_CAUSE_ONE,        /* of one side */
    TRACE_CAUSE_SEVERAL,    /* several ways of computing give all outputs of a side */
    TRACE_CAUSE_FEW,        /* a way does, but of too few independent outputs to tell */
    TRACE_CAUSES
};
extern const char *const trace_cause_names[TRACE_CAUSES];

/* What the exact oracle says of the outputs of both sides, and what explains them. Whoever judges fills it; all texts but
 * the names of operations are from malloc, and NULL or empty where there is nothing to say. */
struct trace_judgement {
    const char *operation;       /* as detcheck names it: "matmul" */
    const char *operation_there; /* where each side is judged by its own; else NULL */
    uint64_t outputs;            /* that were judged, */
    uint64_t differ; /* of which they are; 0 in a document of before, which does not say */
    uint64_t wrong_here, wrong_there;   /* that are not the exact result correctly rounded */
    uint64_t nearer_here, nearer_there; /* than the other side's */
    double error_here, error_there;     /* the largest ones, in ulps */
    unsigned cause;                     /* enum trace_cause */
    char *says;                         /* the cause, a sentence; or what comes nearest */
    char *cause_here,
        *cause_there; /* the way that gives all outputs of a side: "sums two halves" */
    uint64_t looked, tried, fits_here,
        fits_there;   /* outputs that ways were held against; ways; those that give all of a side */
    char *not_judged; /* why there are no figures */
    char *command;    /* that shows it again */
};

enum { TRACE_SHAPES_TEXT = 192, TRACE_STEPS_TEXT = 512 };

/* An operation of each side, or several of one. */
struct trace_row {
    unsigned verdict;                 /* enum trace_verdict */
    const char *name, *path, *source; /* here; of what only there is, there */
    const char *name_there;           /* "": the same */
    uint64_t here, there;             /* their numbers, from 0 */
    uint64_t here_count, there_count; /* how many; 0: none */
    uint64_t here_span,
        there_span;           /* from the first to the last, where others lie between; else 0 */
    const size_t *members[2]; /* the numbers of all; NULL in a comparison that was read */
    const struct trace_tensor
        *judged[2]; /* outputs that are judged, while two traces are compared */
    bool is_moved, is_random;
    bool has_no_values; /* of one not compared: there was nothing to compare; its kind counts it */
    char shapes[TRACE_SHAPES_TEXT]; /* of the inputs: "1x4096, 4096x1024 bf16" */
    /* Attributes that are not the same on both sides, in words; or empty. */
    char attributes[TRACE_SHAPES_TEXT];
    char input[TRACE_SHAPES_TEXT]; /* of other inputs, the first: "weight, 64x64 fp32"; or empty */
    /* What a group is made of: "here pow, mean, add, rsqrt, 2 mul; there cpp_fused_mean_mul"; or empty. */
    char steps[TRACE_STEPS_TEXT];
    /* Inputs of one operation that changed places: "self here is other there, other here is self there"; or empty. */
    char swapped[TRACE_SHAPES_TEXT];
    char outputs[TRACE_SHAPES_TEXT]; /* that are of two shapes or types, in words; or empty */
    uint64_t elements;               /* of outputs that were compared; 0: they were not kept */
    uint64_t differ;                 /* of these */
    const char *rounded,
        *to; /* formats: of the side that was rounded first, and to which; or NULL */
    uint64_t largest,
        middle; /* ulps; at most 2^53. Half of those that differ are up to `middle` apart */
    uint64_t not_finite; /* of `differ`: NaN or infinite on one side */
    struct trace_ulps *ulps;
    unsigned ulps_count;
    struct trace_judgement *judgement; /* or NULL */
};

/* All operations of a name. */
struct trace_kind {
    const char *name;
    uint64_t calls, parted, followed, other_inputs, unclear, not_compared, alone;
    uint64_t no_values;  /* of those not compared: they gave nothing to compare */
    uint64_t unmeasured; /* of those that parted: how far they are apart is not known */
    uint64_t largest;    /* ulps, of those that parted */
    uint64_t nearer_here, nearer_there; /* of those that were judged: whose outputs are nearer */
};

/* A stretch of the run. */
struct trace_stretch {
    uint64_t first, last; /* numbers of operations here */
    uint64_t compared, differ;
    uint64_t elements, elements_differ, largest, middle; /* of tensors that were kept */
};

struct trace_side {
    const char *path, *recorder, *program;
    uint64_t operations, left_out;
    bool complete;
};

/* A member of the environments that is not the same. */
struct trace_setting {
    const char *name, *here, *there; /* "": not there */
};

struct trace_comparison {
    struct trace_side here, there;
    struct trace_setting *settings;
    struct trace_row *rows;
    struct trace_kind *kinds;
    struct trace_stretch *stretches;
    unsigned setting_count, row_count, kind_count, stretch_count;
    uint64_t pairs, counts[TRACE_VERDICTS];
    uint64_t moved, fused;
    bool all;        /* rows has those that are equal, too */
    size_t *numbers; /* of all rows, one's behind the other's */
    cJSON *document; /* that it was read from, or NULL */
};

/* Judges one that parted: fills row->judgement, or leaves it NULL. False with an error. */
typedef bool trace_judge(void *context, const struct trace *here, const struct trace *there,
                         struct trace_row *row, struct error *error);

struct trace_means {
    trace_judge *judge; /* or NULL */
    void *context;      /* of it */
    const volatile sig_atomic_t *stop;
};

/* The comparison uses texts of both traces. False with an error, or when *stop became nonzero;
 * trace_comparison_free is right in any case. */
bool trace_compare(const struct trace *here, const struct trace *there,
                   const struct trace_means *means, struct trace_comparison *comparison,
                   struct error *error);
void trace_comparison_free(struct trace_comparison *comparison);

/* The document detcheck/trace-comparison/1, the caller's to cJSON_Delete: all rows, or those alone that are not equal. */
cJSON *trace_comparison_document(const struct trace_comparison *comparison, bool all);

/* That a document is one that says nothing amiss. */
#define TRACE_COMPARISON_SCHEMA "detcheck/trace-comparison/1"
bool trace_comparison_check(const cJSON *document, const char *path, struct error *error);

/* Whether a text is one, and reading it; the text, of `length` bytes, is taken over. */
bool trace_comparison_is(const char *text);
bool trace_comparison_read(struct trace_comparison *comparison, const char *path, char *text,
                           size_t length, struct error *error);

/* The first row that parted; else of other inputs; else without a partner, where one of those computes the first that does; else
 * that differs at all; NULL. */
const struct trace_row *trace_first(const struct trace_comparison *comparison);

/* Whether anything was compared, and whether it is all equal. */
bool trace_is_compared(const struct trace_comparison *comparison);
bool trace_is_equal(const struct trace_comparison *comparison);

#endif
