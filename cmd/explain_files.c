/* What is recorded, held against what the implementations give here. */
#include "explain_files.h"
#include "explain_reports.h"
#include "signals.h"

#include "base/json.h"
#include "base/memory.h"
#include "explain/variants.h"
#include "report/compare.h"
#include "report/items.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30 };

/* One result of one operation, as both files have it. */
struct recorded {
    const char *operation, *format, *rounding, *parameters, *inputs;
    const char *names[2], *details[2], *totals[2];
    const struct block_digest *blocks[2]; /* or NULL: there is the fingerprint alone */
    uint64_t block_count, count;
    const char *codes, *identity;     /* of files of fingerprints */
    enum library_inputs library;      /* of reports */
    const struct inputs_facts *facts; /* likewise, and as they stand there */
    const cJSON *inputs_json;
    const struct gate_case *cases; /* likewise, of A and of B */
};

/* What is found out about it. */
struct inquiry {
    const struct explain_files *files;
    const struct recorded *recorded;
    struct explain_row *row;
    struct explain_request request;
    struct domain domain;
    struct implementation implementations[2];
    char parameters[SECTION_TEXT]; /* which the request points into */
    bool runs[2];                  /* gives here what was recorded */
    struct side_losses losses[2];
};

static void note(struct explain_row *row, const char *text) {
    snprintf(row->why, sizeof row->why, "%s", text);
}

/* The codes of a report's inputs, as a file of fingerprints has them. False where it has none. */
static bool print_codes(FILE *stream, const struct inputs_facts *inputs,
                        const struct binding_request *computed) {
    const bool samples = *inputs->seed;
    const bool codes = inputs->tells & (samples ? INPUTS_SAMPLED_FROM : INPUTS_RANGES);
    if (samples)
        fprintf(stream, SAMPLES_TEXT, inputs->count, (uint64_t)strtoull(inputs->seed, NULL, 10),
                inputs->tells & INPUTS_RUN_LENGTH ? inputs->run_length : UINT64_C(1));
    for (int i = 0; i < computed->operation->operands; i++) {
        const struct number_set *set = &inputs->codes[i];
        fputs(i ? " " : "", stream);
        if (samples && !codes)
            fprintf(stream, "0-%" PRIx64, format_mask(computed->format));
        for (size_t k = 0; codes && k < set->count; k++)
            fprintf(stream, "%s%" PRIx64 "-%" PRIx64, k ? "," : "", set->runs[k].first,
                    set->runs[k].last);
    }
    return codes || samples;
}

static bool read_report_inputs(struct inquiry *inquiry, struct error *why) {
    const struct binding_request *computed = &inquiry->request.computed;
    char *text = NULL;
    size_t size;
    FILE *stream = memory_stream(&text, &size);
    if (!stream)
        return error_set(why, "out of memory");
    bool good = print_codes(stream, inquiry->recorded->facts, computed);
    good = fclose(stream) == 0 && good && compare_read_codes(text, computed, &inquiry->domain, why);
    free(text);
    return good || error_set(why, "the reports do not say which inputs these are");
}

static bool read_section_inputs(struct inquiry *inquiry, struct error *why) {
    const struct recorded *recorded = inquiry->recorded;
    char identity[FINGERPRINT_TEXT];
    return compare_read_codes(recorded->codes, &inquiry->request.computed, &inquiry->domain, why) &&
           domain_identity(&inquiry->domain, identity) &&
           (strcmp(identity, recorded->identity) == 0 ||
            error_set(why, "the files do not say which inputs these are"));
}

static bool find_domain(struct inquiry *inquiry, struct error *why) {
    const struct recorded *recorded = inquiry->recorded;
    const struct binding_request *computed = &inquiry->request.computed;
    if (recorded->codes ? read_section_inputs(inquiry, why) : read_report_inputs(inquiry, why))
        return true;
    struct error unused;
    enum library_inputs library =
        recorded->codes
            ? library_inputs_of(recorded->identity, computed->operation, computed->format)
            : recorded->library;
    return library < LIBRARY_INPUTS &&
           library_domain(&inquiry->domain, library, computed->operation, computed->format,
                          &unused);
}

