/* Which shards there are, and their digests put in order. */
#include "report/merge_shards.h"

#include "base/json_tree.h"
#include "report/merge_parts.h"
#include "report/read.h"
#include "report/text.h"
#include "sweep/shard.h"
#include "sweep/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Shards that a message names. */
enum { NAMED = 5 };

/* Whole numbers that a double holds; 0 for anything else. */
static uint64_t whole_number(const cJSON *item) {
    double value = cJSON_IsNumber(item) ? item->valuedouble : 0;
    return value >= 1 && value <= 0x1p53 ? (uint64_t)value : 0;
}

bool merge_is_shard(const cJSON *inputs) {
    return json_get(inputs, "shard") != NULL;
}

static bool add_number(cJSON *numbers, uint64_t number, uint64_t of, struct error *error) {
    const cJSON *one;
    if (!number || number > of)
        return error_set(error, "there is no shard %" PRIu64 "/%" PRIu64, number, of);
    cJSON_ArrayForEach(one, numbers) if (whole_number(one) == number) return error_set(
        error, "both have shard %" PRIu64 "/%" PRIu64, number, of);
    return cJSON_AddItemToArray(numbers, cJSON_CreateNumber((double)number)) ||
           error_set(error, "out of memory");
}

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* So that the same shards have one text, however they came together. */
static bool sort_numbers(cJSON *numbers, struct error *error) {
    size_t count = (size_t)cJSON_GetArraySize(numbers), at = 0;
    double *values = calloc(count + 1, sizeof *values);
    cJSON *one;
    if (!values)
        return error_set(error, "out of memory");
    cJSON_ArrayForEach(one, numbers) values[at++] = one->valuedouble;
    qsort(values, count, sizeof *values, compare_numbers);
    at = 0;
    cJSON_ArrayForEach(one, numbers) cJSON_SetNumberValue(one, values[at++]);
    free(values);
    return true;
}

/* "3 of 64 shards of all 65,536 inputs" */
static void describe(cJSON *inputs) {
    const cJSON *shard = json_get(inputs, "shard");
    char text[TEXT_INPUTS];
    snprintf(text, sizeof text, "%d of %" PRIu64 " shards of %s",
             cJSON_GetArraySize(json_get(shard, "numbers")), whole_number(json_get(shard, "of")),
             report_string(shard, "whole_description"));
    record_put(inputs, "description", cJSON_CreateString(text));
}

static bool add_numbers(cJSON *into, const cJSON *shard, struct error *error) {
    cJSON *mine = json_get(into, "shard");
    const cJSON *number;
    cJSON_ArrayForEach(number,
                       json_get(json_get(shard, "shard"),
                                "numbers")) if (!add_number(json_get(mine, "numbers"),
                                                            whole_number(number),
                                                            whole_number(json_get(mine, "of")),
                                                            error)) return false;
    return true;
}

/* Adds the numbers and the count of one shard, or several, to those of others. */
static bool add_shards(cJSON *into, const cJSON *shard, struct error *error) {
    if (!add_numbers(into, shard, error))
        return false;
    merge_add_count(into, shard);
    describe(into);
    return true;
}

/* The same where those others have no inputs: then they do not say either that none was covered. */
static bool add_to_shards(cJSON *into, const cJSON *shard, struct error *error) {
    cJSON *first = json_copy(shard), *child = into->child;
    if (!first)
        return error_set(error, "out of memory");
    into->child = first->child;
    first->child = child;
    bool good = add_shards(into, first, error);
    cJSON_Delete(first);
    return good;
}

/* Neither may have it. */
static bool same_member(const cJSON *a, const cJSON *b, const char *name) {
    const cJSON *of_a = json_get(a, name), *of_b = json_get(b, name);
    return (!of_a && !of_b) || cJSON_Compare(of_a, of_b, true);
}

static bool is_search(const cJSON *inputs) {
    return strcmp(report_string(inputs, "kind"), "search") == 0;
}

static bool merge_search_shard(cJSON *into, const cJSON *shard, struct error *error) {
    static const char *const same[] = {"of", "whole", "whole_description", "whole_identity"};
    const cJSON *mine = json_get(into, "shard"), *other = json_get(shard, "shard");
    bool match = mine && other && cJSON_IsArray(json_get(mine, "numbers")) && is_search(shard) &&
                 same_member(into, shard, "seed");
    for (size_t i = 0; match && i < sizeof same / sizeof *same; i++)
        match = same_member(mine, other, same[i]);
    if (!match)
        return error_set(error, "%.100s is no shard of the search that %.100s is of",
                         report_string(shard, "description"), report_string(into, "description"));
    if (!add_numbers(into, shard, error) || !merge_found(into, shard, true, error))
        return false;
    describe(into);
    return true;
}

