/* Finding what goes together. */
#include "report/merge.h"

#include "report/items.h"
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

static bool same_entry(const cJSON *a, const cJSON *b) {
    return same_member(a, b, "operation") && same_member(a, b, "format") &&
           same_member(a, b, "rounding") && same_member(a, b, "parameters");
}

static cJSON *find_implementation(cJSON *implementations, const cJSON *like) {
    cJSON *one;
    cJSON_ArrayForEach(one, implementations) if (same_member(one, like, "name")) return one;
    return NULL;
}

/* The same inputs: implementations that are not there yet; pairs across reports were not compared.
 */
static bool add_implementations(cJSON *into, const cJSON *more, bool *adds, struct error *error) {
    const cJSON *one;
    cJSON *mine = get(into, "implementations");
    cJSON_ArrayForEach(one, get(more, "implementations")) {
        const cJSON *there = find_implementation(mine, one);
        *adds = *adds || !there;
        if (!there)
            cJSON_AddItemToArray(mine, cJSON_Duplicate(one, true));
        else if (!cJSON_Compare(there, one, true))
            return error_set(error, "both have %.100s for the same inputs, with other figures",
                             report_string(one, "name"));
    }
    const cJSON *pair;
    cJSON *pairs = get(into, "differences");
    cJSON_ArrayForEach(pair, get(more, "differences")) {
        cJSON *there, *found = NULL;
        cJSON_ArrayForEach(there, pairs) if (same_member(there, pair, "a") &&
                                             same_member(there, pair, "b")) found = there;
        if (!found)
            cJSON_AddItemToArray(pairs, cJSON_Duplicate(pair, true));
    }
    return true;
}

static bool add_shard(cJSON *into, const cJSON *shard, struct error *error) {
    cJSON *mine = get(into, "implementations"), *one;
    const cJSON *others = get(shard, "implementations");
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
    cJSON_ArrayForEach(one, mine) if (!merge_implementation(one, cJSON_GetArrayItem(others, at++),
                                                            report_string(into, "rounding"),
                                                            error)) return false;
    merge_counts(get(into, "oracle"), get(shard, "oracle"));
    merge_differences(get(into, "differences"), get(shard, "differences"));
    return true;
}

/* Sets *adds where the result has something that is not there yet. */
static bool add_result(cJSON *results, const struct read_report *report, const cJSON *result,
                       bool *adds, struct error *error) {
    cJSON *mine;
    cJSON_ArrayForEach(mine, results) {
        struct error why;
        if (!same_entry(mine, result))
            continue;
        bool same_inputs = same_member(get(mine, "inputs"), get(result, "inputs"), "description") &&
                           cJSON_Compare(get(mine, "inputs"), get(result, "inputs"), true);
        *adds = *adds || !same_inputs;
        if (same_inputs ? add_implementations(mine, result, adds, &why)
                        : add_shard(mine, result, &why))
            return true;
        return error_set(error,
                         "%.200s: %.60s in %.30s does not go with the reports before: %.300s",
                         report->path, report_string(result, "operation"),
                         report_string(result, "format"), why.text);
    }
    *adds = true;
    return cJSON_AddItemToArray(results, cJSON_Duplicate(result, true)) ||
           error_set(error, "out of memory");
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
    bool good = document || error_set(error, "out of memory");
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
            good && add_result(get(document, "results"), &reports[i], result, &adds, error);
        if (!adds && !*idle)
            *idle = &reports[i];
    }
    if (good && merge_runs(document, reports, count, error)) {
        keep_digits(document);
        return document;
    }
    cJSON_Delete(document);
    return NULL;
}
