/* Finding what goes together. */
#include "report/merge.h"

#include "base/json_tree.h"
#include "report/envelope.h"
#include "report/items.h"
#include "report/limits.h"
#include "report/merge_invariance.h"
#include "report/merge_parts.h"
#include "report/merge_shards.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_member(const cJSON *a, const cJSON *b, const char *name) {
    return cJSON_Compare(json_get(a, name), json_get(b, name), true);
}

/* What makes results, implementations and differences the same ones. */
static const char *const result_members[] = {"operation", "format", "rounding", "parameters", NULL};
static const char *const implementation_members[] = {"name", NULL};
static const char *const pair_members[] = {"a", "b", NULL};

/* Appends a copy, to the index too. */
static bool append(cJSON *array, struct merge_index *index, const cJSON *item,
                   struct error *error) {
    cJSON *copy = json_copy(item);
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
        const struct merge_slot *there = merge_index_find(&index, one);
        *adds = *adds || !there;
        good = !there ? append(array, &index, one, error)
                      : !join || join(there->item, one, adds, error);
    }
    merge_index_free(&index);
    return good;
}

/* Whether they are the same but for an envelope that `more` alone has. */
static bool same_without_envelope(const cJSON *less, const cJSON *more) {
    cJSON *copy =
        json_get(more, "envelope") && !json_get(less, "envelope") ? json_copy(more) : NULL;
    cJSON_DeleteItemFromObjectCaseSensitive(copy, "envelope");
    bool same = copy && cJSON_Compare(less, copy, true);
    cJSON_Delete(copy);
    return same;
}

/* The same implementation: with the same figures, or of invariance with other properties. */
static bool join_implementations(cJSON *there, const cJSON *one, bool *adds, struct error *error) {
    if (json_get(there, "invariance") && json_get(one, "invariance"))
        return unite_invariance(there, one, adds, error);
    if (same_without_envelope(there, one)) {
        *adds = true;
        record_put(there, "envelope", json_copy(json_get(one, "envelope")));
        return true;
    }
    return same_without_envelope(one, there) || cJSON_Compare(there, one, true) ||
           error_set(error, "both have %.100s for the same inputs, but different figures",
                     report_string(one, "name"));
}

/* The same inputs: implementations that are not there yet; pairs across reports were not compared.
 */
static bool add_implementations(cJSON *into, const cJSON *more, bool *adds, struct error *error) {
    bool unused = false;
    return unite(json_get(into, "implementations"), json_get(more, "implementations"),
                 implementation_members, adds, join_implementations, error) &&
           unite(json_get(into, "differences"), json_get(more, "differences"), pair_members,
                 &unused, NULL, error);
}

static bool add_implementation(cJSON *into, const cJSON *shard, const char *rounding,
                               const struct shape_list *shapes, struct error *error) {
    if (!merge_same_build(into, shard, error))
        return false;
    if (json_get(into, "invariance") && json_get(shard, "invariance"))
        return merge_invariance(into, shard, shapes, error);
    return merge_implementation(into, shard, rounding, shapes, error);
}

/* What its shard contributes to the fingerprint of the whole, where those before have any. */
static bool take_digests(const cJSON *into, struct digest_list *mine,
                         struct read_implementation *theirs, struct error *error) {
    if (!json_get(into, "digests"))
        return true;
    if (!json_has(theirs->json, "digests"))
        return error_set(error, "the shard has no digests of its outputs");
    return digest_list_take(mine, &theirs->digests) || error_set(error, "out of memory");
}

