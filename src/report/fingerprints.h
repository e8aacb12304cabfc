/* Files of fingerprints: the digest of every block of a sweep's outputs, of arrays that of every
 * call's, so that two machines can be held against each other block by block (detcheck-compare(1),
 * "Files of fingerprints"). */
#ifndef DETCHECK_REPORT_FINGERPRINTS_H
#define DETCHECK_REPORT_FINGERPRINTS_H

#include "sweep/sweep.h"

#include <stdio.h>

enum { SECTION_TEXT = 256 };

/* One result of one operation by one implementation. */
/* How the line of codes begins where samples of them are drawn: how many, the seed, the length of runs. */
#define SAMPLES_TEXT "samples %" PRIu64 " %" PRIu64 " %" PRIu64 " of "

struct fingerprint_section {
    char operation[SECTION_TEXT]; /* "sincos.sin" */
    char format[SECTION_TEXT], rounding[SECTION_TEXT];
    char parameters[SECTION_TEXT]; /* "--to fp16"; empty where there are none */
    char implementation[SECTION_TEXT], detail[SECTION_TEXT];
    /* Where it was computed: the machine, how its libm computes ("fma", "no-fma"; of libm alone), and which build
     * of the implementation (impl/build.h). Empty where that is not known; absent in files of before. */
    char host[SECTION_TEXT], variant[SECTION_TEXT], build[SECTION_TEXT];
    char inputs[SECTION_TEXT]; /* which: a digest of the domain */
    /* The codes of each operand, where these are few runs: "0x00-0xff 0x80-0x81"; or "-". */
    char codes[SECTION_TEXT];
    uint64_t count; /* of inputs, or calls on arrays */
    struct block_digest *blocks;
    size_t block_count;
    char total[FINGERPRINT_TEXT];
};

struct fingerprint_file {
    const struct sweep_request *request; /* of the sweep under way */
    struct fingerprint_section *sections;
    size_t count;
};

/* "--to fp16": the parameters that have a value, as options. */
void fingerprints_describe_parameters(const struct parameters *parameters, char text[SECTION_TEXT]);

/* Whether a section of that operation has a digest for each call on arrays. */
bool fingerprints_are_of_calls(const char *operation);

/* Collects what a sweep tells, as its `digest` function with the file as context. */
digest_function fingerprints_collect;

/* Before a sweep: a section for each implementation and result. After it: fills in what was found,
 * and drops the sections of those that were not provided or are incomplete. */
bool fingerprints_begin(struct fingerprint_file *file, const struct sweep_request *request,
                        struct error *error);
void fingerprints_end(struct fingerprint_file *file, const struct sweep_request *request,
                      const struct sweep_outcome *outcome);

bool fingerprints_write(const struct fingerprint_file *file, FILE *stream, struct error *error);

/* Reads a file back; an error names the line. `text` is the whole file. */
bool fingerprints_parse(struct fingerprint_file *file, const char *path, const char *text,
                        struct error *error);
bool fingerprints_are(const char *text); /* whether the text begins as such a file does */
void fingerprints_free(struct fingerprint_file *file);

#endif
