/* Running an implementation against vectors. */
#ifndef DETCHECK_VECTOR_VERIFY_H
#define DETCHECK_VECTOR_VERIFY_H

#include "vector/vector.h"

/* Mismatches that are kept of a group. */
enum { VERIFY_MOST_SHOWN = 1000 };

struct verify_rules {
    enum vector_expect whose; /* outputs, of those that the group has */
    /* An output passes if its error is at most this; below 0, only the bits count. The oracle's outputs have no error: with
     * it, the result in the file is judged instead. */
    double max_ulp;
    bool strict_nan; /* a NaN with other bits than the canonical one is a mismatch */
    bool flags;      /* judge them, in groups that have them */
    bool errnos;     /* judge errno, likewise */
    struct flag_rules flag_rules;
    size_t most_shown; /* mismatches to keep of a group, at most VERIFY_MOST_SHOWN */
};

/* A test that failed. */
struct verify_mismatch {
    size_t test; /* of the group */
    int result;
    /* Of arrays: */
    uint64_t element, want;
    const struct format *format; /* of the result */
    uint64_t got;
    bool has_error;
    double error; /* in ulps, against the exact value; of the oracle: that of the test's result */
    /* Of exception flags: */
    bool is_of_flags;
    uint8_t raised, missing, spurious, cleared;
    bool is_of_errno;
    enum errno_kind errno_after; /* the call; the test has what it may be */
    const char *event;           /* "crash" and so on, when there was no answer; NULL */
};

struct verify_outcome {
    enum vector_expect whose; /* outputs were expected */
    bool provided;
    struct error reason; /* why not provided */
    char detail[256];
    uint64_t tests, mismatches; /* a test of two results counts once */
    bool flags_reported;        /* where they were asked for */
    bool promises_no_flags;     /* those are judged by that alone: none is cleared */
    uint64_t flag_mismatches;   /* tests, among `mismatches` where the bits differ too */
    bool errnos_reported;       /* likewise */
    uint64_t errno_mismatches;
    uint64_t within;          /* tests that only max_ulp lets pass */
    uint64_t nan_bits_differ; /* results */
    double worst;             /* largest error of those that differ, where max_ulp is asked for */
    struct verify_mismatch *shown;
    size_t shown_count;
};

/* False only for trouble of the environment or the oracle. The outcome is to be freed. */
bool verify_group(const struct vector_group *group, const struct implementation *implementation,
                  const struct verify_rules *rules, struct verify_outcome *outcome,
                  struct error *error);
void verify_outcome_free(struct verify_outcome *outcome);

#endif
