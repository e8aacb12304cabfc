/* A report from JSON to structures, checked. */
#include "report/read.h"

#include "base/json.h"
#include "base/json_tree.h"
#include "op/operation.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MIB = 512 };

static void read_histogram(struct json_reader *reader, const cJSON *json, uint64_t in_ulps) {
    const cJSON *bucket, *array = json_array(reader, json, "histogram");
    uint64_t sum = 0;
    int at = 0;
    cJSON_ArrayForEach(bucket, array) {
        size_t mark = json_enter(reader, "histogram", at++);
        sum += json_count(reader, bucket, "count");
        if (json_has(bucket, "up_to_ulp"))
            json_size(reader, bucket, "up_to_ulp");
        json_leave(reader, mark);
    }
    if (sum != in_ulps)
        json_fail(reader, "histogram", "does not add up to judged_in_ulps");
}

static void read_binades(struct json_reader *reader, const struct read_implementation *one) {
    const cJSON *row, *array = json_array(reader, one->json, "by_binade");
    int at = 0;
    cJSON_ArrayForEach(row, array) {
        size_t mark = json_enter(reader, "by_binade", at++);
        const cJSON *exponent = cJSON_GetObjectItemCaseSensitive(row, "exponent");
        if (!cJSON_IsNumber(exponent) || exponent->valuedouble < -20000 ||
            exponent->valuedouble > 20000)
            json_fail(reader, "exponent", "should be a number from -20000 to 20000");
        if (json_size(reader, row, "max_ulp") > one->max_ulp)
            json_fail(reader, "max_ulp", "is more than the implementation's");
        if (json_count(reader, row, "incorrect") > one->tested)
            json_fail(reader, "incorrect", "is more than tested");
        json_leave(reader, mark);
    }
}

/* An input: a string, or an array of what an operand is; or an object that says which array. */
static void check_input(struct json_reader *reader, const cJSON *row) {
    const cJSON *input = cJSON_GetObjectItemCaseSensitive(row, "input");
    if (!cJSON_IsString(input) && !cJSON_IsArray(input) && !cJSON_IsObject(input))
        json_fail(reader, "input",
                  "should be a string of hexadecimal digits, an array of them, or an object");
}

static void read_max(struct json_reader *reader, struct read_implementation *one) {
    if (!one->in_ulps) {
        if (json_has(one->json, "max_ulp"))
            json_fail(reader, "max_ulp", "is there, though judged_in_ulps is 0");
        return;
    }
    one->max = json_object(reader, one->json, "max_ulp");
    size_t mark = json_enter(reader, "max_ulp", -1);
    one->max_ulp = json_size(reader, one->max, "error");
    check_input(reader, one->max);
    json_string(reader, one->max, "got");
    json_string(reader, one->max, "want");
    json_leave(reader, mark);
    one->mean_ulp = json_size(reader, one->json, "mean_ulp");
    /* The largest error is exact; the mean is of errors that the fast oracle knows to 2^-21 ulp. */
    if (one->mean_ulp > one->max_ulp + 0x1p-20)
        json_fail(reader, "mean_ulp", "is more than the error of max_ulp");
    if (one->over_1_ulp && one->max_ulp <= 1)
        json_fail(reader, "over_1_ulp", "is not 0, though the error of max_ulp is not over 1");
}

static void read_rows(struct json_reader *reader, const cJSON *json, const char *name) {
    const cJSON *row, *array = json_array(reader, json, name);
    int at = 0;
    cJSON_ArrayForEach(row, array) {
        size_t mark = json_enter(reader, name, at++);
        check_input(reader, row);
        json_leave(reader, mark);
    }
}

/* EVENT_KINDS where the row names none that is known here. */
static int event_kind_of(const cJSON *row) {
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(row, "kind");
    int at = 0;
    while (at < EVENT_KINDS &&
           !(cJSON_IsString(kind) && strcmp(kind->valuestring, event_names[at]) == 0))
        at++;
    return at;
}

static void read_events(struct json_reader *reader, struct read_implementation *one) {
    read_rows(reader, one->json, "events");
    const cJSON *row, *count, *counts = json_object(reader, one->json, "event_counts");
    size_t mark = json_enter(reader, "event_counts", -1);
    uint64_t told[EVENT_KINDS] = {0};
    cJSON_ArrayForEach(count, counts) one->events += json_item_count(reader, count);
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(one->json, "events")) {
        int kind = event_kind_of(row);
        if (kind == EVENT_KINDS) /* of a later version: without a name here */
            continue;
        if (++told[kind] > (json_has(counts, event_names[kind])
                                ? json_count(reader, counts, event_names[kind])
                                : 0))
            json_fail(reader, event_names[kind], "is less than there are of them in events");
    }
    json_leave(reader, mark);
}

const char *const read_fault_names[READ_FAULTS] = {"missing", "spurious", "cleared"};