bool merge_shard_inputs(cJSON *into, const cJSON *shard, struct error *error) {
    static const char *const same[] = {"kind", "ranges", "sampled_from", "seed", "run_length"};
    static const char *const same_whole[] = {"of", "unit", "whole", "whole_description",
                                             "whole_identity"};
    cJSON *mine = json_get(into, "shard");
    const cJSON *other = json_get(shard, "shard");
    bool match = mine && other && cJSON_IsArray(json_get(mine, "numbers"));
    if (is_search(into))
        return merge_search_shard(into, shard, error);
    for (size_t i = 0; match && i < sizeof same / sizeof *same; i++)
        match = same_member(into, shard, same[i]);
    match = match && same_member(mine, other, "shapes");
    for (size_t i = 0; match && i < sizeof same_whole / sizeof *same_whole; i++)
        match = cJSON_Compare(json_get(mine, same_whole[i]), json_get(other, same_whole[i]), true);
    if (!match)
        return error_set(error, "%.100s is no shard of the sweep that %.100s is of",
                         report_string(shard, "description"), report_string(into, "description"));
    return json_get(into, "count")->valuedouble > 0 ? add_shards(into, shard, error)
                                                    : add_to_shards(into, shard, error);
}

bool merge_same_build(const cJSON *into, const cJSON *shard, struct error *error) {
    if (same_member(into, shard, "build"))
        return true;
    const char *mine = cJSON_GetStringValue(json_get(into, "build"));
    const char *other = cJSON_GetStringValue(json_get(shard, "build"));
    struct build_part part;
    build_find_difference(mine ? mine : "of no known build", other ? other : "of no known build",
                          &part);
    return error_set(error, "%.80s is another build: %s, and not %s", report_string(into, "name"),
                     part.other, part.mine);
}

bool merge_shard_digests(cJSON *into, const cJSON *shard, struct error *error) {
    cJSON *mine = json_get(into, "digests");
    const cJSON *one, *others = json_get(shard, "digests");
    if (!cJSON_IsArray(mine) || !cJSON_IsArray(others))
        return error_set(error, "the shard has no digests of its outputs");
    cJSON_ArrayForEach(one, others) {
        cJSON *copy = json_copy(one);
        if (!copy || !cJSON_AddItemToArray(mine, copy))
            return error_set(error, "out of memory");
    }
    return true;
}

/* The whole as its shards describe it. */
struct whole {
    struct shard shard;
    uint64_t unit, inputs; /* calls, of arrays */
    uint64_t in_group;     /* inputs whose outputs have one digest */
};

static uint64_t groups_in(const struct whole *whole, uint64_t inputs) {
    return inputs / whole->in_group + (inputs % whole->in_group != 0);
}

static bool read_whole(const cJSON *inputs, bool digested, struct whole *whole,
                       struct error *error) {
    const cJSON *shard = json_get(inputs, "shard");
    bool arrays = strcmp(report_string(inputs, "kind"), "arrays") == 0;
    whole->shard.of = whole_number(json_get(shard, "of"));
    whole->unit = whole_number(json_get(shard, "unit"));
    whole->inputs = whole_number(json_get(shard, "whole"));
    uint64_t in_digest = arrays ? 1 : FINGERPRINT_BLOCK;
    uint64_t digests = whole->inputs / in_digest + (whole->inputs % in_digest != 0);
    whole->in_group = fingerprint_group(digests) * in_digest;
    if (whole->shard.of && whole->shard.of <= MOST_SHARDS && whole->unit && whole->inputs &&
        (!digested || whole->unit % whole->in_group == 0))
        return true;
    return error_set(error, "\"shard\" wants \"of\", \"unit\" and \"whole\" as sweeps write them");
}

/* Puts the digests of one shard where they belong, and notes that they were there. */
static bool place_groups(const struct whole *whole, const cJSON *digests, bool *there,
                         struct block_digest *groups, struct error *error) {
    struct shard shard = {whole_number(json_get(digests, "shard")), whole->shard.of};
    const char *text = cJSON_GetStringValue(json_get(digests, "groups"));
    if (!shard.number || shard.number > shard.of || !text)
        return error_set(error, "\"digests\" has an entry that is of no shard");
    if (there[shard.number])
        return error_set(error, "\"digests\" has shard %" PRIu64 "/%" PRIu64 " twice", shard.number,
                         shard.of);
    there[shard.number] = true;
    uint64_t count = groups_in(whole, shard_inputs(&shard, whole->inputs, whole->unit));
    bool good = strlen(text) == count * DIGEST_TEXT;
    for (uint64_t i = 0; good && i < count; i++) {
        uint64_t input = shard_input(&shard, i * whole->in_group, whole->unit);
        good = digest_read(&groups[input / whole->in_group], text + i * DIGEST_TEXT);
    }
    return good || error_set(error,
                             "the digests of shard %" PRIu64 "/%" PRIu64 " are not %" PRIu64
                             " times 32 hexadecimal digits",
                             shard.number, shard.of, count);
}

/* The digests of all shards. */
static bool place_all(const struct whole *whole, const cJSON *digests, struct block_digest *groups,
                      struct error *error) {
    bool *there = calloc((size_t)whole->shard.of + 1, sizeof *there), good = there != NULL;
    const cJSON *one;
    if (!good)
        return error_set(error, "out of memory for the digests of a fingerprint");
    cJSON_ArrayForEach(one, digests) good = good && place_groups(whole, one, there, groups, error);
    for (uint64_t number = 1; good && number <= whole->shard.of; number++)
        good = there[number] || error_set(error, "\"digests\" lacks shard %" PRIu64 "/%" PRIu64,
                                          number, whole->shard.of);
    free(there);
    return good;
}

