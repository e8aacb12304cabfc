/* One line for each test, so that files can be compared by diff. Nothing here needs to be escaped:
 * all texts are names of tables and numbers. */
#include "vector/write/json.h"

#include "format/text.h"
#include "report/report.h"
#include "vector/array_vectors.h"
#include "vector/choose/hard.h"

#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const notes[VECTOR_FLAGS] = {
    "tell det from kernels with one constant off in its last bit, one fma split or one term "
    "dropped, or lie nearest to "
    "where det's last rounding changes",
    "zeros, infinities, NaNs, ones, ends of the subnormal and of the normal numbers; of several "
    "operands every tuple of them",
    "limits of the format, landmarks of the operation with their neighbours, edges of binades, and "
    "where results overflow, underflow or become NaN; of several operands seeded tuples of limits "
    "and landmarks",
    NULL, /* by what was searched */
    "inputs for which the report of some implementation has its largest errors",
    "seeded draws: the binades in turn, sign and fraction at random; of several operands half of "
    "the draws from all binades and half from those around 1",
    "every input there is",
    "arrays drawn from the family that the parameters name"};

/* What `hard` means in these groups. */
static const char *hard_note(const struct vector_group *groups, size_t count) {
    static char note[320];
    bool all = false, many = false, few = false, given = false;
    for (size_t i = 0; i < count; i++) {
        const struct binding_request *computed = &groups[i].computed;
        bool is_all = hard_search_of(computed) == HARD_ALL;
        bool is_few = hard_draws_of(computed) == HARD_FEW_DRAWS;
        all = all || is_all;
        many = many || (!is_all && !is_few);
        few = few || (!is_all && is_few);
        given = given || groups[i].hard_given;
    }
    if (!many && !few)
        return "nearest to where the rounding changes, of all inputs there are; distance in ulps";
    char of_few[32] = "";
    if (many && few)
        snprintf(of_few, sizeof of_few, " (of jn and yn %d)", HARD_FEW_DRAWS);
    snprintf(note, sizeof note,
             "nearest to where the rounding changes, of %s%d seeded draws%s%s; distance in ulps",
             all || given ? "all inputs of one operand in formats of up to 32 bits and of two "
                            "operands of 8 bits, else of "
                          : "",
             many ? HARD_DRAWS : HARD_FEW_DRAWS, of_few,
             given ? " and of inputs that a longer search found" : "");
    return note;
}

/* Where all groups are of casts. */
static const char *const cast_notes[VECTOR_FLAGS] = {
    NULL,
    "zeros, infinities, NaNs, ones, ends of the subnormal and of the normal numbers of the source",
    "numbers of the target and the middles between two; its limits, and what lies next to them",
    "next to where the rounding changes, in the source; distance in ulps of the target",
    "inputs for which the report of some implementation has its largest errors",
    "seeded draws: half from all binades of the source, half from the range of the target",
    "every input there is",
    NULL};

static const char *note_of(int flag, const struct vector_group *groups, size_t count) {
    bool casts = true;
    for (size_t i = 0; i < count; i++)
        casts = casts && groups[i].computed.operation->converts;
    if (casts)
        return cast_notes[flag];
    return notes[flag] ? notes[flag] : hard_note(groups, count);
}

static void write_notes(FILE *stream, const struct vector_group *groups, size_t count,
                        unsigned flags) {
    const char *before = "";
    fprintf(stream, " \"notes\": {");
    for (int i = 0; i < VECTOR_FLAGS; i++)
        if (flags & 1u << i) {
            fprintf(stream, "%s\n  \"%s\": \"%s\"", before, vector_flag_names[i],
                    note_of(i, groups, count));
            before = ",";
        }
    fprintf(stream, "},\n");
}

static void write_codes(FILE *stream, const char *name, const struct format *format,
                        const uint64_t *codes, int count) {
    char text[NUMBER_TEXT];
    fprintf(stream, ", \"%s\": [", name);
    for (int i = 0; i < count; i++)
        fprintf(stream, "%s\"%s\"", i ? ", " : "",
                format_bits_text(format_of_operand(format, i), codes[i], text));
    fprintf(stream, "]");
}

static void write_raised(FILE *stream, uint8_t raised) {
    const char *before = "";
    fprintf(stream, ", \"flags_raised\": [");
    for (int i = 0; i < FLAGS; i++)
        if (raised & flag_bit(i)) {
            fprintf(stream, "%s\"%s\"", before, flag_names[i]);
            before = ", ";
        }
    fprintf(stream, "]");
}

/* With as many digits as it takes to read the same number back. */
static void write_distance(FILE *stream, double distance) {
    char text[32];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, distance);
        double read = strtod(text, NULL);
        if (!(read < distance) && !(read > distance))
            break;
    }
    fprintf(stream, ", \"distance\": %s", text);
}

