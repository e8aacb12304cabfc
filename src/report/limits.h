/* What a gate or a sweep can limit: one row each. Policies, their schema, command-line options, checks
 * and outputs work through the rows. */
#ifndef DETCHECK_REPORT_LIMITS_H
#define DETCHECK_REPORT_LIMITS_H

#include "report/read.h"

#include <stdbool.h>

enum limit {
    LIMIT_MAX_ULP,
    LIMIT_MAX_MEAN_ULP,
    LIMIT_MAX_P50_ULP, /* these four in the order of `percentiles` (sweep/measured.h) */
    LIMIT_MAX_P90_ULP,
    LIMIT_MAX_P99_ULP,
    LIMIT_MAX_P99_9_ULP,
    LIMIT_MAX_ABSOLUTE_ERROR,
    LIMIT_MAX_MEAN_ABSOLUTE_ERROR,
    LIMIT_MAX_RELATIVE_ERROR,
    LIMIT_MAX_MEAN_RELATIVE_ERROR,
    LIMIT_MAX_WRONG_WAY,
    LIMIT_MAX_NOT_SYMMETRIC,
    LIMIT_MAX_INCORRECT,
    LIMIT_MAX_INCORRECT_SHARE,
    LIMIT_MAX_UNFAITHFUL,
    LIMIT_MAX_UNFAITHFUL_SHARE,
    LIMIT_MAX_OVER_1_ULP,
    LIMIT_MAX_MISMATCHES,
    LIMIT_MAX_NAN_MISMATCHES,
    LIMIT_MAX_SIGN_MISMATCHES,
    LIMIT_MAX_NAN_BITS,
    LIMIT_MAX_SIGNALLING_NANS,
    LIMIT_MAX_SATURATED,
    LIMIT_MAX_VANISHED,
    LIMIT_REQUIRE_CORRECT,
    LIMIT_REQUIRE_FAITHFUL,
    LIMIT_MAX_VIOLATIONS,
    LIMIT_MAX_VIOLATION_SHARE,
    LIMIT_MAX_EVENTS,
    LIMIT_MAX_UNANSWERED,
    LIMIT_MAX_NOT_CALLED,
    LIMIT_REQUIRE_PROVIDED,
    LIMIT_MAX_MISSING_FLAGS,
    LIMIT_MAX_SPURIOUS_FLAGS,
    LIMIT_MAX_CLEARED_FLAGS,
    LIMIT_MAX_WRONG_ERRNO,
    LIMIT_MAX_WRONG_LENGTHS,
    LIMIT_MAX_CHANGED,
    LIMIT_MAX_VALUE_ERROR,
    LIMIT_MAX_MEAN_VALUE_ERROR,
    LIMIT_MAX_CLIPPED,
    LIMIT_MAX_OVERFLOWED,
    LIMIT_MAX_LOST_BITS,
    LIMIT_MAX_DIFFERENCES,
    LIMIT_MAX_UNEXPLAINED,
    LIMIT_COUNT
};

/* An average is of all inputs together: that of a shard says nothing of the whole, while no error and no
 * count of the whole is less than that of a shard. */
enum limit_kind { LIMIT_OF_ERROR, LIMIT_OF_COUNT, LIMIT_OF_AVERAGE, LIMIT_REQUIRED };

/* Whether a limit of 0 holds where no rule sets it. */
enum limit_implied {
    IMPLIED_NOT,
    IMPLIED_BY_ERRORS, /* beside a limit on errors: of what has no error in ulps */
    IMPLIED_ALWAYS,    /* in every case that is judged */
    IMPLIED_OF_HALF    /* the same, and half of the inputs in place of 0 */
};

/* Whether a limit's figure is one of the measures (report/measures.h), which baselines compare and policies
 * of today's figures hold. */
enum limit_measure {
    MEASURED_NOT,      /* others tell the same */
    MEASURED_IN_PARTS, /* baselines compare each of its parts */
    MEASURED
};

struct limit_row {
    const char *name; /* in policies; with dashes, the option of the command line */
    enum limit_kind kind;
    const char *what; /* "the largest error in ulps" */
    double (*found)(const struct read_implementation *implementation);
    /* Where the report has the inputs: "max_ulp", the name of an array, "first_mismatches/nan" and
     * "/sign", or "flags/missing" and the like. */
    const char *where;
    /* Whether a report has the figure, and which have it: "sweep --flags asks for that". NULL: all. */
    bool (*reported)(const struct read_implementation *implementation);
    const char *source;
    unsigned kinds; /* of implementations that have the figure: bits by enum read_kind */
    bool
        of_errors; /* of those that are told in ulps or counted among numbers: it says nothing of NaNs */
    enum limit_implied implied;
    enum limit_measure measure;
    const char *of_blocks; /* the same where the figure counts blocks of outputs; or NULL */
    double slack;          /* by how much the figure may differ where the bits do not */
    int whole; /* of limit_rows: the limit of this and others together, which speaks for it; or 0 */
    /* How many the figure is of, where that may be none though outputs were judged; NULL: all that were judged. */
    double (*measured)(const struct read_implementation *implementation);
};

extern const struct limit_row limit_rows[LIMIT_COUNT];

/* What the figure of the implementation is, in words. */
const char *limit_what(const struct limit_row *row,
                       const struct read_implementation *implementation);

/* Whether the report has the figure. */
bool limit_is_reported(const struct limit_row *row,
                       const struct read_implementation *implementation);

/* Whether a figure that the report has is of anything: that of no outputs is 0, and says nothing. */
bool limit_is_measured(const struct limit_row *row,
                       const struct read_implementation *implementation);

/* Whether such a case has the figure. */
bool limit_is_of(const struct limit_row *row, const struct read_implementation *implementation);

/* What is written in a report of each limit that a policy sets (detcheck-report(7), `limits`). `name` is
 * a row's, "fingerprint", or "invariance." and a property. */
struct limit_entry {
    const char *name, *policy;
    int rule;
    double allowed;
    const char *fingerprint; /* what is allowed instead, of that limit; or NULL */
};
/* Adds an entry to the implementation's object, with what was found, and whether that is within the limit.
 * Of a part of the inputs, averages and fingerprints are left open. */
void limits_add(cJSON *object, const struct limit_entry *entry,
                const struct read_implementation *implementation, bool part);

/* Sets what was found again in all entries of a result that was merged. */
bool limits_settle(cJSON *result, struct error *error);

/* Whether a part of the inputs says nothing of the limit. */
static inline bool limit_wants_all(const struct limit_row *row) {
    return row->kind == LIMIT_OF_AVERAGE;
}

#endif