/* None where an implementation left something open, as in a whole sweep. */
static bool take_fingerprint(const struct whole *whole, cJSON *implementation,
                             struct error *error) {
    char text[FINGERPRINT_TEXT];
    const cJSON *unanswered = json_get(implementation, "unanswered");
    uint64_t count = groups_in(whole, whole->inputs);
    struct block_digest *groups = calloc((size_t)count + 1, sizeof *groups);
    bool reported = !cJSON_IsNumber(unanswered) || unanswered->valuedouble == 0, good = true;
    if (!groups)
        return error_set(error, "out of memory for the digests of a fingerprint");
    if (reported) {
        good = place_all(whole, json_get(implementation, "digests"), groups, error) &&
               (fingerprint_of_groups(groups, (size_t)count, text) ||
                error_set(error, "out of memory for a fingerprint"));
        if (good)
            record_put(implementation, "fingerprint", cJSON_CreateString(text));
    }
    free(groups);
    cJSON_DeleteItemFromObjectCaseSensitive(implementation, "digests");
    return good;
}

/* "shards 2, 7 and 9 of 64 are missing" */
static bool missing(const cJSON *shard, struct error *error) {
    const cJSON *number = json_get(shard, "numbers")->child;
    uint64_t of = whole_number(json_get(shard, "of")), count = 0;
    char names[NAMED * 24] = "";
    for (uint64_t i = 1; i <= of; i++) {
        if (number && whole_number(number) == i) {
            number = number->next;
            continue;
        }
        size_t at = strlen(names);
        if (count++ < NAMED)
            snprintf(names + at, sizeof names - at, "%s%" PRIu64, at ? ", " : "", i);
    }
    return error_set(error,
                     "of %" PRIu64 " shards %" PRIu64 " %s missing: %s%s; --partial merges what "
                     "there is",
                     of, count, count == 1 ? "is" : "are", names, count > NAMED ? ", ..." : "");
}

/* As many numbers as there are shards, sorted: whether they are these, and have all inputs. */
static bool is_complete(const cJSON *inputs, const struct whole *whole, struct error *error) {
    const cJSON *number;
    uint64_t wanted = 1, count = whole_number(json_get(inputs, "count"));
    cJSON_ArrayForEach(number, json_get(json_get(inputs, "shard"), "numbers")) if (
        whole_number(number) !=
        wanted++) return error_set(error, "\"shard.numbers\" are not those from 1 to %" PRIu64,
                                   whole->shard.of);
    return count == whole->inputs ||
           error_set(error, "the shards have %" PRIu64 " inputs together, and the whole %" PRIu64,
                     count, whole->inputs);
}

/* What is said of a shard alone goes. */
static void become_whole(cJSON *result, const char *description) {
    cJSON *inputs = json_get(result, "inputs");
    record_put(inputs, "description", cJSON_CreateString(description));
    cJSON_DeleteItemFromObjectCaseSensitive(inputs, "shard");
}

/* All shards of a search. */
static bool finish_search(cJSON *result, const cJSON *inputs, bool partial, struct error *error) {
    const cJSON *shard = json_get(inputs, "shard");
    char text[TEXT_INPUTS], tried[32];
    uint64_t of = whole_number(json_get(shard, "of"));
    if (!of || of > MOST_SHARDS)
        return error_set(error, "\"shard\" wants \"of\", from 2 to %d", MOST_SHARDS);
    if (!sort_numbers(json_get(shard, "numbers"), error))
        return false;
    if ((uint64_t)cJSON_GetArraySize(json_get(shard, "numbers")) < of)
        return partial || missing(shard, error);
    snprintf(
        text, sizeof text, "%" PRIu64 " shards of %s, among %s", of,
        report_string(shard, "whole_description"),
        text_grouped(whole_number(json_get(json_get(inputs, "search"), "evaluations")), tried));
    become_whole(result, text);
    return true;
}

bool merge_finish_shards(cJSON *result, bool partial, struct error *error) {
    cJSON *inputs = json_get(result, "inputs"), *shard = json_get(inputs, "shard"), *one;
    /* Of invariance there is none. */
    bool digested = !cJSON_IsTrue(json_get(json_get(result, "parameters"), "invariance"));
    struct whole whole;
    if (!shard)
        return true;
    if (is_search(inputs))
        return finish_search(result, inputs, partial, error);
    if (!read_whole(inputs, digested, &whole, error) ||
        !sort_numbers(json_get(shard, "numbers"), error))
        return false;
    if ((uint64_t)cJSON_GetArraySize(json_get(shard, "numbers")) < whole.shard.of)
        return partial || missing(shard, error);
    if (!is_complete(inputs, &whole, error))
        return false;
    cJSON_ArrayForEach(
        one, json_get(result,
                      "implementations")) if (digested && cJSON_IsTrue(json_get(one, "provided")) &&
                                              !take_fingerprint(&whole, one, error)) return false;
    become_whole(result, report_string(shard, "whole_description"));
    return true;
}