/* Integers as decimals, others as bits. */
static const char *element_text(const struct format *format, uint64_t code,
                                char text[NUMBER_TEXT]) {
    return format_is_whole(format) ? format_decimal_text(format, code, text)
                                   : format_bits_text(format, code, text);
}

/* An array of arrays; returns where the elements of the next begin. */
static const uint64_t *write_arrays(FILE *stream, const char *name, const struct array *arrays,
                                    int count, const uint64_t *elements) {
    char text[NUMBER_TEXT];
    fprintf(stream, ", \"%s\": [", name);
    for (int i = 0; i < count; i++) {
        fprintf(stream, "%s[", i ? ", " : "");
        for (uint64_t j = 0; j < shape_elements(&arrays[i].shape); j++, elements++)
            fprintf(stream, "%s\"%s\"", j ? ", " : "",
                    element_text(arrays[i].format, *elements, text));
        fprintf(stream, "]");
    }
    fprintf(stream, "]");
    return elements;
}

/* Whether det's outputs stand beside the correctly rounded ones. */
static bool has_second(const struct vector_group *group) {
    return vector_group_first(group) != EXPECT_DET && vector_group_expects(group, EXPECT_DET);
}

/* The shapes were found good when the tests were drawn. */
static void write_call(FILE *stream, const struct vector_group *group,
                       const struct vector_test *test) {
    struct array_call call;
    struct error unused;
    const struct operation *operation = group->computed.operation;
    if (!array_vectors_plan(&call, &group->computed, &unused))
        return;
    const uint64_t *rest =
        write_arrays(stream, "in", call.operands, operation_operands(operation, call.parameters),
                     test->elements);
    rest = write_arrays(stream, "out", call.results, operation->results, rest);
    if (has_second(group))
        write_arrays(stream, "det", call.results, operation->results, rest);
}

void vector_json_test(FILE *stream, const struct vector_group *group,
                      const struct vector_test *test, uint64_t id, bool is_first) {
    const struct operation *operation = group->computed.operation;
    const char *before = "";
    fprintf(stream, "%s  {\"tcId\": %llu", is_first ? "" : ",\n", (unsigned long long)id);
    if (operation->array) {
        write_call(stream, group, test);
    } else {
        write_codes(stream, "in", group->computed.format, test->in, operation->operands);
        const struct format *format = request_result_format(&group->computed);
        write_codes(stream, "out", format, test->out[vector_group_first(group)],
                    operation->results);
        if (has_second(group))
            write_codes(stream, "det", format, test->out[EXPECT_DET], operation->results);
    }
    if (group->has_raised)
        write_raised(stream, test->raised);
    fprintf(stream, ", \"flags\": [");
    for (int i = 0; i < VECTOR_FLAGS; i++)
        if (test->flags & 1u << i) {
            fprintf(stream, "%s\"%s\"", before, vector_flag_names[i]);
            before = ", ";
        }
    fprintf(stream, "]");
    if (test->flags & 1u << VECTOR_HARD)
        write_distance(stream, test->distance);
    fprintf(stream, "}");
}

static void write_parameters(FILE *stream, const struct parameters *parameters) {
    cJSON *object = cJSON_CreateObject();
    report_add_parameters(object, parameters);
    char *text = cJSON_PrintUnformatted(object);
    fprintf(stream, "\"parameters\": %s", text ? text : "");
    free(text);
    cJSON_Delete(object);
}

void vector_json_begin_group(FILE *stream, const struct vector_group *group, bool is_first) {
    const struct binding_request *computed = &group->computed;
    fprintf(stream,
            "%s {\"operation\": \"%s\", \"format\": \"%s\", \"rounding\": \"%s\", \"expect\": "
            "\"%s\", ",
            is_first ? "" : ",\n", computed->operation->name, computed->format->name,
            rounding_names[computed->rounding], vector_expect_names[vector_group_first(group)]);
    write_parameters(stream, &computed->parameters);
    if (group->has_raised)
        fprintf(stream, ", \"tininess\": \"%s\"", vector_tininess_name(group));
    fprintf(stream, ",\n  \"tests\": [\n");
}

void vector_json_end_group(FILE *stream) {
    fprintf(stream, "  ]}\n");
}

void vector_json_begin(FILE *stream, const struct vector_group *groups, size_t count,
                       const struct vector_extent *extent) {
    fprintf(stream,
            "{\"schema\": \"%s\",\n \"generator\": \"detcheck %s\",\n \"oracle\": \"mpfr %s\",\n "
            "\"numberOfTests\": %llu,\n",
            VECTOR_SCHEMA, DETCHECK_VERSION, mpfr_get_version(), (unsigned long long)extent->tests);
    write_notes(stream, groups, count, extent->flags);
    fprintf(stream, " \"testGroups\": [\n");
}

void vector_json_end(FILE *stream) {
    fprintf(stream, " ]}\n");
}
