/* Texts of a row, and distances of its outputs. */
#include "trace/measure.h"

#include "base/foreign.h"
#include "base/json.h"
#include "trace/call.h"
#include "trace/describe.h"
#include "trace/names.h"
#include "trace/verdict_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t most_ulps = UINT64_C(1) << 53;

/* "1x4096, 4096x1024 bf16": the type once where all have it. */
static void describe_inputs(const struct trace_operation *operation, char *text, size_t room) {
    size_t used = 0;
    bool one_type = true;
    for (size_t i = 1; i < operation->input_count; i++)
        one_type =
            one_type && strcmp(operation->inputs[i].type_name, operation->inputs[0].type_name) == 0;
    *text = '\0';
    for (size_t i = 0; i < operation->input_count && used + 1 < room; i++) {
        char tensor[TRACE_TENSOR_TEXT];
        trace_tensor_text(&operation->inputs[i], tensor);
        if (one_type && i + 1 < operation->input_count)
            tensor[strlen(tensor) - strlen(operation->inputs[i].type_name) - 1] = '\0';
        const int more = snprintf(text + used, room - used, "%s%s", i ? ", " : "", tensor);
        used += more > 0 ? (size_t)more : 0;
    }
    foreign_trim(text); /* which may be cut off within a character */
}

/* "eps 1e-06 here, 1e-05 there". */
static void describe_attribute(const char *name, const cJSON *here, const cJSON *there, char *text,
                               size_t room) {
    char *a = here ? cJSON_PrintUnformatted(here) : NULL,
         *b = there ? cJSON_PrintUnformatted(there) : NULL;
    const size_t used = strlen(text);
    snprintf(text + used, room - used, "%s%.40s %.40s here, %.40s there", used ? "; " : "", name,
             a ? a : "not given", b ? b : "not given");
    cJSON_free(a);
    cJSON_free(b);
}

static void describe_attributes(const cJSON *here, const cJSON *there, char *text, size_t room) {
    *text = '\0';
    for (const cJSON *a = here ? here->child : NULL; a; a = a->next) {
        const cJSON *b = json_get(there, a->string);
        if (!b || !cJSON_Compare(a, b, true))
            describe_attribute(a->string, a, b, text, room);
    }
    for (const cJSON *b = there ? there->child : NULL; b; b = b->next)
        if (!json_get(here, b->string))
            describe_attribute(b->string, NULL, b, text, room);
    foreign_trim(text);
}

/* From the first to the last, where others lie between; else 0. */
static uint64_t span_of(const struct trace_match *match, int side) {
    const size_t count = match->count[side],
                 span = count ? match->members[side][count - 1] - match->first[side] + 1 : 0;
    return span > count ? span : 0;
}

void measure_describe(const struct verdict_judge *judge, const struct trace_match *match,
                      struct trace_row *row) {
    const int side = match->count[0] ? 0 : 1;
    /* A group is known by the name of the one operation that it stands beside, or of its last one. */
    const int named = match->count[0] > 1 && match->count[1] == 1 ? 1 : side;
    const struct trace_operation *operation = verdict_last(judge, match, named);
    /* A kernel has no place in the program, but what it stands for may have one. */
    const int placed = !*operation->path && match->count[!named] ? !named : named;
    const struct trace_operation *place = verdict_last(judge, match, placed);
    *row = (struct trace_row){.name = operation->name,
                              .path = place->path,
                              .source = place->source,
                              .name_there = "",
                              .here = match->first[0],
                              .there = match->first[1],
                              .here_count = match->count[0],
                              .there_count = match->count[1],
                              .here_span = span_of(match, 0),
                              .there_span = span_of(match, 1),
                              .members = {match->members[0], match->members[1]},
                              .is_moved = match->is_moved,
                              .is_random = trace_is_random(judge->sides[named], operation)};
    describe_inputs(operation, row->shapes, sizeof row->shapes);
    describe_steps(judge, match, row->steps);
    if (!match->count[0] || !match->count[1])
        return;
    const struct trace_operation *here = verdict_last(judge, match, 0),
                                 *there = verdict_last(judge, match, 1);
    const bool are_alike = (match->count[0] == 1) == (match->count[1] == 1);
    if (are_alike && strcmp(here->name, there->name) != 0) {
        row->name = here->name;
        row->name_there = there->name;
    }
    if (match->count[0] == 1 && match->count[1] == 1 && trace_same_name(here, there))
        describe_attributes(here->attributes, there->attributes, row->attributes,
                            sizeof row->attributes);
}

/* The value of a tensor of one number that was kept. */
static bool number_text(const struct trace *trace, const struct trace_tensor *tensor,
                        char text[32]) {
    struct trace_codes codes;
    struct error unused;
    if (tensor->count != 1 || tensor->kept_in < 0 || !tensor->type || !tensor->type->format ||
        tensor->type->components != 1 || !trace_codes_load(&codes, trace, tensor, &unused))
        return false;
    const struct real real =
        format_decode(codes.format, code_load(codes.codes, format_bytes(codes.format), 0));
    snprintf(text, 32, "%.*g", codes.format == &formats[FORMAT_FP64] ? 17 : 9,
             real_to_double(&real));
    free(codes.codes);
    return true;
}

