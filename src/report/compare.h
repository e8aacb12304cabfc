/* Holding fingerprints or reports against each other, and finding the inputs behind a difference
 * where the implementations can run here. */
#ifndef DETCHECK_REPORT_COMPARE_H
#define DETCHECK_REPORT_COMPARE_H

#include "report/effects.h"
#include "report/fingerprints.h"
#include "report/libraries.h"
#include "report/measures.h"
#include "report/read.h"
#include "sweep/differ.h"

enum { COVERED_TEXT = 64, NEXT_TEXT = 1024 };

/* How recorded samples were drawn: from the codes `first` to `last` of each operand. */
struct compare_samples {
    uint64_t count, seed, run_length; /* 0: the inputs are no samples */
    uint64_t first[MAX_OPERANDS], last[MAX_OPERANDS];
    bool has_gaps; /* no --range names the codes, or the samples are a shard's */
};

/* What is compared, and what came of it. */
struct compare_row {
    char operation[SECTION_TEXT], format[SECTION_TEXT], rounding[SECTION_TEXT];
    char parameters[SECTION_TEXT];
    char a[SECTION_TEXT], b[SECTION_TEXT]; /* implementations */
    char a_detail[SECTION_TEXT], b_detail[SECTION_TEXT];
    const char
        *builds[2];       /* of reports: which builds computed, where these are known and not one */
    const char *built[2]; /* which builds computed; NULL or "": not known */
    const char *hosts[2]; /* that computed, or NULL */
    const char *variants[2];           /* how the hosts' libm computes: "fma", "no-fma"; or NULL */
    struct library_names libraries[2]; /* whose bits A and B have, by their fingerprints */
    bool equal;
    char covered[COVERED_TEXT]; /* what was compared: "5,000,000 samples" */
    uint64_t inputs, of;        /* how many these are, and there are; 0: all, or not known */
    unsigned
        of_bits;    /* set: a part of the 2^of_bits inputs that there are, which `of` cannot hold */
    bool has_range; /* of the first block that differs, or of the reports */
    uint64_t first_codes[MAX_OPERANDS], last_codes[MAX_OPERANDS];
    struct compare_samples samples;              /* where a file recorded these */
    uint64_t blocks, blocks_differ, first_block; /* of fingerprints; 0 blocks: there are none */
    bool of_calls;                               /* each block is that of a call on arrays */
    struct effect_counts effects[2]; /* of reports: what A and B do to exception flags and errno */
    const struct read_result *results[2];            /* of reports of outputs; or NULL */
    const struct read_implementation *judged[2];     /* likewise */
    const struct read_implementation *invariance[2]; /* of reports of it, what they have; or NULL */
    /* The inputs, where both implementations give here what was recorded. */
    bool ran;
    char why[768]; /* why they did not run */
    struct binding_request computed;
    int only; /* as in differ_request */
    struct differ_outcome outcome;
};

/* Whether both tell of a part of their effects, and not the same. */
bool compare_effects_differ(const struct compare_row *row, enum effect_part part);

/* Tells of all measures of which both reports have figures, and not the same; `a` is what was, `b` what is. What
 * is measured of another implementation beside them is none of these. False when memory is out. */
bool compare_measures(const struct compare_row *row, measure_function *tell, void *context);

/* Whether two reports tell other things of a property; NULL for a report that does not have it. Why
 * it was not tested does not count, nor the command that shows a change again. */
bool compare_properties_differ(const struct property_record *a, const struct property_record *b);

/* The pairs that can be compared. Sections (or results) of the two files pair where they are of the
 * same operation, format, rounding, parameters and inputs, and of the same implementation; or where
 * each file has one implementation only. */
struct compare_pair {
    size_t a, b;                               /* sections, or results */
    size_t a_implementation, b_implementation; /* of results */
};

struct compare_pairs {
    struct compare_pair *items;
    size_t count, room;
    size_t unpaired; /* sections or implementations of either file that found no partner */
};

bool compare_pair_sections(const struct fingerprint_file *a, const struct fingerprint_file *b,
                           struct compare_pairs *pairs, struct error *error);
bool compare_pair_results(const struct read_report *a, const struct read_report *b,
                          struct compare_pairs *pairs, struct error *error);

/* How implementations are run again. */
struct compare_means {
    int threads;
    const struct foreign_settings *foreign; /* its `stop` stops the comparison too */
};

/* Names an implementation of a row: 0 is A, 1 is B. */
void compare_name(struct compare_row *row, int side, const char *name, const char *detail);

/* Says which inputs of the row's operation and format are compared: the kind is that of a report's inputs, such as
 * "all" or "samples". */
void compare_cover(struct compare_row *row, const char *kind, uint64_t count);

/* How a domain's samples were drawn; and those of a report, or its range. */
void compare_note_samples(struct compare_samples *samples, const struct domain *domain);
void compare_note_reported(struct compare_row *row, const struct read_result *result);

/* A command that shows more of how the row's two differ; empty where there is none. */
const char *compare_next(const struct compare_row *row, char text[NEXT_TEXT]);

/* The neighbours of an input that are explained with it, since more take minutes: a binade of fp32, or 65,536 inputs that
 * cost more each; the codes of the first and of the last. False where all inputs are few enough. */
bool compare_neighbours(const struct operation *operation, const struct format *format,
                        uint64_t code, uint64_t ends[2]);

/* A command that explains why the inputs that were found differ; empty where these are not known. */
const char *compare_why(const struct compare_row *row, char text[NEXT_TEXT]);

/* What a row names, as a request for a result of an operation; the texts of parameters live in `text`. */
bool compare_find_request(const struct compare_row *row, char text[SECTION_TEXT],
                          struct binding_request *computed, int *result, struct error *why);

/* The product of "0x00-0xff,0x80-0x81 0x00-0x03", or samples of it, as a section has the codes of its
 * inputs. */
bool compare_read_codes(const char *codes, const struct binding_request *computed,
                        struct domain *domain, struct error *why);

/* Two sections: whether all digests agree; then the first block where they do not, and the inputs
 * in it. False for trouble of the environment only. */
bool compare_sections(const struct fingerprint_section *a, const struct fingerprint_section *b,
                      const struct compare_means *means, struct compare_row *row,
                      struct error *error);

/* Two implementations' parts of two results, by their fingerprints and by how many calls have which
 * fault of exception flags and errno; then, where both are of all inputs and are different
 * implementations that run here, the inputs. An implementation without a fingerprint (an incomplete
 * report, or one that is not provided) is an error. Those of invariance have none: they are compared
 * property by property, and by the number of events. */
bool compare_results(const struct read_result *a, const struct read_implementation *of_a,
                     const struct read_result *b, const struct read_implementation *of_b,
                     const struct compare_means *means, struct compare_row *row,
                     struct error *error);

/* That a result has no fingerprint, as an error: always false. */
bool compare_lacks_fingerprint(const struct read_result *result, struct error *error);

#endif