/* Whether an implementation gives what was recorded of a side; of a report that is seen later. */
static bool gives(struct inquiry *inquiry, int which, int side) {
    const struct recorded *recorded = inquiry->recorded;
    const struct implementation *one = &inquiry->implementations[which];
    struct differ_request request = {.computed = inquiry->request.computed,
                                     .only = inquiry->request.result,
                                     .a = one,
                                     .b = one,
                                     .domain = &inquiry->domain,
                                     .threads = 1};
    struct block_digest digest;
    struct error unused;
    if (!recorded->blocks[0])
        return true;
    return differ_digest(&request, one, inquiry->request.result, inquiry->row->first_block, &digest,
                         &unused) &&
           memcmp(digest.bytes, recorded->blocks[side][inquiry->row->first_block].bytes,
                  sizeof digest.bytes) == 0;
}

/* Finds who runs here; false with the reason where nobody does. */
static bool open_all(struct inquiry *inquiry, struct error *why) {
    const struct recorded *recorded = inquiry->recorded;
    struct compare_row names = {0};
    snprintf(names.operation, sizeof names.operation, "%s", recorded->operation);
    snprintf(names.format, sizeof names.format, "%s", recorded->format);
    snprintf(names.rounding, sizeof names.rounding, "%s", recorded->rounding);
    snprintf(names.parameters, sizeof names.parameters, "%s", recorded->parameters);
    struct explain_request *request = &inquiry->request;
    if (!compare_find_request(&names, inquiry->parameters, &request->computed, &request->result,
                              why))
        return false;
    inquiry->row->computed = request->computed;
    inquiry->row->result = request->result;
    if (request->computed.operation->array)
        return error_set(why,
                         "%s is not an operation on numbers; explain knows causes for no others in "
                         "reports and files of fingerprints",
                         recorded->operation);
    if (!find_domain(inquiry, why))
        return false;
    request->domain = inquiry->row->domain = &inquiry->domain;
    if (recorded->codes)
        snprintf(inquiry->domain.text, sizeof inquiry->domain.text, "%.*s",
                 (int)sizeof inquiry->domain.text - 1, recorded->inputs);
    for (int side = 0; side < 2; side++) {
        bool opened = implementation_open_named(
            &inquiry->implementations[side], recorded->names[side], inquiry->files->foreign, why);
        inquiry->runs[side] = opened && gives(inquiry, side, side);
        if (!opened)
            note(inquiry->row, why->text);
        request->sides[side] = &inquiry->implementations[side];
        request->losses[side] = &inquiry->losses[side];
    }
    if (!recorded->blocks[0] && strcmp(recorded->names[0], recorded->names[1]) == 0)
        return explain_say_commands(recorded->cases, why);
    return inquiry->runs[0] || inquiry->runs[1] ||
           error_set(why, "on this machine neither of the two returns the recorded outputs");
}

/* Both run here, over the same inputs. */
static bool explain_both(struct inquiry *inquiry, struct error *error) {
    struct explain_row *row = inquiry->row;
    if (!explain_run(&inquiry->request, &row->outcome, error))
        return false;
    row->ran = true;
    explain_row_take_losses(row, inquiry->request.losses);
    for (int side = 0; side < 2; side++)
        if (strcmp(row->outcome.fingerprints[side], inquiry->recorded->totals[side]) != 0) {
            snprintf(row->why, sizeof row->why,
                     "note: %.200s here is another one than in the file of %c",
                     inquiry->recorded->names[side], "AB"[side]);
        }
    return true;
}

/* One runs here, and of the other the digests of blocks are known. */
static bool explain_one_side(struct inquiry *inquiry, struct error *error) {
    const struct recorded *recorded = inquiry->recorded;
    int known = inquiry->runs[0] ? 0 : 1;
    struct recorded_blocks blocks = {1 - known, recorded->blocks[1 - known], recorded->block_count};
    inquiry->request.sides[0] = inquiry->request.sides[1] = &inquiry->implementations[known];
    variants_add(&inquiry->request, NULL);
    if (!explain_recorded(&inquiry->request, &blocks, &inquiry->row->outcome, error))
        return false;
    inquiry->row->ran = true;
    char said[sizeof inquiry->row->why];
    memcpy(said, inquiry->row->why, sizeof said); /* why it could not be opened, if it could not */
    snprintf(
        inquiry->row->why, sizeof inquiry->row->why,
        "%c does not give here what was recorded: its blocks are known by their digests%s%.300s",
        "AB"[1 - known], *said ? "; " : "", said);
    return true;
}