static bool add_shard(cJSON *into, struct read_result *result, struct merge_inputs *inputs,
                      const struct inputs_facts *theirs, struct error *error) {
    cJSON *mine = json_get(into, "implementations"), *one;
    const cJSON *shard = result->json, *others = json_get(shard, "implementations");
    if (cJSON_IsTrue(json_get(json_get(into, "parameters"), "explanation")))
        return error_set(
            error,
            "causes for parts of the inputs cannot be merged: explain all inputs in one run");
    int at = 0;
    bool same = cJSON_GetArraySize(mine) == cJSON_GetArraySize(others);
    cJSON_ArrayForEach(one, mine) same =
        same && same_member(one, cJSON_GetArrayItem(others, at++), "name");
    same = same && cJSON_GetArraySize(json_get(into, "differences")) ==
                       cJSON_GetArraySize(json_get(shard, "differences"));
    if (!same)
        return error_set(error, "shards must have the same implementations in the same order");
    if (merge_is_shard(&inputs->facts) || merge_is_shard(theirs)
            ? !merge_shard_inputs(inputs, theirs, error) || !merge_digests_take(inputs, into, error)
            : !merge_ranges(inputs, theirs, report_string(into, "format"), error))
        return false;
    const struct shard_facts *of = &inputs->facts.shard;
    const struct shape_list *shapes = of->tells & SHARD_SHAPES ? &of->shapes : NULL;
    at = 0;
    const char *rounding = report_string(into, "rounding"), *format = report_string(into, "format");
    cJSON_ArrayForEach(one, mine) {
        struct read_implementation *other = &result->implementations[at];
        if (!add_implementation(one, other->json, rounding, shapes, error) ||
            !take_digests(one, &inputs->digests[at++], other, error) ||
            !merge_envelope(one, other->json, &inputs->facts, format, error))
            return false;
    }
    return merge_oracle(json_get(into, "oracle"), json_get(shard, "oracle"), error) &&
           merge_differences(json_get(into, "differences"), json_get(shard, "differences"), shapes,
                             error);
}

/* Sets *adds where the result has something that is not there yet. */
static bool add_result(cJSON *results, struct merge_index *index, const struct read_report *report,
                       struct read_result *read, bool *adds, struct error *error) {
    const cJSON *result = read->json;
    struct error why;
    struct merge_slot *slot = merge_index_find(index, result);
    if (!slot) {
        *adds = true;
        return append(results, index, result, error);
    }
    struct inputs_facts theirs = {0};
    bool more = false, same = false;
    bool good = (slot->inputs || (slot->inputs = merge_inputs_open(slot->item, &why))) &&
                merge_inputs_read(slot->inputs, result, &theirs, &why);
    if (good) {
        same = merge_inputs_same(slot->inputs, &theirs);
        if (same)
            merge_digests_put(slot->inputs, slot->item); /* to be compared */
        good = same ? add_implementations(slot->item, result, &more, &why)
                    : add_shard(slot->item, read, slot->inputs, &theirs, &why);
    }
    if (good && same && !more && merge_is_shard(&theirs))
        good = error_set(&why, "both are %.100s", theirs.description);
    *adds = *adds || !same || more;
    record_free(&inputs_record, &theirs);
    if (good)
        return true;
    return error_set(error, "%.200s: %.60s in %.30s does not fit the earlier reports: %.300s",
                     report->path, report_string(result, "operation"),
                     report_string(result, "format"), why.text);
}

static bool add_run(struct merge *merge, const struct read_report *report, struct error *error) {
    const struct run_facts *run = &report->run;
    merge->seconds += run->seconds;
    merge->inputs += run->seconds * run->inputs_per_second;
    merge->threads = run->threads > merge->threads ? run->threads : merge->threads;
    return (isfinite(merge->seconds) && isfinite(merge->inputs)) ||
           error_set(error, "run.seconds or run.inputs_per_second of the reports are too large to "
                            "be added");
}

static bool begin(struct merge *merge, const struct read_report *report, struct error *error) {
    merge->document = json_copy(report->document);
    merge->results = json_get(merge->document, "results");
    merge->first = strdup(report->path);
    return (merge->document && merge->first &&
            merge_index_make(&merge->index, result_members, merge->results)) ||
           error_set(error, "out of memory");
}

/* Of det, cr and libm the parts of a sweep may come from processors of several makes: what their
 * bits depend on stands in the platform's other members. */
