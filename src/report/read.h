/* Reading reports (detcheck/report/1): what gate, report, merge and compare work on.
 *
 * Strict where it matters: an unknown schema, a missing member, a member of another type or counts
 * that do not add up are errors that name the place. Members that are not known are left alone.
 * Strings and objects belong to the document. */
#ifndef DETCHECK_REPORT_READ_H
#define DETCHECK_REPORT_READ_H

#include "base/error.h"
#include "invariance/record.h"
#include "report/digests_record.h"
#include "report/effects.h"
#include "report/inputs_record.h"
#include "report/run_record.h"
#include "sweep/search/search.h"
#include "sweep/tally.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A hypothesis about why two implementations differ, and what it explains. */
struct read_hypothesis {
    const char *name;
    uint64_t explains, adds; /* of a cause: what those before it leave */
    int cause, same_as;  /* its number among the causes, the cause it cannot be told from; or 0 */
    const char *command; /* that shows a difference that it explains; else "" */
};

/* Of a report of detcheck-explain(1). */
struct read_explanation {
    const cJSON *json;
    bool is_of_two;   /* there is something that the implementation was held against */
    const char *unit; /* counted: "input", "block", "fingerprint" */
    uint64_t tested, differ, unexplained;
    const char *command, *unexplained_command; /* that show the first of them; else "" */
    struct read_hypothesis *hypotheses;
    size_t count;
};

/* What a report has of an implementation: figures about right and wrong, what its outputs depend on,
 * why they differ from another one's, or the order in which it sums, which only a gate reads (gate/orders.h).
 * Of the last three there is no count of what is right. */
enum read_kind { READ_JUDGED, READ_INVARIANCE, READ_EXPLANATION, READ_ORDER, READ_TRACE };

/* One implementation's part of a result. All but the first five members are 0 where it is not
 * provided. */
struct read_implementation {
    const cJSON *json;
    const char *name, *detail;
    const char *build; /* which computed; "" where it is not known, and of old reports */
    bool provided;
    const char *reason;       /* why not provided; "" when it is */
    struct tally tally;       /* what the report has of it: without binades and steps */
    uint64_t events;          /* crashes, hangs, exits, changed roundings: how many in all */
    const cJSON *max;         /* the output with the largest error; NULL where none has an error */
    double max_ulp, mean_ulp; /* 0 where no output has an error */
    const char *fingerprint;  /* NULL where there is none */
    struct digest_list digests; /* of shards */
    struct effect_counts effects;
    uint64_t held;           /* outputs that a promise does not leave out */
    double mean_value_error; /* of tally.value, in units of 2^-scale */
    enum read_kind kind;
    struct property_record *properties; /* READ_INVARIANCE */
    size_t property_count;
    struct read_explanation explanation; /* READ_EXPLANATION */
    const char *order; /* READ_ORDER: its hash; NULL where not all lengths were revealed */
};

/* A result of an operation in a format and a rounding. */
struct read_result {
    const cJSON *json;
    const char *operation, *format, *rounding;
    const cJSON *given;         /* the parameters */
    char *parameters;           /* the same as text without blanks: equal where they are equal */
    bool by_group;              /* a group alone named the operation */
    struct inputs_facts inputs; /* covered: all, where the report does not say that it was fewer */
    struct read_implementation *implementations;
    size_t implementation_count;
};

struct read_report {
    const char *path; /* as given to report_read, and the caller's */
    cJSON *document;
    bool complete;
    struct run_facts run;
    struct tool_facts tool;
    struct platform_facts platform;
    struct read_result *results;
    size_t result_count;
    uint64_t tested; /* outputs of all implementations */
};

/* No report is longer. */
#define REPORT_MOST_BYTES ((size_t)512 << 20)

/* Reads a report; "-" is standard input. On failure nothing is left to free. */
bool report_read(struct read_report *report, const char *path, struct error *error);

/* The same of the text of a file that has been read, which is taken over (json_parse). */
bool report_read_text(struct read_report *report, const char *path, char *text, size_t length,
                      struct error *error);

/* A report of which nothing is known but its file. */
struct read_report report_open(const char *path, cJSON *document);

/* The same of a document that has been read, which is taken over. */
bool report_read_document(struct read_report *report, const char *path, cJSON *document,
                          struct error *error);

/* The entries `first` and later of the results of a report under way, which has to outlast what is read. */
bool report_read_results(struct read_report *report, const char *name, const cJSON *results,
                         int first, struct error *error);

/* The format of its outputs: that of the parameter "to" where there is one. NULL where that is not known here. */
const struct format *read_result_format(const struct read_result *result);

/* That the report is complete, tested something, and is not of some shards alone, which nobody may pass over who
 * judges by it. */
bool report_require_whole(const struct read_report *report, struct error *error);

/* The same for those who merge: it may be of shards, and a shard may have no inputs. */
bool report_require_part(const struct read_report *report, struct error *error);

/* That this program has every operation, format and rounding of it: what it has not, it can neither
 * show nor judge. */
bool report_require_known(const struct read_report *report, struct error *error);

void report_read_free(struct read_report *report);

/* Whether both say which build computed, and these are two. */
bool read_builds_differ(const struct read_implementation *a, const struct read_implementation *b);

/* Whether both say which inputs they had, and these are others though they are called the same. */
bool read_inputs_differ(const struct read_result *a, const struct read_result *b);

/* A string of an object, or "?" where there is none. */
const char *report_string(const cJSON *object, const char *name);

/* The mismatches of an implementation: NaN where there should be none or the reverse, and zeros of
 * the wrong sign. */
uint64_t read_mismatches(const struct read_implementation *implementation);

#endif
