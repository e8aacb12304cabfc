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
     .says = "A distance in ulps, or a range of distances, such as 3 to 4; +0 and "
             "-0 have the distance 0."},
    {"count", &record_count, ULPS(count), .says = "The number of elements with this distance."}};
static const struct record ulps_record = {"ulps", ROWS(ulps_members), sizeof(struct trace_ulps),
                                          RECORD_ALL};

#define JUDGED(MEMBER) offsetof(struct trace_judgement, MEMBER)
static const struct record_names_of causes = {trace_cause_names, TRACE_CAUSES};
static const struct record_member judgement_members[] = {
    {"operation", &record_string, JUDGED(operation), .flags = RECORD_ABSENT,
     .says = "The name that detcheck has for the operation."},
    {"operation_there", &record_string, JUDGED(operation_there), .flags = RECORD_ABSENT,
     .says = "The same for the second trace, if its operation is another one or "
             "has other attributes. Then each side is judged by its own exact "
             "result, and neither is called nearer."},
    {"outputs", &record_given, JUDGED(outputs),
     .says = "The number of elements of outputs that detcheck compared with the exact "
             "result; if 0, not_judged says why."},
    {"differ", &record_some, JUDGED(differ), OF(size_t){JUDGED(outputs)}, .flags = RECORD_ABSENT,
     .says = "The number of elements that differ. All of these were judged, unless that "
             "would take too long: then only the first, the one with the largest "
             "distance, and others at random."},
    {"wrong_here", &record_given, JUDGED(wrong_here),
     .part_of = {"outputs", JUDGED(outputs), false},
     .says = "The number of judged elements that are not correctly rounded in the "
             "first trace."},
    {"wrong_there", &record_given, JUDGED(wrong_there),
     .part_of = {"outputs", JUDGED(outputs), false}, .says = "The same for the second trace."},
    {"nearer_here", &record_given, JUDGED(nearer_here),
     .part_of = {"outputs", JUDGED(outputs), false},
     .says = "The number of judged elements that are nearer to the exact result in "
             "the first trace than in the second."},
    {"nearer_there", &record_given, JUDGED(nearer_there),
     .part_of = {"outputs", JUDGED(outputs), false},
     .says = "The number of judged elements that are nearer in the second trace."},
    {"error_here", &record_error, JUDGED(error_here),
     .says = "The largest error in ulps in the first trace."},
    {"error_there", &record_error, JUDGED(error_there), .says = "The same for the second trace."},
    {"cause", &record_choice, JUDGED(cause), &causes,
     .says =
         "The kind of cause. attributes: the operations or their attributes differ. repetition: "
         "a side does not repeat itself. relation: a relation holds between the elements of "
         "both sides. both-sides, one-side: a known way of computing gives all elements of "
         "both sides, or of one. several: several ways do, so that none can be named. "
         "too-few-outputs: a way does, but for fewer than 16 independent elements. none: no "
         "cause was found."},
    {"looked", &record_given, JUDGED(looked),
     .says = "How many elements of each side were compared with known ways of "
             "computing."},
    {"tried", &record_given, JUDGED(tried), .says = "How many known ways of computing were tried."},
    {"fits_here", &record_given, JUDGED(fits_here), .part_of = {"tried", JUDGED(tried), false},
     .says = "How many of these ways give all elements of the first trace that were "
             "compared. Ways that also agree on shuffled inputs count as one."},
    {"fits_there", &record_given, JUDGED(fits_there), .part_of = {"tried", JUDGED(tried), false},
     .says = "The same for the second trace."},
    {"says", &record_string, JUDGED(says), .flags = RECORD_ABSENT,
     .says = "The cause in words; if no cause was found, the way of computing that "
             "comes nearest."},
    {"cause_here", &record_string, JUDGED(cause_here), .flags = RECORD_ABSENT,
     .says = "The way in which the outputs of the first trace were computed, in "
             "words. Absent if no way was found."},
    {"cause_there", &record_string, JUDGED(cause_there), .flags = RECORD_ABSENT,
     .says = "The same for the second trace."},
    {"not_judged", &record_string, JUDGED(not_judged), .flags = RECORD_ABSENT,
     .says = "The reason why no element was compared with the exact result."},
    {"command", &record_string, JUDGED(command), .flags = RECORD_ABSENT,
     .says = "A command that shows again how far the elements are apart."}};
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
     .says = "The outcome. equal: the outputs are equal. parted: the outputs "
             "differ although the inputs are equal. followed: the inputs differ "
             "because an earlier operation returned other outputs. other inputs: "
             "the inputs differ, and no recorded operation returned them. unclear: "
             "an input has no digest. not compared: an output has no digest. "
             "here alone, there alone: only the first, or only the second, trace has "
             "the operation."},
    {"name", &record_string, ROW(name), .says = "The name of the operation."},
    {"name_there", &record_string, ROW(name_there), .flags = RECORD_ABSENT,
     .says = "Its name in the second trace, if that is another one."},
    {"path", &record_string, ROW(path), .flags = RECORD_ABSENT,
     .says = "The path of the module that called it."},
    {"source", &record_string, ROW(source), .flags = RECORD_ABSENT,
     .says = "The line of the program that called it."},
    {"here", &record_given, ROW(here), .says = "Its number in the first trace, from 0."},
    {"here_count", &record_given, ROW(here_count),
     .says = "How many operations of the first trace it stands for. If 0, only the "
             "second trace has it, and the member here is the place that it would "
             "have in the first."},
    {"here_span", &record_some, ROW(here_span), OF(size_t){ROW(here_span)}, .flags = RECORD_ABSENT,
     .says = "Present if it stands for several operations with others between them: the "
             "number of all operations from its first to its last, others included."},
    {"there", &record_given, ROW(there), .says = "Its number in the second trace."},
    {"there_count", &record_given, ROW(there_count),
     .says = "How many operations of the second trace it stands for."},
    {"there_span", &record_some, ROW(there_span), OF(size_t){ROW(there_span)},
     .flags = RECORD_ABSENT, .says = "The same as here_span for the second trace."},
    {"moved", &record_truth, ROW(is_moved),
     .says = "Whether it has another place in the order of the second run."},
    {"random", &record_truth, ROW(is_random), .says = "Whether it draws random numbers."},
    {"shapes", &record_text, ROW(shapes), OF(struct record_text_of){TRACE_SHAPES_TEXT},
     .says = "The shapes and types of its inputs."},
    {"input", &record_text, ROW(input), OF(struct record_text_of){TRACE_SHAPES_TEXT},
     .says = "For the verdict other inputs: the first input that differs and that "
             "no recorded operation returned. Otherwise empty."},
    {"steps", &record_text, ROW(steps), OF(struct record_text_of){TRACE_STEPS_TEXT},
     .flags = RECORD_ABSENT,
     .says = "If here_count or there_count is above 1: the operations of each side, in "
             "words."},
    {"swapped", &record_text, ROW(swapped), OF(struct record_text_of){TRACE_SHAPES_TEXT},
     .flags = RECORD_ABSENT,
     .says = "The inputs that the other side takes in another order, in words."},
    {"attributes", &record_text, ROW(attributes), OF(struct record_text_of){TRACE_SHAPES_TEXT},
     .says = "The attributes that differ, in words. Empty if none differ."},
    {"outputs", &record_text, ROW(outputs), OF(struct record_text_of){TRACE_SHAPES_TEXT},
     .says = "If a pair of outputs differs in shape or type: the shapes and types of "
             "the first such pair. Otherwise empty."},
    SOME(elements, "The number of elements of those outputs whose tensors both sides "
                   "kept."),
    SOME(differ, "The number of these elements that differ."),
    SOME(not_finite, "The number of elements that differ and are NaN or infinite on one "
                     "side."),
    SOME(largest, "The largest distance in ulps; at most 2^53."),
    SOME(middle, "The distance in ulps within which half of the elements that differ lie."),
    {"ulps", &record_array, ROW(ulps), OF(struct record_array_of){&ulps_record, ROW(ulps_count)},
     .flags = RECORD_ABSENT, .says = "The number of elements with each distance that occurs."},
    {"judgement", &record_pointed, ROW(judgement), &trace_judgement_record, .flags = RECORD_ABSENT,
     .says = "How far both sides are from the exact result."}};