/* "flags" or "errno", which are there where they were asked for. */
static void read_effects(struct json_reader *reader, const cJSON *implementation, const char *name,
                         struct read_effects *effects) {
    if (!json_has(implementation, name))
        return;
    const cJSON *row, *object = json_object(reader, implementation, name);
    size_t mark = json_enter(reader, name, -1);
    effects->told = json_bool(reader, object, "told");
    const cJSON *faults = effects->told ? json_array(reader, object, "faults") : NULL;
    int at = 0;
    cJSON_ArrayForEach(row, faults) {
        size_t inner = json_enter(reader, "faults", at++);
        const char *fault = json_string(reader, row, "fault");
        uint64_t count = json_count(reader, row, "count");
        for (int i = 0; i < READ_FAULTS; i++) /* one of a later version has no name here */
            if (strcmp(fault, read_fault_names[i]) == 0)
                effects->faults[i] += count;
        json_leave(reader, inner);
    }
    json_leave(reader, mark);
}

static void read_counts(struct json_reader *reader, struct read_implementation *one) {
    const struct {
        const char *name;
        uint64_t *count;
    } rows[] = {{"tested", &one->tested},
                {"correctly_rounded", &one->correct},
                {"incorrectly_rounded", &one->incorrect},
                {"faithful", &one->faithful},
                {"judged_in_ulps", &one->in_ulps},
                {"over_1_ulp", &one->over_1_ulp},
                {"nan_mismatches", &one->nan_mismatches},
                {"nan_bits_differ", &one->nan_bits_differ},
                {"sign_mismatches", &one->sign_mismatches}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i].count = json_count(reader, one->json, rows[i].name);
    if (json_has(one->json, "unanswered")) /* the first reports had none */
        one->unanswered = json_count(reader, one->json, "unanswered");
    if (one->tested != one->correct + one->incorrect + one->nan_mismatches)
        json_fail(reader, "tested",
                  "is not the sum of correctly_rounded, incorrectly_rounded and "
                  "nan_mismatches");
    const struct {
        const char *name, *says;
        uint64_t part, whole;
    } parts[] = {{"judged_in_ulps", "is more than tested", one->in_ulps, one->tested},
                 {"faithful", "is more than tested", one->faithful, one->tested},
                 {"over_1_ulp", "is more than judged_in_ulps", one->over_1_ulp, one->in_ulps},
                 {"nan_bits_differ", "is more than tested", one->nan_bits_differ, one->tested},
                 {"sign_mismatches", "is more than incorrectly_rounded", one->sign_mismatches,
                  one->incorrect}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].part > parts[i].whole)
            json_fail(reader, parts[i].name, parts[i].says);
}

/* sweep/fingerprint.h */
static const char *read_fingerprint(struct json_reader *reader, const cJSON *json) {
    static const char kind[] = "xxh3-128:";
    const char *text = json_string(reader, json, "fingerprint");
    if (strncmp(text, kind, sizeof kind - 1) != 0 ||
        strspn(text + sizeof kind - 1, "0123456789abcdef") != 32 ||
        text[sizeof kind - 1 + 32] != '\0')
        json_fail(reader, "fingerprint", "should be \"xxh3-128:\" and 32 hexadecimal digits");
    return text;
}

static void read_implementation(struct json_reader *reader, const cJSON *json,
                                struct read_implementation *one) {
    one->json = json;
    one->name = json_string(reader, json, "name");
    one->detail = json_string(reader, json, "detail");
    one->provided = json_bool(reader, json, "provided");
    one->reason = "";
    if (!one->provided) {
        one->reason = json_string(reader, json, "reason");
        return;
    }
    read_counts(reader, one);
    read_max(reader, one);
    read_histogram(reader, json, one->in_ulps);
    read_binades(reader, one);
    read_rows(reader, json, "worst");
    read_rows(reader, json, "first_mismatches");
    read_events(reader, one);
    read_effects(reader, json, "flags", &one->flags);
    read_effects(reader, json, "errno", &one->errnos);
    if (json_has(json, "fingerprint"))
        one->fingerprint = read_fingerprint(reader, json);
}

static void read_inputs(struct json_reader *reader, struct read_result *result) {
    const cJSON *inputs = json_object(reader, result->json, "inputs");
    size_t mark = json_enter(reader, "inputs", -1);
    result->inputs_kind = json_string(reader, inputs, "kind");
    result->inputs_description = json_string(reader, inputs, "description");
    result->seed = json_has(inputs, "seed") ? json_string(reader, inputs, "seed") : "";
    result->inputs = json_count(reader, inputs, "count");
    result->covered =
        json_has(inputs, "covered") ? json_count(reader, inputs, "covered") : result->inputs;
    json_leave(reader, mark);
}

