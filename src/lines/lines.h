/* Lines of other projects' test files: inputs, and for some the results and the exception flags that are
 * expected.
 *
 * One row of the table in lines.c for each kind of line. What they look like is told in
 * detcheck-lines(7). */
#ifndef DETCHECK_LINES_LINES_H
#define DETCHECK_LINES_LINES_H

#include "base/error.h"
#include "format/flags.h"
#include "format/format.h"
#include "op/operation.h"

#include <stdbool.h>
#include <stdio.h>

/* What lines are read for. */
struct lines_wanted {
    const struct operation *operation;
    const struct format *format;
    enum rounding rounding;
    bool any_rounding; /* inputs are wanted alone, whatever rounding their results are in */
};

enum { LINE_MOST_INPUTS = 8, LINE_LONGEST = 1024 };

/* What became of a line, worst first. Of several requests the best counts. */
enum line_state {
    LINE_EMPTY,      /* or a remark */
    LINE_OF_ANOTHER, /* function */
    LINE_IN_ANOTHER_FORMAT,
    LINE_IN_ANOTHER_ROUNDING,
    LINE_OPERANDS_LACKING, /* in the format */
    LINE_WITHOUT_RESULT,   /* missing, ambiguous, or not in the format */
    LINE_READ,
    LINE_STATES
};
extern const char *const line_state_names[LINE_STATES]; /* "in other formats" */

/* What is on one line. */
struct line_content {
    enum line_state state; /* where there are no inputs: why not */
    int inputs;            /* 0: nothing for this operation and format */
    uint64_t in[LINE_MOST_INPUTS][MAX_OPERANDS];
    bool has_out;       /* of the one input */
    uint64_t out;       /* of the first result */
    bool has_flags;     /* and with it */
    uint8_t flags;      /* exception flags (format/flags.h) */
    uint8_t open_flags; /* that may be raised or not */
    bool has_errno;     /* and what errno is after the call, 0 being before: */
    int errno_after;    /* 0, EDOM or ERANGE (errno.h) */
};

struct line_kind {
    const char *name;
    bool results; /* lines hold results too */
    bool named;   /* lines say which function and format they are of */
    bool rounded; /* and which rounding */
    bool tensors; /* the file is the tensor of results, and has the operands beside it */
    /* Takes the line apart, in place. False and what is wrong with it. */
    bool (*read)(const struct lines_wanted *wanted, char *line, struct line_content *content,
                 struct error *why);
};

/* By name. NULL and an error with what there is. */
const struct line_kind *line_kind_find(const char *name, struct error *error);

/* Reads the next line, without its end, and of the first one without a byte order mark; false at
 * the end of the stream, or with *problem set where it cannot be a line of text. *number, from 0,
 * is the line's number then. */
bool line_next(FILE *stream, char line[LINE_LONGEST], unsigned long *number, const char **problem);

#endif
