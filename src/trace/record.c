/* The rows, and the document. */
#include "trace/record.h"

#include "base/json_schema.h"
#include "base/json_tree.h"
#include "trace/compare.h"

#include <stdlib.h>
#include <string.h>

#define ROWS(LIST) LIST, sizeof LIST / sizeof *LIST
#define OF(TYPE)   &(const TYPE)

#define ULPS(MEMBER) offsetof(struct trace_ulps, MEMBER)
static const struct record_member ulps_members[] = {
    {"ulps", &record_text, ULPS(ulps), OF(struct record_text_of){TENSOR_DISTANCE_TEXT},
     .says = "A distance in ulps, or a range of them, such as 3 to 4; 0 of zeros of two signs."},
    {"count", &record_count, ULPS(count), .says = "How many elements are so far apart."}};
static const struct record ulps_record = {"ulps", ROWS(ulps_members), sizeof(struct trace_ulps),
                                          RECORD_ALL};

#define JUDGED(MEMBER) offsetof(struct trace_judgement, MEMBER)
static const struct record_names_of causes = {trace_cause_names, TRACE_CAUSES};
static const struct record_member judgement_members[] = {
    {"operation", &record_string, JUDGED(operation), .flags = RECORD_ABSENT,
     .says = "The operation of detcheck that it is."},
    {"operation_there", &record_string, JUDGED(operation_there), .flags = RECORD_ABSENT,
     .says = "The operation there, if the two sides ask for different things: each is then judged "
             "by its own exact result, and neither is called nearer."},
    {"outputs", &record_given, JUDGED(outputs),
     .says = "How many outputs the exact oracle judged; if 0, not_judged says why."},
    {"differ", &record_some, JUDGED(differ), OF(size_t){JUDGED(outputs)}, .flags = RECORD_ABSENT,
     .says = "How many outputs differ: all of them were judged, or, if that would take too long, "
             "the first, the farthest apart, and others that were drawn."},
    {"wrong_here", &record_given, JUDGED(wrong_here),
     .part_of = {"outputs", JUDGED(outputs), false},
     .says = "How many of them are not the exact result correctly rounded, here."},
    {"wrong_there", &record_given, JUDGED(wrong_there),
     .part_of = {"outputs", JUDGED(outputs), false}, .says = "The same there."},
    {"nearer_here", &record_given, JUDGED(nearer_here),
     .part_of = {"outputs", JUDGED(outputs), false},
     .says = "How many of them are nearer to the exact result here than there."},
    {"nearer_there", &record_given, JUDGED(nearer_there),
     .part_of = {"outputs", JUDGED(outputs), false}, .says = "The reverse."},
    {"error_here", &record_error, JUDGED(error_here), .says = "The largest error here, in ulps."},
    {"error_there", &record_error, JUDGED(error_there), .says = "The same there."},
    {"cause", &record_choice, JUDGED(cause), &causes,
     .says = "The kind of cause: operations or attributes that differ; a side that does not repeat "
             "itself; a relation between the outputs of both sides; ways of computing that give "
             "all outputs of both sides, or of one; several such ways, so that none can be named; "
             "too few independent outputs, fewer than 16; or none that was found."},
    {"looked", &record_given, JUDGED(looked),
     .says = "How many outputs of each side were compared with ways of computing."},
    {"tried", &record_given, JUDGED(tried), .says = "How many ways of computing were tried."},
    {"fits_here", &record_given, JUDGED(fits_here), .part_of = {"tried", JUDGED(tried), false},
     .says = "How many of them give all outputs here that were compared; ways that give the same "
             "outputs for shuffled inputs count as one."},
    {"fits_there", &record_given, JUDGED(fits_there), .part_of = {"tried", JUDGED(tried), false},
     .says = "The same there."},
    {"says", &record_string, JUDGED(says), .flags = RECORD_ABSENT,
     .says = "The cause in words; if none was found, the way that comes nearest."},
    {"cause_here", &record_string, JUDGED(cause_here), .flags = RECORD_ABSENT,
     .says = "How the outputs here come about, in words; absent where nothing explains them."},
    {"cause_there", &record_string, JUDGED(cause_there), .flags = RECORD_ABSENT,
     .says = "The same there."},
    {"not_judged", &record_string, JUDGED(not_judged), .flags = RECORD_ABSENT,
     .says = "The reason why the oracle judged no output."},
    {"command", &record_string, JUDGED(command), .flags = RECORD_ABSENT,
     .says = "The command that shows again how far the outputs are apart."}};