static bool read_result(struct json_reader *reader, const cJSON *json, struct read_result *result) {
    result->json = json;
    result->operation = json_string(reader, json, "operation");
    result->format = json_string(reader, json, "format");
    result->rounding = json_string(reader, json, "rounding");
    const cJSON *parameters = json_object(reader, json, "parameters");
    read_inputs(reader, result);
    const cJSON *item, *array = json_array(reader, json, "implementations");
    json_array(reader, json, "differences");
    if (reader->failed)
        return true;
    size_t count = (size_t)cJSON_GetArraySize(array);
    result->parameters = cJSON_PrintUnformatted(parameters);
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
                              {one->inputs_description, other->inputs_description},
                              {one->seed, other->seed}};
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

static bool read_document(struct json_reader *reader, struct read_report *report) {
    const cJSON *document = report->document;
    if (!cJSON_IsObject(document)) {
        json_fail(reader, NULL, "should be an object, with \"schema\": \"" REPORT_SCHEMA "\"");
        return false;
    }
    const char *schema = json_string(reader, document, "schema");
    if (!reader->failed && strcmp(schema, REPORT_SCHEMA) != 0)
        return error_set(reader->error, "%.200s: schema is \"%.80s\"; this program reads \"%s\"",
                         reader->file, schema, REPORT_SCHEMA);
    report->run = json_object(reader, document, "run");
    report->tool = json_object(reader, document, "tool");
    report->platform = json_object(reader, document, "platform");
    report->complete = json_bool(reader, document, "complete");
    const cJSON *item, *results = json_array(reader, document, "results");
    report->results = calloc((size_t)cJSON_GetArraySize(results) + 1, sizeof *report->results);
    if (!report->results)
        return error_set(reader->error, "out of memory for %.200s", reader->file);
    cJSON_ArrayForEach(item, results) {
        int at = (int)report->result_count++;
        size_t mark = json_enter(reader, "results", at);
        if (!read_result(reader, item, &report->results[at]))
            return false;
        json_leave(reader, mark);
        for (size_t i = 0; i < report->results[at].implementation_count; i++)
            report->tested += report->results[at].implementations[i].tested;
        if (reader->failed)
            return false;
    }
    return !reader->failed && refuse_repeated(report, reader->error);
}

/* The document, or NULL with an error, as the report of that file. */
static bool take_document(struct read_report *report, const char *path, cJSON *document,
                          struct error *error) {
    *report = (struct read_report){.path = path, .document = document};
    if (!document)
        return false;
    struct json_reader reader = {.file = path, .error = error};
    if (read_document(&reader, report))
        return true;
    report_read_free(report);
    return false;
}

bool report_read(struct read_report *report, const char *path, struct error *error) {
    return take_document(report, path,
                         json_read_file(path, (size_t)MOST_MIB << 20, "report", error), error);
}

bool report_read_text(struct read_report *report, const char *path, char *text, size_t length,
                      struct error *error) {
    return take_document(report, path, json_parse(text, length, path, "report", error), error);
}

bool report_require_whole(const struct read_report *report, struct error *error) {
    if (!report->complete)
        return error_set(error, "%.200s is incomplete: the run was stopped before its end",
                         report->path);
    if (!report->tested)
        return error_set(error, "%.200s tested nothing", report->path);
    for (size_t i = 0; i < report->result_count; i++) {
        const struct read_result *result = &report->results[i];
        /* Of arrays, inputs are calls, and outputs their elements. */
        bool by_element = strcmp(result->inputs_kind, "arrays") == 0;
        if (!result->implementation_count)
            return error_set(error, "%.200s: %s in %s has no implementations", report->path,
                             result->operation, result->format);
        for (size_t j = 0; j < result->implementation_count; j++) {
            const struct read_implementation *one = &result->implementations[j];
            if (one->provided && !one->tested)
                return error_set(error, "%.200s: of %s in %s nothing was tested by %s",
                                 report->path, result->operation, result->format, one->name);
            bool whole = by_element ? one->tested && result->covered == result->inputs
                                    : one->tested + one->unanswered == result->inputs;
            if (one->provided && !whole)
                return error_set(error, "%.200s is incomplete: %s in %s tested %llu of %llu inputs",
                                 report->path, result->operation, result->format,
                                 (unsigned long long)one->tested,
                                 (unsigned long long)result->inputs);
        }
    }
    return true;
}

static bool known_format(const char *name) {
    for (size_t i = 0; i < format_count; i++)
        if (strcmp(formats[i].name, name) == 0)
            return true;
    return false;
}

static bool known_rounding(const char *name) {
    for (int i = 0; i <= ROUND_STOCHASTIC; i++)
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
                report->path, i, noun, report_string(result->json, noun),
                report_string(report->tool, "name"), report_string(report->tool, "version"));
    }
    return true;
}

void report_read_free(struct read_report *report) {
    for (size_t i = 0; i < report->result_count; i++) {
        cJSON_free(report->results[i].parameters);
        free(report->results[i].implementations);
    }
    free(report->results);
    json_tree_free(report->document);
    *report = (struct read_report){0};
}

const char *report_string(const cJSON *object, const char *name) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(found) ? found->valuestring : "?";
}

uint64_t read_mismatches(const struct read_implementation *implementation) {
    return implementation->nan_mismatches + implementation->sign_mismatches;
}
