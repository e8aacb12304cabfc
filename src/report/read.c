/* A report from JSON to structures, checked. */
#include "report/read.h"

#include "base/json.h"
#include "base/json_tree.h"
#include "op/operation.h"
#include "report/comparison_read.h"
#include "report/invariance_read.h"
#include "report/read_implementation.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* An object by its rows. */
static void read_part(struct json_reader *reader, const cJSON *document,
                      const struct record *record, void *data) {
    const struct record_wire wire = {0};
    const cJSON *object = json_object(reader, document, record->name);
    size_t mark = json_enter(reader, record->name, -1);
    record_read(reader, object, record, data, NULL, &wire);
    json_leave(reader, mark);
}

static bool read_result(struct json_reader *reader, const cJSON *json, struct read_result *result) {
    result->json = json;
    result->operation = json_string(reader, json, "operation");
    result->format = json_string(reader, json, "format");
    result->rounding = json_string(reader, json, "rounding");
    result->given = json_object(reader, json, "parameters");
    result->by_group = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "by_group"));
    read_part(reader, json, &inputs_record, &result->inputs);
    if (!(result->inputs.tells & INPUTS_COVERED))
        result->inputs.covered = result->inputs.count;
    const cJSON *item, *array = json_array(reader, json, "implementations");
    json_array(reader, json, "differences");
    if (reader->failed)
        return true;
    size_t count = (size_t)cJSON_GetArraySize(array);
    result->parameters = cJSON_PrintUnformatted(result->given);
    result->implementations = calloc(count + 1, sizeof *result->implementations);
    if (!result->parameters || !result->implementations)
        return error_set(reader->error, "out of memory for %.200s", reader->file);
    cJSON_ArrayForEach(item, array) {
        int at = (int)result->implementation_count++;
        size_t mark = json_enter(reader, "implementations", at);
        read_implementation(reader, item, &result->implementations[at]);
        json_leave(reader, mark);
    }
    return true;
}

static int compare_results(const void *a, const void *b) {
    const struct read_result *one = *(const struct read_result *const *)a,
                             *other = *(const struct read_result *const *)b;
    const char *pairs[][2] = {{one->operation, other->operation},
                              {one->format, other->format},
                              {one->rounding, other->rounding},
                              {one->parameters, other->parameters},
                              {one->inputs.description, other->inputs.description},
                              {one->inputs.seed, other->inputs.seed},
                              {one->inputs.identity, other->inputs.identity}};
    int order = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && !order; i++)
        order = strcmp(pairs[i][0], pairs[i][1]);
    return order;
}

static bool refuse_repeated(const struct read_report *report, struct error *error) {
    size_t count = report->result_count;
    const struct read_result **sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return error_set(error, "out of memory for %.200s", report->path);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &report->results[i];
    qsort(sorted, count, sizeof *sorted, compare_results);
    bool good = true;
    for (size_t i = 1; i < count && good; i++)
        if (compare_results(&sorted[i - 1], &sorted[i]) == 0)
            good = error_set(error,
                             "%.200s: results has %s in %s, %s, twice with the same parameters and "
                             "inputs",
                             report->path, sorted[i]->operation, sorted[i]->format,
                             sorted[i]->rounding);
    free(sorted);
    return good;
}

/* From entry `first` on. */
static bool read_results(struct json_reader *reader, const cJSON *results, int first,
                         struct read_report *report) {
    const cJSON *item = first     ? cJSON_GetArrayItem(results, first)
                        : results ? results->child
                                  : NULL;
    report->results = calloc((size_t)cJSON_GetArraySize(results) + 1, sizeof *report->results);
    if (!report->results)
        return error_set(reader->error, "out of memory for %.200s", reader->file);
    for (; item; item = item->next) {
        int at = (int)report->result_count++;
        size_t mark = json_enter(reader, "results", at);
        if (!read_result(reader, item, &report->results[at]))
            return false;
        json_leave(reader, mark);
        for (size_t i = 0; i < report->results[at].implementation_count; i++)
            report->tested += report->results[at].implementations[i].tally.tested;
        if (reader->failed)
            return false;
    }
    return !reader->failed && refuse_repeated(report, reader->error);
}

static bool read_document(struct json_reader *reader, struct read_report *report) {
    const cJSON *document = report->document;
    if (!cJSON_IsObject(document)) {
        json_fail(reader, NULL, "should be an object, with \"schema\": \"" REPORT_SCHEMA "\"");
        return false;
    }
    const char *schema = json_string(reader, document, "schema");
    if (!reader->failed && strcmp(schema, REPORT_SCHEMA) != 0)
        return error_set(reader->error, "%.200s: schema is \"%.80s\"; this program reads \"%s\"%s",
                         reader->file, schema, REPORT_SCHEMA,
                         comparison_is(document) ? ", which 'detcheck sweep --json FILE' writes"
                                                 : "");
    read_part(reader, document, &run_record, &report->run);
    read_part(reader, document, &tool_record, &report->tool);
    read_part(reader, document, &platform_record, &report->platform);
    report->complete = json_bool(reader, document, "complete");
    const cJSON *results = json_array(reader, document, "results");
    return read_results(reader, results, 0, report);
}

struct read_report report_open(const char *path, cJSON *document) {
    return (struct read_report){.path = path,
                                .document = document,
                                .complete = true,
                                .run = run_unknown,
                                .tool = tool_unknown,
                                .platform = platform_unknown};
}

/* `document` is NULL where there is an error. */
bool report_read_document(struct read_report *report, const char *path, cJSON *document,
                          struct error *error) {
    struct json_reader reader = {.file = path, .error = error};
    *report = report_open(path, document);
    if (!document || read_document(&reader, report))
        return document;
    report_read_free(report);
    return false;
}

