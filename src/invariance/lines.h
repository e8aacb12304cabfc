/* Calls of an operation on arrays that have one line of numbers, among others, in another place: a row of a
 * batch, a column, a row or a column of a product of matrices. Of an operation without lines, its calls as
 * they are, which can be repeated at other times alone. */
#ifndef DETCHECK_INVARIANCE_LINES_H
#define DETCHECK_INVARIANCE_LINES_H

#include "invariance/property.h"

/* Numbers of a call, at most: a batch of long lines has fewer of them. */
enum { LINES_MOST_NUMBERS = 1 << 22 };

/* A binding for calls of other shapes than those of the domain, along an axis of their own. */
struct line_binding {
    const struct invariance_request *request;
    struct property_tally *tally;
    struct binding_request computed;
    struct binding binding;
    uint64_t number;  /* of the domain's call whose numbers are used */
    void *context;    /* of the property that uses it */
    size_t condition; /* of what is computed next: 0 for the reference, 1 for all others */
    /* The first call of a binding is made twice: what is other at a first call is no matter of other
     * properties. Not so where `counts_first`. */
    bool counts_first, has_called;
    bool is_counted[MAX_ARRAY_RESULTS]; /* the call is, as one whose result changes */
    bool is_unrepeatable;               /* likewise */
    uint64_t *differing; /* by result, counted for each comparison; NULL: nobody asks */
};

/* For lines along the last axis of two, or the first where `columns`. False with an error. */
bool line_open(struct line_binding *line, const struct invariance_request *request,
               struct property_tally *tally, bool columns, struct error *error);
void line_close(struct line_binding *line);

/* Where the line stands: as line `at` of `count` lines, the others of which hold its numbers in another
 * order; of products as the row of the first operand, while `columns` of the second (0: all of it) are
 * taken from column `column` on, round about. */
struct line_place {
    uint64_t count, at;
    bool by_columns; /* lines lie across: the binding is one for columns */
    uint64_t column, columns;
    uint32_t offset, result_offset; /* bytes beyond a boundary (op/array.h) */
};

struct line_source;

/* Codes of results: of the first, and behind them those of the others. */
struct line_results {
    uint64_t *codes;
    uint64_t count; /* 0: there was no answer */
    const struct format *format;
    uint64_t more[MAX_ARRAY_RESULTS]; /* how many of the others, by result */
    const struct format *formats[MAX_ARRAY_RESULTS];
    /* How they were computed, so that they can be again; NULL: they are not. */
    struct line_binding *by;
    const struct line_source *source;
    struct line_place place;
};

/* Another call with numbers of the drawn one (op/array.h). */
struct line_other {
    const struct array_rearrangement *row;
    uint64_t turn;
    uint64_t count; /* how many results it has, once they are there */
    bool is_picked; /* the results of the reference that it has, and not the call itself */
    const struct line_other *reference; /* whose results are picked; NULL: the drawn call's */
};

/* The numbers of a call: of a product row 0 of the first operand and all of the second; of others a
 * line of each operand; of those without lines the number of the call says all. */
enum { LINE_OPERANDS = MAX_ARRAY_OPERANDS };
struct line_source {
    uint64_t number; /* of the call in the domain */
    const struct array_call *call;
    const uint64_t *lines[LINE_OPERANDS];
    uint64_t length;
    const struct line_other *other; /* NULL: none */
};

/* Computes a call that has the line there, or the other call; its results, to be freed. Without lines it is the call itself,
 * and among others, the next one of the domain. False when the environment fails. */
bool line_compute(struct line_binding *line, const struct line_source *source,
                  const struct line_place *place, struct line_results *results,
                  struct error *error);

/* Those of the reference that the source's other call has, to be freed; false without memory. */
bool line_pick(const struct line_source *source, const struct line_results *from,
               struct line_results *results, struct error *error);

/* Counts a call whose results are others than the reference from `first` on; true where they are. What
 * does not come again when either is computed again is counted as unrepeatable. */
bool line_compare(struct line_binding *line, const struct line_results *reference, uint64_t first,
                  const struct line_results *results, const char *where);

/* For an `applies` hook: whether the operation is computed line by line. */
bool lines_apply(const struct invariance_request *request, const struct binding *binding,
                 struct error *why);

/* One of the property's comparisons of a call, the line's answer being there. */
typedef bool line_trial(struct line_binding *line, const struct line_source *source,
                        const struct line_results *reference, struct error *error);

/* All calls of the domain, each as one line: the reference is the line alone, of products with all
 * columns. `context` and `counts_first` are what the trial finds in the binding. */
bool lines_try_calls(const struct invariance_request *request, struct property_tally *tally,
                     line_trial *trial, void *context, bool counts_first, struct error *error);

/* Computes the line in that place and compares it with the reference from result `first` on. */
bool lines_try(struct line_binding *line, const struct line_source *source,
               const struct line_place *place, const struct line_results *reference, uint64_t first,
               const char *where, bool *changed, struct error *error);

#endif
