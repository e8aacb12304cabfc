/* Finding what goes together. */
#include "report/merge.h"

#include "report/items.h"
#include "report/merge_index.h"
#include "report/merge_invariance.h"
#include "report/merge_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static bool same_member(const cJSON *a, const cJSON *b, const char *name) {
    return cJSON_Compare(get(a, name), get(b, name), true);
}

/* What makes results, implementations and differences the same ones. */
static const char *const result_members[] = {"operation", "format", "rounding", "parameters", NULL};
static const char *const implementation_members[] = {"name", NULL};
static const char *const pair_members[] = {"a", "b", NULL};

/* Appends a copy, to the index too. */
static bool append(cJSON *array, struct merge_index *index, const cJSON *item,
                   struct error *error) {
    cJSON *copy = cJSON_Duplicate(item, true);
    return (copy && cJSON_AddItemToArray(array, copy) && merge_index_add(index, copy)) ||
           error_set(error, "out of memory");
}

/* Appends what is not in the array yet; `join`, unless NULL, judges what is. */
static bool unite(cJSON *array, const cJSON *more, const char *const *names, bool *adds,
                  bool (*join)(cJSON *there, const cJSON *one, bool *adds, struct error *error),
                  struct error *error) {
    struct merge_index index;
    bool good = merge_index_make(&index, names, array) || error_set(error, "out of memory");
    for (const cJSON *one = more->child; one && good; one = one->next) {
        cJSON *there = merge_index_find(&index, one);
        *adds = *adds || !there;
        good = !there ? append(array, &index, one, error) : !join || join(there, one, adds, error);
    }
    merge_index_free(&index);
    return good;
}

/* The same implementation: with the same figures, or of invariance with other properties. */
static bool join_implementations(cJSON *there, const cJSON *one, bool *adds, struct error *error) {
    if (get(there, "invariance") && get(one, "invariance"))
        return unite_invariance(there, one, adds, error);
    return cJSON_Compare(there, one, true) ||
           error_set(error, "both have %.100s for the same inputs, with other figures",
                     report_string(one, "name"));
}

/* The same inputs: implementations that are not there yet; pairs across reports were not compared.
 */
static bool add_implementations(cJSON *into, const cJSON *more, bool *adds, struct error *error) {
    bool unused = false;
    return unite(get(into, "implementations"), get(more, "implementations"), implementation_members,
                 adds, join_implementations, error) &&
           unite(get(into, "differences"), get(more, "differences"), pair_members, &unused, NULL,
                 error);
}

static bool add_implementation(cJSON *into, const cJSON *shard, const char *rounding,
                               struct error *error) {
    return get(into, "invariance") && get(shard, "invariance")
               ? merge_invariance(into, shard, error)
               : merge_implementation(into, shard, rounding, error);
}

static bool add_shard(cJSON *into, const cJSON *shard, struct error *error) {
    cJSON *mine = get(into, "implementations"), *one;
    const cJSON *others = get(shard, "implementations");
    if (cJSON_IsTrue(get(get(into, "parameters"), "explanation")))
        return error_set(error, "causes of parts of the inputs are not those of all: explain them "
                                "in one run");
    int at = 0;
    bool same = cJSON_GetArraySize(mine) == cJSON_GetArraySize(others);
    cJSON_ArrayForEach(one, mine) same =
        same && same_member(one, cJSON_GetArrayItem(others, at++), "name");
    same = same && cJSON_GetArraySize(get(into, "differences")) ==
                       cJSON_GetArraySize(get(shard, "differences"));
    if (!same)
        return error_set(error, "shards must have the same implementations in the same order");
    if (!merge_inputs(get(into, "inputs"), get(shard, "inputs"), report_string(into, "format"),
                      error))
        return false;
    at = 0;
    cJSON_ArrayForEach(one, mine) if (!add_implementation(one, cJSON_GetArrayItem(others, at++),
                                                          report_string(into, "rounding"),
                                                          error)) return false;
    merge_counts(get(into, "oracle"), get(shard, "oracle"));
    merge_differences(get(into, "differences"), get(shard, "differences"));
    return true;
}

