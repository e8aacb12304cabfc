/* Reading comparisons (detcheck/comparison/1), as detcheck-compare(1) writes them: where two implementations, reports or files of
 * fingerprints differ. Strings and objects belong to the document. */
#ifndef DETCHECK_REPORT_COMPARISON_READ_H
#define DETCHECK_REPORT_COMPARISON_READ_H

#include "report/read.h"

#define COMPARISON_SCHEMA "detcheck/comparison/1"

/* One of the two that are compared. */
struct read_side {
    const char *text;           /* "libm  glibc 2.36, libm.so.6": name and detail */
    const char *host, *variant; /* "" where they are not known */
};

/* A pair of results. Of inputs or blocks there are counts; of two reports there are none, and `unknown` says why. */
struct read_compared {
    const char *operation, *format, *rounding, *parameters;
    struct read_side sides[2];
    bool equal, has_inputs, has_blocks;
    uint64_t tested, differ; /* inputs, or else blocks */
    uint64_t nans, unanswered,
        of; /* of: all inputs that there are; 0 where all were compared, or that is not known */
    const cJSON *first, *by_binade; /* the first differences; NULL where the inputs are not known */
    const char *unknown, *next;     /* "" where there is none */
};

struct read_comparison {
    const char *path;
    cJSON *document;
    struct read_compared *pairs;
    size_t count;
};

/* Whether a document says that it is a comparison. */
bool comparison_is(const cJSON *document);

/* The document is taken over. On failure nothing is left to free. */
bool comparison_read(struct read_comparison *comparison, const char *path, cJSON *document,
                     struct error *error);

void comparison_read_free(struct read_comparison *comparison);

/* The format of its outputs: that of "--to" where there is one. NULL where that is not known here. */
const struct format *comparison_result_format(const struct read_compared *pair);

#endif