bool report_read_results(struct read_report *report, const char *name, const cJSON *results,
                         int first, struct error *error) {
    struct json_reader reader = {.file = name, .error = error};
    *report = report_open(name, NULL);
    return read_results(&reader, results, first, report);
}

bool report_read(struct read_report *report, const char *path, struct error *error) {
    return report_read_document(report, path,
                                json_read_file(path, REPORT_MOST_BYTES, "report", error), error);
}

bool report_read_text(struct read_report *report, const char *path, char *text, size_t length,
                      struct error *error) {
    return report_read_document(report, path, json_parse(text, length, path, "report", error),
                                error);
}

/* `part`: results may be those of shards, which may have no inputs. */
static bool require(const struct read_report *report, bool part, struct error *error) {
    bool tested = report->tested > 0;
    for (size_t i = 0; i < report->result_count && part; i++)
        tested = tested || report->results[i].inputs.tells & INPUTS_SHARD;
    if (!report->complete)
        return error_set(error, "%.200s is incomplete: the run was stopped before its end",
                         report->path);
    if (!tested)
        return error_set(error, "%.200s tested nothing", report->path);
    for (size_t i = 0; i < report->result_count; i++) {
        const struct read_result *result = &report->results[i];
        /* Of arrays, inputs are calls, and outputs their elements. */
        bool by_element = strcmp(result->inputs.kind, "arrays") == 0;
        if (result->inputs.tells & INPUTS_SHARD && !part)
            return error_set(
                error,
                "%.200s: %s in %s covers only some shards; merge all shards first (detcheck merge)",
                report->path, result->operation, result->format);
        if (!result->implementation_count)
            return error_set(error, "%.200s: %s in %s has no implementations", report->path,
                             result->operation, result->format);
        for (size_t j = 0; j < result->implementation_count; j++) {
            const struct read_implementation *one = &result->implementations[j];
            if (one->kind != READ_JUDGED) /* not all of them can be tested, or need to be run */
                continue;
            if (part && result->inputs.tells & INPUTS_SHARD && !result->inputs.count)
                continue;
            if (one->provided && !one->tally.tested)
                return error_set(error, "%.200s: %s in %s was not tested for %s", report->path,
                                 result->operation, result->format, one->name);
            bool whole = by_element
                             ? one->tally.tested && result->inputs.covered == result->inputs.count
                             : one->tally.tested + one->tally.unanswered + one->tally.not_called ==
                                   result->inputs.count;
            if (one->provided && !whole)
                return error_set(error, "%.200s is incomplete: %s in %s tested %llu of %llu inputs",
                                 report->path, result->operation, result->format,
                                 (unsigned long long)one->tally.tested,
                                 (unsigned long long)result->inputs.count);
        }
    }
    return true;
}

const struct format *read_result_format(const struct read_result *result) {
    struct error unused;
    const cJSON *to = json_get(result->given, "to");
    if (cJSON_IsString(to))
        return format_find(to->valuestring, &unused);
    const struct format *operands = format_find(result->format, &unused);
    return operands ? format_without_scale(operands) : NULL;
}

bool report_require_whole(const struct read_report *report, struct error *error) {
    return require(report, false, error);
}

bool report_require_part(const struct read_report *report, struct error *error) {
    return require(report, true, error);
}

static bool known_format(const char *name) {
    struct error unused;
    const struct format *format = format_find(name, &unused);
    return format && strcmp(format->name, name) == 0;
}

static bool known_rounding(const char *name) {
    for (int i = 0; i < ROUNDING_NAMES; i++)
        if (strcmp(rounding_names[i], name) == 0)
            return true;
    return false;
}

bool report_require_known(const struct read_report *report, struct error *error) {
    for (size_t i = 0; i < report->result_count; i++) {
        const struct read_result *result = &report->results[i];
        struct error why;
        int number;
        const char *noun = !operation_of_result(result->operation, &number, &why) ? "operation"
                           : !known_format(result->format)                        ? "format"
                           : !known_rounding(result->rounding)                    ? "rounding"
                                                                                  : NULL;
        if (noun)
            return error_set(
                error,
                "%.200s: results[%zu].%s \"%.60s\" is not known to this detcheck (" DETCHECK_VERSION
                "); the "
                "report is from %.40s %.40s",
                report->path, i, noun, report_string(result->json, noun), report->tool.name,
                report->tool.version);
    }
    return true;
}

void report_read_free(struct read_report *report) {
    for (size_t i = 0; i < report->result_count; i++) {
        cJSON_free(report->results[i].parameters);
        for (size_t j = 0; j < report->results[i].implementation_count; j++)
            read_implementation_free(&report->results[i].implementations[j]);
        free(report->results[i].implementations);
        record_free(&inputs_record, &report->results[i].inputs);
    }
    free(report->results);
    json_tree_free(report->document);
    *report = (struct read_report){0};
}

bool read_builds_differ(const struct read_implementation *a, const struct read_implementation *b) {
    return *a->build && *b->build && strcmp(a->build, b->build) != 0;
}

bool read_inputs_differ(const struct read_result *a, const struct read_result *b) {
    return *a->inputs.identity && *b->inputs.identity &&
           strcmp(a->inputs.identity, b->inputs.identity) != 0;
}

const char *report_string(const cJSON *object, const char *name) {
    const cJSON *found = json_get(object, name);
    return cJSON_IsString(found) ? found->valuestring : "?";
}

uint64_t read_mismatches(const struct read_implementation *implementation) {
    return implementation->tally.nan_mismatches + implementation->tally.sign_mismatches;
}