/* Whose bits the two are, by the fingerprints that were recorded. */
static void recognise(struct inquiry *inquiry) {
    const struct recorded *recorded = inquiry->recorded;
    const struct binding_request *computed = &inquiry->request.computed;
    enum library_inputs inputs =
        recorded->identity
            ? library_inputs_of(recorded->identity, computed->operation, computed->format)
            : recorded->library;
    for (int side = 0; side < 2 && inputs < LIBRARY_INPUTS; side++) {
        char(*prints)[FINGERPRINT_TEXT] = inquiry->row->prints[side];
        snprintf(prints[inputs], FINGERPRINT_TEXT, "%s", recorded->totals[side]);
        libraries_find(recorded->operation, computed->format, computed->rounding, prints,
                       &inquiry->row->libraries[side]);
    }
}

static bool explain_pair(const struct explain_files *files, const struct recorded *recorded,
                         struct error *error) {
    static struct explain_row row;
    struct inquiry inquiry = {.files = files, .recorded = recorded, .row = &row};
    struct error why = {{0}};
    row = (struct explain_row){.blocks = recorded->blocks[0] ? recorded->block_count : 0};
    snprintf(row.operation, sizeof row.operation, "%s", recorded->operation);
    snprintf(row.format, sizeof row.format, "%s", recorded->format);
    snprintf(row.rounding, sizeof row.rounding, "%s", recorded->rounding);
    snprintf(row.parameters, sizeof row.parameters, "%s", recorded->parameters);
    snprintf(row.inputs, sizeof row.inputs, "%s", recorded->inputs);
    row.recorded_inputs = recorded->inputs_json;
    row.count = recorded->count;
    for (int side = 0; side < 2; side++) {
        snprintf(row.sides[side], sizeof row.sides[side], "%s", recorded->names[side]);
        snprintf(row.details[side], sizeof row.details[side], "%s", recorded->details[side]);
        snprintf(row.totals[side], FINGERPRINT_TEXT, "%s", recorded->totals[side]);
    }
    for (uint64_t i = 0; i < row.blocks; i++)
        if (memcmp(recorded->blocks[0][i].bytes, recorded->blocks[1][i].bytes,
                   sizeof recorded->blocks[0][i].bytes) != 0) {
            if (!row.blocks_differ++)
                row.first_block = i;
            row.last_block = i;
        }
    row.equal = strcmp(recorded->totals[0], recorded->totals[1]) == 0;
    inquiry.request.threads = files->threads;
    inquiry.request.stage = &files->stage;
    inquiry.request.seed = 1;
    inquiry.request.stop = files->foreign->stop;
    bool good = true;
    bool opened = open_all(&inquiry, &why);
    if (inquiry.request.computed.operation)
        recognise(&inquiry);
    if (!row.equal && !opened)
        note(&row, why.text);
    else if (!row.equal && inquiry.runs[0] && inquiry.runs[1])
        good = explain_both(&inquiry, error);
    else if (!row.equal && recorded->blocks[0])
        good = explain_one_side(&inquiry, error);
    if (good)
        files->take(files->context, &row);
    domain_free(&inquiry.domain);
    return good;
}

static bool explain_sections(struct explain_files *files, const struct fingerprint_file *a,
                             const struct fingerprint_file *b, struct error *error) {
    struct compare_pairs pairs;
    bool good = compare_pair_sections(a, b, &pairs, error);
    signals_leave_to_command(true);
    for (size_t i = 0; good && !interrupted && i < pairs.count; i++) {
        const struct fingerprint_section *x = &a->sections[pairs.items[i].a],
                                         *y = &b->sections[pairs.items[i].b];
        char inputs[SECTION_TEXT];
        const struct recorded recorded = {.operation = x->operation,
                                          .format = x->format,
                                          .rounding = x->rounding,
                                          .parameters = x->parameters,
                                          .inputs = explain_describe_inputs(x, inputs),
                                          .names = {x->implementation, y->implementation},
                                          .details = {x->detail, y->detail},
                                          .totals = {x->total, y->total},
                                          .blocks = {x->blocks, y->blocks},
                                          .block_count = x->block_count,
                                          .count = x->count,
                                          .codes = x->codes,
                                          .identity = x->inputs,
                                          .library = LIBRARY_INPUTS};
        good = explain_pair(files, &recorded, error);
    }
    files->unpaired = files->unpaired || (good && pairs.unpaired);
    free(pairs.items);
    return good;
}