static bool same_platform(const struct merge *merge, const struct read_report *report) {
    const cJSON *mine = json_get(merge->document, "platform"), *member;
    const cJSON *other = json_get(report->document, "platform");
    bool any = false;
    for (size_t i = 0; i < report->result_count; i++) {
        const struct read_result *result = &report->results[i];
        any = any || !merge_is_shard(&result->inputs);
        for (size_t k = 0; k < result->implementation_count; k++) {
            const char *name = result->implementations[k].name;
            any = any || (strcmp(name, "det") != 0 && strcmp(name, "cr") != 0 &&
                          strcmp(name, "libm") != 0);
        }
    }
    if (any)
        return cJSON_Compare(mine, other, true);
    cJSON_ArrayForEach(member, mine) if (strcmp(member->string, "cpu") != 0 &&
                                         !same_member(mine, other, member->string)) return false;
    return true;
}

bool merge_report(struct merge *merge, const struct read_report *report, bool *adds,
                  struct error *error) {
    *adds = true;
    if (!merge->document)
        return begin(merge, report, error) && add_run(merge, report, error);
    *adds = false;
    if (!same_platform(merge, report) || !same_member(report->document, merge->document, "tool"))
        return error_set(error,
                         "%.200s and %.200s are from different platforms or versions; 'detcheck "
                         "report' shows them side by side",
                         merge->first, report->path);
    for (size_t i = 0; i < report->result_count; i++)
        if (!add_result(merge->results, &merge->index, report, &report->results[i], adds, error))
            return false;
    return add_run(merge, report, error);
}

static void write_run(const struct merge *merge) {
    const struct record_wire wire = {0};
    char date[RUN_DATE];
    cJSON *object = cJSON_CreateObject();
    const struct run_facts run = {.date = run_date(date),
                                  .host = report_string(json_get(merge->document, "run"), "host"),
                                  .seconds = merge->seconds,
                                  .threads = merge->threads,
                                  .inputs_per_second =
                                      merge->seconds > 0 ? merge->inputs / merge->seconds : 0};
    record_write(object, &run_record, &run, NULL, &wire);
    record_put(merge->document, "run", object);
}

/* Makes what shards have become the whole, and writes what has grown. */
static bool finish_inputs(cJSON *result, struct merge_inputs *inputs, bool partial,
                          struct error *error) {
    if (!inputs || !merge_digests_take(inputs, result, error) ||
        !merge_finish_shards(result, inputs, partial, error))
        return false;
    merge_inputs_write(inputs, result);
    return true;
}

static bool finish_result(cJSON *result, struct merge_slot *slot, bool partial,
                          struct error *error) {
    /* A second result of one report, of other inputs, has no slot. */
    struct merge_inputs *inputs = slot->item == result ? slot->inputs : NULL;
    bool wanted = inputs || json_has(json_get(result, "inputs"), "shard");
    if (wanted && !inputs)
        inputs = merge_inputs_open(result, error);
    bool good = !wanted || finish_inputs(result, inputs, partial, error);
    if (slot->item == result)
        slot->inputs = NULL;
    merge_inputs_free(inputs);
    return good && limits_settle(result, error);
}

cJSON *merge_finish(struct merge *merge, bool partial, struct error *error) {
    cJSON *result, *document = merge->document;
    struct error why;
    cJSON_ArrayForEach(result, merge->results) {
        if (finish_result(result, merge_index_find(&merge->index, result), partial, &why))
            continue;
        error_set(error, "%.60s in %.30s: %.300s", report_string(result, "operation"),
                  report_string(result, "format"), why.text);
        return NULL;
    }
    write_run(merge);
    record_keep_digits(document, NULL);
    merge->document = NULL;
    return document;
}

void merge_free(struct merge *merge) {
    merge_index_free(&merge->index);
    cJSON_Delete(merge->document);
    free(merge->first);
    *merge = (struct merge){0};
}