const struct record trace_judgement_record = {"judgement", ROWS(judgement_members),
                                              sizeof(struct trace_judgement), RECORD_ALL};

#define ROW(MEMBER) offsetof(struct trace_row, MEMBER)
#define SOME(NAME, SAYS)                                                                           \
    {                                                                                              \
#NAME, &record_some, ROW(NAME),                                                            \
            OF(size_t){ROW(elements) }, .flags = RECORD_ABSENT, .says = SAYS                       \
    }
static const struct record_names_of verdicts = {trace_verdict_names, TRACE_VERDICTS};
static const struct record_member row_members[] = {
    {"verdict", &record_choice, ROW(verdict), &verdicts,
     .says =
         "The outcome: equal outputs; parted: other outputs of the same inputs; followed: "
         "other outputs of inputs that an operation before gave otherwise; other inputs: that no "
         "recorded operation gave; unclear: without the digest of an input; not compared: "
         "without that of an output; alone on one side."},
    {"name", &record_string, ROW(name), .says = "The name of the operation."},
    {"name_there", &record_string, ROW(name_there), .flags = RECORD_ABSENT,
     .says = "Its name there, if it has another one."},
    {"path", &record_string, ROW(path), .flags = RECORD_ABSENT,
     .says = "The module that called it."},
    {"source", &record_string, ROW(source), .flags = RECORD_ABSENT,
     .says = "The line of the program."},
    {"here", &record_given, ROW(here), .says = "Its number here, from 0."},
    {"here_count", &record_given, ROW(here_count),
     .says = "How many operations here make up this one; 0 if none, and then its number is its "
             "place in the run."},
    {"here_span", &record_some, ROW(here_span), OF(size_t){ROW(here_span)}, .flags = RECORD_ABSENT,
     .says = "How many operations lie from the first of them to the last, if others lie between."},
    {"there", &record_given, ROW(there), .says = "Its number there."},
    {"there_count", &record_given, ROW(there_count), .says = "How many operations it is there."},
    {"there_span", &record_some, ROW(there_span), OF(size_t){ROW(there_span)},
     .flags = RECORD_ABSENT, .says = "The same there."},
    {"moved", &record_truth, ROW(is_moved), .says = "Whether it stands out of order."},
    {"random", &record_truth, ROW(is_random), .says = "Whether it draws random numbers."},
    {"shapes", &record_text, ROW(shapes), OF(struct record_text_of){TRACE_SHAPES_TEXT},
     .says = "Shapes and types of its inputs."},
    {"input", &record_text, ROW(input), OF(struct record_text_of){TRACE_SHAPES_TEXT},
     .says = "For other inputs: the first that differs and that no recorded operation gave; or "
             "empty."},
    {"steps", &record_text, ROW(steps), OF(struct record_text_of){TRACE_STEPS_TEXT},
     .flags = RECORD_ABSENT, .says = "The operations of a group on each side, in words."},
    {"swapped", &record_text, ROW(swapped), OF(struct record_text_of){TRACE_SHAPES_TEXT},
     .flags = RECORD_ABSENT,
     .says = "The inputs that have other places on the other side, in words."},
    {"attributes", &record_text, ROW(attributes), OF(struct record_text_of){TRACE_SHAPES_TEXT},
     .says = "Attributes that are not the same on both sides, in words; or empty."},
    {"outputs", &record_text, ROW(outputs), OF(struct record_text_of){TRACE_SHAPES_TEXT},
     .says = "Shapes and types of the first outputs that are not alike in them; or empty."},
    SOME(elements, "The number of elements of the outputs whose tensors both sides kept."),
    SOME(differ, "How many of them differ."),
    SOME(not_finite, "How many of those are NaN or infinite on one side."),
    SOME(largest, "The largest distance in ulps; at most 2^53."),
    SOME(middle, "The distance in ulps within which half of the elements that differ lie."),
    {"ulps", &record_array, ROW(ulps), OF(struct record_array_of){&ulps_record, ROW(ulps_count)},
     .flags = RECORD_ABSENT, .says = "The distances of elements, with their counts."},
    {"judgement", &record_pointed, ROW(judgement), &trace_judgement_record, .flags = RECORD_ABSENT,
     .says = "The judgement of the exact oracle on both."}};
