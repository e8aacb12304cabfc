/* Documents become tallies, and their sum a document. */
#include "report/merge_parts.h"

#include "report/document_wire.h"
#include "report/effects.h"
#include "report/read.h"
#include "sweep/tally_record.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The least and the largest exponent of rows, which the reader has held against bounds. */
static void note_exponents(const cJSON *object, int *lowest, int *highest) {
    const cJSON *row;
    cJSON_ArrayForEach(row, json_get(object, "by_binade")) {
        int exponent = (int)json_number(row, "exponent");
        *lowest = exponent < *lowest ? exponent : *lowest;
        *highest = exponent > *highest ? exponent : *highest;
    }
}

/* A tally with room for the binades of both documents. */
static bool open_tally(struct tally *tally, const char *rounding, int lowest, int highest) {
    bool nearest = strncmp(rounding, "nearest", 7) == 0;
    *tally = (struct tally){.fine_from = error_fine_from(nearest ? ROUND_NEAREST_EVEN : ROUND_UP)};
    tally->lowest_exponent = lowest;
    tally->binade_count = highest < lowest ? 0 : highest - lowest + 1;
    tally->binades = calloc((size_t)tally->binade_count + 1, sizeof *tally->binades);
    return tally->binades != NULL;
}

static bool check_sums(const struct tally *tally, struct error *error) {
    /* What report_read would refuse: a sum that is not the one of its report's mean. */
    return error_sum_mean(&tally->error_sum, tally->in_ulps) <= tally->max.error + 0x1p-20 ||
           error_set(error, "error_sum gives a mean error above the largest error, max_ulp");
}

/* Reads both tallies, adds the second to the first, and puts that in the place of the first one. */
static bool merge_tallies(cJSON *into, const cJSON *shard, struct tally *mine, struct tally *theirs,
                          const struct shape_list *shapes, struct error *error) {
    struct document_wire wire;
    struct json_reader reader = {.file = report_string(into, "name"), .error = error};
    document_wire_open(&wire, shapes);
    record_read(&reader, into, &tally_record, mine, NULL, &wire.wire);
    record_read(&reader, shard, &tally_record, theirs, NULL, &wire.wire);
    if (reader.failed)
        return false;
    if (!(mine->tells & theirs->tells & TELLS_SUM))
        return error_set(error, "an implementation has no error_sum; reports of earlier versions "
                                "cannot be merged by shards");
    if ((mine->tells ^ theirs->tells) & (TELLS_ERRORS | TELLS_MONOTONY | TELLS_SYMMETRY))
        return error_set(error, "only one of the two reports has the measures of sweep --show");
    tally_merge(mine, theirs);
    if (!check_sums(mine, error))
        return false;
    record_write(into, &tally_record, mine, NULL, &wire.wire);
    return true;
}

static bool same_promise(const cJSON *into, const cJSON *shard, struct error *error) {
    static const char *const same[] = {"policy", "rule", "allowed", "accept", "max_violations"};
    const cJSON *mine = json_get(into, "promise"), *other = json_get(shard, "promise");
    if (!mine && !other)
        return true;
    bool alike = mine && other;
    for (size_t i = 0; alike && i < sizeof same / sizeof *same; i++)
        alike = cJSON_Compare(json_get(mine, same[i]), json_get(other, same[i]), true);
    return alike || error_set(error, "%.100s was judged by different promises (--policy)",
                              report_string(into, "name"));
}

bool merge_implementation(cJSON *into, const cJSON *shard, const char *rounding,
                          const struct shape_list *shapes, struct error *error) {
    struct tally mine = {0}, theirs = {0};
    int lowest = INT_MAX, highest = INT_MIN;
    if (cJSON_IsTrue(json_get(into, "provided")) != cJSON_IsTrue(json_get(shard, "provided")))
        return error_set(error, "%.100s is provided in one shard only",
                         report_string(into, "name"));
    if (!cJSON_IsTrue(json_get(into, "provided")))
        return true;
    if (!same_promise(into, shard, error))
        return false;
    note_exponents(into, &lowest, &highest);
    note_exponents(shard, &lowest, &highest);
    bool good = (open_tally(&mine, rounding, lowest, highest) &&
                 open_tally(&theirs, rounding, lowest, highest)) ||
                error_set(error, "out of memory");
    good = good && merge_tallies(into, shard, &mine, &theirs, shapes, error);
    tally_close(&mine);
    tally_close(&theirs);
    if (!good)
        return false;
    record_put(into, "fingerprint", cJSON_CreateNull());
    return merge_effects(into, shard, shapes, error);
}

/* Adds to an object what another has, by the rows of a record. */
static bool merge_object(cJSON *into, const cJSON *shard, const struct record *record,
                         const struct record_wire *wire, struct error *error) {
    struct json_reader reader = {.file = record->name, .error = error};
    char *mine = calloc(2, record->size), *theirs = mine ? mine + record->size : NULL;
    if (!mine)
        return error_set(error, "out of memory");
    record_read(&reader, into, record, mine, NULL, wire);
    record_read(&reader, shard, record, theirs, NULL, wire);
    if (!reader.failed) {
        record_merge(record, mine, theirs);
        record_write(into, record, mine, NULL, wire);
    }
    free(mine);
    return !reader.failed;
}

bool merge_oracle(cJSON *into, const cJSON *shard, struct error *error) {
    const struct record_wire wire = {.strict = true};
    return !into || !shard || merge_object(into, shard, &oracle_record, &wire, error);
}

bool merge_differences(cJSON *into, const cJSON *shard, const struct shape_list *shapes,
                       struct error *error) {
    cJSON *pair;
    int at = 0;
    bool good = true;
    cJSON_ArrayForEach(pair, into) {
        struct document_wire wire;
        document_wire_open(&wire, shapes);
        good = good && merge_object(pair, cJSON_GetArrayItem(shard, at++), &difference_record,
                                    &wire.wire, error);
        document_wire_close(&wire);
    }
    return good;
}