void measure_describe_input(const struct verdict_judge *judge,
                            const struct trace_tensor *const inputs[2], struct trace_row *row) {
    const char *name = inputs[0]->name;
    char text[TRACE_TENSOR_TEXT], values[2][32];
    snprintf(row->input, sizeof row->input, "%.60s%s%.100s", name ? name : "", name ? ", " : "",
             trace_tensor_text(inputs[0], text));
    foreign_trim(row->input);
    const size_t used = strlen(row->input);
    if (number_text(judge->sides[0], inputs[0], values[0]) &&
        number_text(judge->sides[1], inputs[1], values[1]) && used + 80 < sizeof row->input)
        snprintf(row->input + used, sizeof row->input - used, ", %s here, %s there", values[0],
                 values[1]);
}

/* "3x4 fp32 here, 2x6 fp32 there". */
static void describe_outputs(const struct verdict_judge *judge, const struct trace_match *match,
                             struct trace_row *row) {
    char texts[2][TRACE_TENSOR_TEXT];
    const size_t count = verdict_outputs(judge, match);
    for (size_t i = 0; i < count && !*row->outputs; i++) {
        const struct trace_tensor *pair[2];
        if (verdict_output_pair(judge, match, i, pair) &&
            (!trace_same_shape(pair[0], pair[1]) ||
             strcmp(pair[0]->type_name, pair[1]->type_name) != 0))
            snprintf(row->outputs, sizeof row->outputs, "%.80s here, %.80s there",
                     trace_tensor_text(pair[0], texts[0]), trace_tensor_text(pair[1], texts[1]));
    }
    foreign_trim(row->outputs);
}

/* All outputs of a pair together. */
struct measured {
    uint64_t distances[TENSOR_DISTANCES];
};

static void take(struct trace_row *row, struct measured *measured,
                 const struct tensor_difference *difference) {
    row->elements += difference->elements;
    row->differ += difference->differ;
    row->not_finite += difference->nan_in[0] + difference->nan_in[1] + difference->infinite;
    if (difference->rounded) {
        row->rounded = difference->rounded->name;
        row->to = difference->format->name;
    }
    for (int i = 0; i < TENSOR_DISTANCES; i++)
        measured->distances[i] += difference->distances[i];
    if (difference->largest > row->largest)
        row->largest = difference->largest < most_ulps ? difference->largest : most_ulps;
}

/* The middle of those that differ, up to the end of its row of distances; and the rows that are not empty. */
static bool settle(struct trace_row *row, const struct measured *measured, struct error *error) {
    uint64_t all = 0, done = 0;
    unsigned count = 0;
    for (int i = 0; i < TENSOR_DISTANCES; i++) {
        all += measured->distances[i];
        count += measured->distances[i] > 0;
    }
    row->ulps = calloc(count + 1, sizeof *row->ulps);
    if (!row->ulps)
        return error_set(error, "out of memory");
    for (int i = 0; i < TENSOR_DISTANCES; i++) {
        const bool before = 2 * done < all;
        done += measured->distances[i];
        if (before && 2 * done >= all)
            row->middle = !i ? 0 : i > 53 ? most_ulps : UINT64_C(1) << (i - 1);
        if (!measured->distances[i])
            continue;
        struct trace_ulps *ulps = &row->ulps[row->ulps_count++];
        tensor_distance_text(i, ulps->ulps);
        ulps->count = measured->distances[i];
    }
    row->middle = row->middle < row->largest ? row->middle : row->largest;
    return true;
}

static bool measure_one(const struct verdict_judge *judge, const struct trace_tensor *const pair[2],
                        const volatile sig_atomic_t *stop, struct trace_row *row,
                        struct measured *measured, struct error *error) {
    struct tensor_named opened[2];
    struct tensor_difference difference;
    enum tensor_mismatch mismatch = TENSOR_OTHER_TYPE;
    if (!trace_tensor_open(judge->sides[0], pair[0], &opened[0], error))
        return false;
    bool good = trace_tensor_open(judge->sides[1], pair[1], &opened[1], error);
    if (good) {
        good = tensor_compare(&opened[0].file, opened[0].tensor, &opened[1].file, opened[1].tensor,
                              stop, &difference, &mismatch, error) &&
               tensor_file_stays(&opened[0].file, error) &&
               tensor_file_stays(&opened[1].file, error);
        tensor_named_close(&opened[1]);
    }
    tensor_named_close(&opened[0]);
    if (good && mismatch == TENSOR_COMPARED)
        take(row, measured, &difference);
    return good;
}

bool measure_outputs(const struct verdict_judge *judge, const struct trace_match *match,
                     const volatile sig_atomic_t *stop, struct trace_row *row,
                     struct error *error) {
    struct measured measured = {{0}};
    describe_outputs(judge, match, row);
    const size_t count = verdict_outputs(judge, match);
    for (size_t i = 0; i < count; i++) {
        const struct trace_tensor *pair[2];
        const bool are_kept = verdict_output_pair(judge, match, i, pair) && pair[0]->kept_in >= 0 &&
                              pair[1]->kept_in >= 0;
        if (are_kept && !trace_same_digest(&pair[0]->canonical, &pair[1]->canonical) &&
            !measure_one(judge, pair, stop, row, &measured, error))
            return false;
    }
    return !row->differ || settle(row, &measured, error);
}