static const struct record row_record = {"operation", ROWS(row_members), sizeof(struct trace_row),
                                         RECORD_ALL};

#define KIND(MEMBER) offsetof(struct trace_kind, MEMBER)
#define OF_CALLS(NAME, SAYS)                                                                       \
    { #NAME, &record_given, KIND(NAME), .part_of = {"calls", KIND(calls), false }, .says = SAYS }
static const struct record_member kind_members[] = {
    {"name", &record_string, KIND(name), .says = "The name of the operations."},
    {"calls", &record_given, KIND(calls),
     .says = "The number of operations with this name; a pair counts as one."},
    OF_CALLS(parted, "The number of operations that have equal inputs and different outputs."),
    OF_CALLS(followed, "The number of operations whose inputs differ because earlier "
                       "operations returned other outputs."),
    OF_CALLS(other_inputs, "The number of operations with an input that differs and that no "
                           "recorded operation returned."),
    OF_CALLS(unclear, "The number of operations that differ and have an input without a "
                      "digest."),
    OF_CALLS(not_compared, "The number of operations that were not compared, because the recorder "
                           "left out their outputs."),
    {"no_values", &record_some, KIND(no_values), OF(size_t){KIND(no_values)},
     .flags = RECORD_ABSENT, .part_of = {"not_compared", KIND(not_compared), false},
     .says = "The number of operations in not_compared that had nothing to compare: "
             "no outputs, or memory to which nobody had written."},
    {"unmeasured", &record_some, KIND(unmeasured), OF(size_t){KIND(unmeasured)},
     .flags = RECORD_ABSENT, .part_of = {"parted", KIND(parted), false},
     .says = "The number of operations that parted by an unknown distance, because "
             "their tensors were not kept or cannot be compared."},
    OF_CALLS(alone, "The number of operations without a partner."),
    {"largest", &record_given, KIND(largest),
     .says = "Among the operations that parted and whose tensors were kept: the "
             "largest distance of their outputs, in ulps."},
    {"nearer_here", &record_given, KIND(nearer_here),
     .says = "The number of judged operations that are nearer to the exact result "
             "in the first trace. In the first trace such an operation has fewer wrong "
             "elements, or more elements with the smaller error."},
    {"nearer_there", &record_given, KIND(nearer_there), .says = "The same for the second trace."}};
static const struct record kind_record = {"kind", ROWS(kind_members), sizeof(struct trace_kind),
                                          RECORD_ALL};

#define STRETCH(MEMBER) offsetof(struct trace_stretch, MEMBER)
static const struct record_member stretch_members[] = {
    {"first", &record_given, STRETCH(first),
     .says = "The number of the first operation of the stretch, in the first "
             "trace."},
    {"last", &record_given, STRETCH(last), .says = "The number of its last operation."},
    {"compared", &record_given, STRETCH(compared),
     .says = "The number of pairs in the stretch that were compared."},
    {"differ", &record_given, STRETCH(differ), .part_of = {"compared", STRETCH(compared), false},
     .says = "The number of these pairs whose outputs differ."},
    {"elements", &record_given, STRETCH(elements),
     .says = "The number of elements of outputs whose tensors both sides kept."},
    {"elements_differ", &record_given, STRETCH(elements_differ),
     .part_of = {"elements", STRETCH(elements), false},
     .says = "The number of these elements that differ."},
    {"largest", &record_given, STRETCH(largest),
     .says = "The largest distance of two elements, in ulps."},
    {"middle", &record_given, STRETCH(middle),
     .says = "For each operation, detcheck takes the median distance of its elements "
             "that differ. This is the largest of these medians, in ulps."}};
static const struct record stretch_record = {"stretch", ROWS(stretch_members),
                                             sizeof(struct trace_stretch), RECORD_ALL};

#define SIDE(MEMBER) offsetof(struct trace_side, MEMBER)
static const struct record_member side_members[] = {
    {"path", &record_string, SIDE(path), .says = "The folder of the trace."},
    {"recorder", &record_string, SIDE(recorder), .says = "The recorders that made the trace."},
    {"program", &record_string, SIDE(program), .flags = RECORD_ABSENT,
     .says = "The version of detcheck that recorded it."},
    {"operations", &record_given, SIDE(operations),
     .says = "The number of operations in the trace."},
    {"left_out", &record_given, SIDE(left_out),
     .says = "How many parts of the run the recorder left out, such as tensors without "
             "a digest. The trace lists them in its member left_out "
             "(detcheck-trace(7))."},
    {"complete", &record_truth, SIDE(complete),
     .says = "Whether the recorded run came to its end."}};
static const struct record side_record = {"side", ROWS(side_members), sizeof(struct trace_side),
                                          RECORD_ALL};

#define SETTING(MEMBER) offsetof(struct trace_setting, MEMBER)
static const struct record_member setting_members[] = {
    {"name", &record_string, SETTING(name), .says = "The part of the environment that differs."},
    {"here", &record_string, SETTING(here), .flags = RECORD_ABSENT,
     .says = "Its value in the first trace."},
    {"there", &record_string, SETTING(there), .flags = RECORD_ABSENT,
     .says = "Its value in the second trace."}};
static const struct record setting_record = {"setting", ROWS(setting_members),
                                             sizeof(struct trace_setting), RECORD_ALL};

#define AT(MEMBER) offsetof(struct trace_comparison, MEMBER)
#define ARRAY(RECORD, COUNT)                                                                       \
    OF(struct record_array_of) {                                                                   \
        &RECORD, AT(COUNT)                                                                         \
    }
static const struct record_member members[] = {
    {"here", &record_nested, AT(here), &side_record, .says = "The first trace."},
    {"there", &record_nested, AT(there), &side_record, .says = "The second trace."},
    {"settings", &record_array, AT(settings), ARRAY(setting_record, setting_count),
     .says = "The differences between the environments of both runs."},
    {"pairs", &record_given, AT(pairs), .says = "The number of pairs of operations."},
    {"moved", &record_given, AT(moved),
     .says = "The number of pairs whose operations have different places in the "
             "order of the runs."},
    {"fused", &record_given, AT(fused),
     .says = "The number of pairs that do not pair one operation with one of the same "
             "name: several operations of one side stand for one of the other side, or "
             "the names differ."},
    {"verdicts", &record_names, AT(counts), &verdicts,
     .says = "The number of operations with each verdict; a pair counts as one."},
    {"all", &record_truth, AT(all), .says = "Whether equal operations are listed, too."},
    {"kinds", &record_array, AT(kinds), ARRAY(kind_record, kind_count),
     .says = "The operations by name."},
    {"stretches", &record_array, AT(stretches), ARRAY(stretch_record, stretch_count),
     .says = "The run, cut into twelve stretches."},
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