static const struct record row_record = {"operation", ROWS(row_members), sizeof(struct trace_row),
                                         RECORD_ALL};

#define KIND(MEMBER) offsetof(struct trace_kind, MEMBER)
#define OF_CALLS(NAME, SAYS)                                                                       \
    { #NAME, &record_given, KIND(NAME), .part_of = {"calls", KIND(calls), false }, .says = SAYS }
static const struct record_member kind_members[] = {
    {"name", &record_string, KIND(name), .says = "The name of operations."},
    {"calls", &record_given, KIND(calls), .says = "How many there are; a pair counts as one."},
    OF_CALLS(parted, "How many parted by themselves."),
    OF_CALLS(followed, "How many followed others."),
    OF_CALLS(other_inputs, "How many had other inputs that no recorded operation gave."),
    OF_CALLS(unclear, "How many differ and have an input that was left out."),
    OF_CALLS(not_compared, "How many were not compared, since their outputs were left out."),
    {"no_values", &record_some, KIND(no_values), OF(size_t){KIND(no_values)},
     .flags = RECORD_ABSENT, .part_of = {"not_compared", KIND(not_compared), false},
     .says = "How many of these had nothing to compare: no outputs, or memory that nobody had "
             "written to."},
    {"unmeasured", &record_some, KIND(unmeasured), OF(size_t){KIND(unmeasured)},
     .flags = RECORD_ABSENT, .part_of = {"parted", KIND(parted), false},
     .says = "How many parted by an unknown distance: their tensors were not kept, or cannot "
             "be compared."},
    OF_CALLS(alone, "How many have no partner."),
    {"largest", &record_given, KIND(largest),
     .says = "The largest distance in ulps of those that parted, as far as tensors were kept."},
    {"nearer_here", &record_given, KIND(nearer_here),
     .says = "How many judged operations are nearer to the exact result here: they have fewer "
             "wrong outputs, or more outputs with the smaller error."},
    {"nearer_there", &record_given, KIND(nearer_there), .says = "The same there."}};
static const struct record kind_record = {"kind", ROWS(kind_members), sizeof(struct trace_kind),
                                          RECORD_ALL};

#define STRETCH(MEMBER) offsetof(struct trace_stretch, MEMBER)
static const struct record_member stretch_members[] = {
    {"first", &record_given, STRETCH(first), .says = "The first operation of a stretch, here."},
    {"last", &record_given, STRETCH(last), .says = "The last one."},
    {"compared", &record_given, STRETCH(compared), .says = "Pairs of it that were compared."},
    {"differ", &record_given, STRETCH(differ), .part_of = {"compared", STRETCH(compared), false},
     .says = "How many of them have other outputs."},
    {"elements", &record_given, STRETCH(elements),
     .says = "Elements of their outputs, where both sides kept them."},
    {"elements_differ", &record_given, STRETCH(elements_differ),
     .part_of = {"elements", STRETCH(elements), false}, .says = "How many of these differ."},
    {"largest", &record_given, STRETCH(largest), .says = "The largest distance in ulps."},
    {"middle", &record_given, STRETCH(middle),
     .says =
         "The largest such distance of an operation: half of its outputs that differ lie within "
         "it, in ulps."}};
static const struct record stretch_record = {"stretch", ROWS(stretch_members),
                                             sizeof(struct trace_stretch), RECORD_ALL};

#define SIDE(MEMBER) offsetof(struct trace_side, MEMBER)
static const struct record_member side_members[] = {
    {"path", &record_string, SIDE(path), .says = "The folder of the trace."},
    {"recorder", &record_string, SIDE(recorder), .says = "The recorder."},
    {"program", &record_string, SIDE(program), .flags = RECORD_ABSENT,
     .says = "The version of detcheck that recorded it."},
    {"operations", &record_given, SIDE(operations), .says = "How many operations it has."},
    {"left_out", &record_given, SIDE(left_out), .says = "How much the recorder left out."},
    {"complete", &record_truth, SIDE(complete), .says = "Whether the run came to its end."}};
static const struct record side_record = {"side", ROWS(side_members), sizeof(struct trace_side),
                                          RECORD_ALL};

#define SETTING(MEMBER) offsetof(struct trace_setting, MEMBER)
static const struct record_member setting_members[] = {
    {"name", &record_string, SETTING(name), .says = "The part of the environment that differs."},
    {"here", &record_string, SETTING(here), .flags = RECORD_ABSENT, .says = "Its value here."},
    {"there", &record_string, SETTING(there), .flags = RECORD_ABSENT, .says = "Its value there."}};
static const struct record setting_record = {"setting", ROWS(setting_members),
                                             sizeof(struct trace_setting), RECORD_ALL};

#define AT(MEMBER) offsetof(struct trace_comparison, MEMBER)
#define ARRAY(RECORD, COUNT)                                                                       \
    OF(struct record_array_of) {                                                                   \
        &RECORD, AT(COUNT)                                                                         \
    }
static const struct record_member members[] = {
    {"here", &record_nested, AT(here), &side_record, .says = "The first trace."},
    {"there", &record_nested, AT(there), &side_record, .says = "The second one."},
    {"settings", &record_array, AT(settings), ARRAY(setting_record, setting_count),
     .says = "How their environments differ."},
    {"pairs", &record_given, AT(pairs), .says = "Operations that have a partner, as pairs."},
    {"moved", &record_given, AT(moved), .says = "Pairs that stand out of order."},
    {"fused", &record_given, AT(fused),
     .says = "Pairs in which a side has several operations, or another operation."},
    {"verdicts", &record_names, AT(counts), &verdicts,
     .says = "How many operations have each verdict; a pair counts as one."},
    {"all", &record_truth, AT(all), .says = "Whether equal operations are listed, too."},
    {"kinds", &record_array, AT(kinds), ARRAY(kind_record, kind_count),
     .says = "Operations by their name."},
    {"stretches", &record_array, AT(stretches), ARRAY(stretch_record, stretch_count),
     .says = "The run in twelve stretches."},
    {"operations", &record_array, AT(rows), ARRAY(row_record, row_count),
     .says = "The operations, in the order of the run."}};
const struct record trace_comparison_record = {"trace", ROWS(members),
                                               sizeof(struct trace_comparison), RECORD_ALL};

static const struct record_wire wire = {.strict = true};

cJSON *trace_comparison_document(const struct trace_comparison *comparison, bool all) {
    struct trace_comparison shown = *comparison;
    cJSON *document = cJSON_CreateObject();
    shown.all = shown.all && all;
    if (!all) {
        shown.row_count = 0;
        shown.rows = malloc((comparison->row_count + (size_t)1) * sizeof *shown.rows);
        if (!shown.rows) {
            cJSON_Delete(document);
            return NULL;
        }
        for (unsigned i = 0; i < comparison->row_count; i++)
            if (comparison->rows[i].verdict != TRACE_EQUAL)
                shown.rows[shown.row_count++] = comparison->rows[i];
    }
    cJSON_AddStringToObject(document, "schema", TRACE_COMPARISON_SCHEMA);
    record_write(document, &trace_comparison_record, &shown, NULL, &wire);
    record_keep_digits(document, NULL);
    if (!all)
        free(shown.rows);
    return document;
}

bool trace_comparison_is(const char *text) {
    return json_begins_with_schema(text, TRACE_COMPARISON_SCHEMA);
}

static bool read_rows(const cJSON *document, const char *path, struct trace_comparison *comparison,
                      struct error *error) {
    struct json_reader reader = {.file = path, .error = error};
    if (!cJSON_IsObject(document) ||
        strcmp(json_text(document, "schema"), TRACE_COMPARISON_SCHEMA) != 0)
        json_fail(&reader, "schema",
                  "should be \"" TRACE_COMPARISON_SCHEMA "\", of a comparison of traces");
    if (!reader.failed)
        record_read(&reader, document, &trace_comparison_record, comparison, NULL, &wire);
    return !reader.failed;
}

bool trace_comparison_check(const cJSON *document, const char *path, struct error *error) {
    struct trace_comparison comparison = {.row_count = 0};
    const bool good = read_rows(document, path, &comparison, error);
    record_free(&trace_comparison_record, &comparison);
    return good;
}

bool trace_comparison_read(struct trace_comparison *comparison, const char *path, char *text,
                           size_t length, struct error *error) {
    *comparison = (struct trace_comparison){.row_count = 0};
    comparison->document = json_parse(text, length, path, "comparison of traces", error);
    return comparison->document && read_rows(comparison->document, path, comparison, error);
}