/* Sets *adds where the result has something that is not there yet. */
static bool add_result(cJSON *results, struct merge_index *index, const struct read_report *report,
                       const cJSON *result, bool *adds, struct error *error) {
    struct error why;
    cJSON *mine = merge_index_find(index, result);
    if (!mine) {
        *adds = true;
        return append(results, index, result, error);
    }
    bool same_inputs = cJSON_Compare(get(mine, "inputs"), get(result, "inputs"), true);
    *adds = *adds || !same_inputs;
    if (same_inputs ? add_implementations(mine, result, adds, &why) : add_shard(mine, result, &why))
        return true;
    return error_set(error, "%.200s: %.60s in %.30s does not go with the reports before: %.300s",
                     report->path, report_string(result, "operation"),
                     report_string(result, "format"), why.text);
}

/* Numbers as they were: cJSON would write some fractions with fewer digits than they need. */
static void keep_digits(cJSON *item) {
    cJSON *child = item->child;
    while (child) {
        cJSON *next = child->next;
        double value = child->valuedouble;
        if (child->child)
            keep_digits(child);
        else if (cJSON_IsNumber(child) && (floor(value) < value || fabs(value) > 0x1p53)) {
            char text[32];
            cJSON *raw = cJSON_CreateRaw(report_number_text(value, text));
            if (raw && child->string) {
                raw->string = child->string;
                raw->type |= child->type & cJSON_StringIsConst;
                child->string = NULL;
            }
            if (raw)
                cJSON_ReplaceItemViaPointer(item, child, raw);
        }
        child = next;
    }
}

static bool merge_runs(cJSON *document, const struct read_report *reports, size_t count,
                       struct error *error) {
    double seconds = 0, inputs = 0, threads = 0;
    char date[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    for (size_t i = 0; i < count; i++) {
        const cJSON *of = get(reports[i].run, "seconds"),
                    *speed = get(reports[i].run, "inputs_per_second");
        double took = cJSON_IsNumber(of) ? of->valuedouble : 0;
        seconds += took;
        inputs += took * (cJSON_IsNumber(speed) ? speed->valuedouble : 0);
        const cJSON *used = get(reports[i].run, "threads");
        threads = fmax(threads, cJSON_IsNumber(used) ? used->valuedouble : 0);
    }
    double rate = seconds > 0 ? inputs / seconds : 0;
    if (!isfinite(seconds) || !isfinite(rate))
        return error_set(error, "run.seconds or run.inputs_per_second of the reports are too large "
                                "to be added");
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    cJSON *run = cJSON_CreateObject();
    cJSON_AddStringToObject(run, "date", date);
    cJSON_AddStringToObject(run, "host", report_string(reports[0].run, "host"));
    cJSON_AddNumberToObject(run, "seconds", seconds);
    cJSON_AddNumberToObject(run, "threads", threads);
    cJSON_AddNumberToObject(run, "inputs_per_second", rate);
    cJSON_ReplaceItemInObjectCaseSensitive(document, "run", run);
    return true;
}

cJSON *report_merge(const struct read_report *reports, size_t count,
                    const struct read_report **idle, struct error *error) {
    cJSON *document = cJSON_Duplicate(reports[0].document, true);
    bool good = document != NULL;
    cJSON *results = get(document, "results");
    struct merge_index index = {0};
    good = (good && merge_index_make(&index, result_members, results)) ||
           error_set(error, "out of memory");
    *idle = NULL;
    for (size_t i = 1; i < count && good; i++) {
        const cJSON *result;
        bool adds = false;
        if (!cJSON_Compare(reports[i].platform, reports[0].platform, true) ||
            !cJSON_Compare(reports[i].tool, reports[0].tool, true))
            good = error_set(error,
                             "%.200s and %.200s are of different platforms or versions; 'detcheck "
                             "report' puts such side by side",
                             reports[0].path, reports[i].path);
        cJSON_ArrayForEach(result, get(reports[i].document, "results")) good =
            good && add_result(results, &index, &reports[i], result, &adds, error);
        if (!adds && !*idle)
            *idle = &reports[i];
    }
    merge_index_free(&index);
    if (good && merge_runs(document, reports, count, error)) {
        keep_digits(document);
        return document;
    }
    cJSON_Delete(document);
    return NULL;
}