/* Reports of other commands have no fingerprints of outputs. */
static bool is_of_outputs(const struct read_report *report, const char *path, struct error *error) {
    for (size_t i = 0; i < report->result_count; i++)
        for (size_t k = 0; k < report->results[i].implementation_count; k++) {
            enum read_kind kind = report->results[i].implementations[k].kind;
            if (kind == READ_INVARIANCE || kind == READ_EXPLANATION)
                return error_set(error,
                                 "%.300s is a report of detcheck %s, which has no outputs to "
                                 "explain; give reports of sweep, or its --fingerprints",
                                 path, kind == READ_INVARIANCE ? "invariance" : "explain");
        }
    return true;
}

static bool explain_reports(struct explain_files *files, const struct read_report *a,
                            const struct read_report *b, struct error *error) {
    struct compare_pairs pairs;
    bool good = compare_pair_results(a, b, &pairs, error);
    signals_leave_to_command(true);
    for (size_t i = 0; good && !interrupted && i < pairs.count; i++) {
        const struct compare_pair *pair = &pairs.items[i];
        const struct read_result *x = &a->results[pair->a], *y = &b->results[pair->b];
        const struct read_implementation *p = &x->implementations[pair->a_implementation];
        const struct read_implementation *q = &y->implementations[pair->b_implementation];
        char parameters[SECTION_TEXT];
        const struct gate_case cases[2] = {{.report = a, .result = x, .implementation = p},
                                           {.report = b, .result = y, .implementation = q}};
        const bool described = explain_describe_parameters(x->given, parameters);
        const struct recorded recorded = {.operation = x->operation,
                                          .format = x->format,
                                          .rounding = x->rounding,
                                          .parameters = parameters,
                                          .inputs = x->inputs.description,
                                          .names = {p->name, q->name},
                                          .details = {p->detail, q->detail},
                                          .totals = {p->fingerprint, q->fingerprint},
                                          .count = x->inputs.count,
                                          .library = library_inputs_of_report(x),
                                          .facts = &x->inputs,
                                          .cases = cases,
                                          .inputs_json =
                                              cJSON_GetObjectItemCaseSensitive(x->json, "inputs")};
        if (!p->fingerprint || !q->fingerprint)
            good = compare_lacks_fingerprint(x, error);
        else if (!described)
            good = error_set(error, "%s in %s has parameters: explain their files of fingerprints",
                             x->operation, x->format);
        else
            good = explain_pair(files, &recorded, error);
    }
    files->unpaired = files->unpaired || (good && pairs.unpaired);
    free(pairs.items);
    return good;
}

bool explain_files(struct explain_files *files, struct error *error) {
    size_t lengths[2];
    char *texts[2] = {0};
    bool good = true;
    for (int i = 0; good && i < 2; i++)
        good = (texts[i] = file_read(files->paths[i], MOST_BYTES, "report or file of fingerprints",
                                     &lengths[i], error)) != NULL;
    if (good && fingerprints_are(texts[0])) {
        struct fingerprint_file read[2] = {{0}};
        for (int i = 0; good && i < 2; i++)
            good = fingerprints_parse(&read[i], files->paths[i], texts[i], error);
        good = good && explain_sections(files, &read[0], &read[1], error);
        fingerprints_free(&read[0]);
        fingerprints_free(&read[1]);
    } else if (good) {
        struct read_report read[2];
        int count = 0;
        while (good && count < 2) {
            char *text = texts[count];
            texts[count] = NULL;
            good = report_read_text(&read[count], files->paths[count], text, lengths[count], error);
            count += good;
        }
        for (int i = 0; good && i < 2; i++)
            good = is_of_outputs(&read[i], files->paths[i], error);
        good = good && explain_reports(files, &read[0], &read[1], error);
        while (count--)
            report_read_free(&read[count]);
    }
    free(texts[0]);
    free(texts[1]);
    return good;
}
