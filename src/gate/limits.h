/* What a gate can limit: one row each. Policies, their schema, command-line options, checks and
 * outputs work through the rows. */
#ifndef DETCHECK_GATE_LIMITS_H
#define DETCHECK_GATE_LIMITS_H

#include "report/read.h"

#include <stdbool.h>

enum limit {
    LIMIT_MAX_ULP,
    LIMIT_MAX_INCORRECT,
    LIMIT_MAX_MISMATCHES,
    LIMIT_REQUIRE_CORRECT,
    LIMIT_REQUIRE_FAITHFUL,
    LIMIT_MAX_VIOLATIONS,
    LIMIT_MAX_EVENTS,
    LIMIT_MAX_MISSING_FLAGS,
    LIMIT_MAX_SPURIOUS_FLAGS,
    LIMIT_MAX_CLEARED_FLAGS,
    LIMIT_MAX_WRONG_ERRNO,
    LIMIT_MAX_CHANGED,
    LIMIT_MAX_VALUE_ERROR,
    LIMIT_MAX_CLIPPED,
    LIMIT_MAX_OVERFLOWED,
    LIMIT_MAX_LOST_BITS,
    LIMIT_MAX_DIFFERENCES,
    LIMIT_MAX_UNEXPLAINED,
    LIMIT_COUNT
};

enum limit_kind { LIMIT_OF_ERROR, LIMIT_OF_COUNT, LIMIT_REQUIRED };

struct limit_row {
    const char *name; /* in policies; with dashes, the option of the command line */
    enum limit_kind kind;
    const char *what; /* "the largest error in ulps" */
    double (*found)(const struct read_implementation *implementation);
    /* Where the report has the inputs: "max_ulp", the name of an array, or "flags/missing" and the
     * like. */
    const char *where;
    /* Whether a report has the figure, and which have it: "sweep --flags asks for that". NULL: all. */
    bool (*told)(const struct read_implementation *implementation);
    const char *source;
    unsigned kinds; /* of implementations that have the figure: bits by enum read_kind */
};

extern const struct limit_row limit_rows[LIMIT_COUNT];

/* Whether the report has the figure. */
bool limit_is_told(const struct limit_row *row, const struct read_implementation *implementation);

/* Whether such a case has the figure. */
bool limit_is_of(const struct limit_row *row, const struct read_implementation *implementation);

#endif
