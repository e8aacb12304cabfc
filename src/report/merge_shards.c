/* Which shards there are, and their digests put in order. */
#include "report/merge_shards.h"

#include "base/json_tree.h"
#include "report/read.h"
#include "report/text.h"
#include "sweep/shard.h"
#include "sweep/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Shards that a message names. */
enum { NAMED = 5 };

/* "3 of 64 shards of all 65,536 inputs" */
static void describe(struct merge_inputs *inputs) {
    const struct shard_facts *shard = &inputs->facts.shard;
    snprintf(inputs->description, TEXT_INPUTS, "%" PRIu64 " of %" PRIu64 " shards of %s",
             number_set_size(&shard->numbers), shard->of, shard->whole_description);
    inputs->facts.description = inputs->description;
}

/* That there are shards of these numbers. */
static bool check_numbers(const struct number_set *numbers, uint64_t of, struct error *error) {
    for (size_t i = 0; i < numbers->count; i++) {
        const struct number_run *run = &numbers->runs[i];
        if (!run->first || run->last > of)
            return error_set(error, "there is no shard %" PRIu64 "/%" PRIu64,
                             run->first ? run->last : 0, of);
    }
    return true;
}

static bool add_numbers(struct shard_facts *mine, const struct number_set *numbers,
                        struct error *error) {
    uint64_t number;
    if (!check_numbers(numbers, mine->of, error))
        return false;
    if (number_set_shares(&mine->numbers, numbers, &number))
        return error_set(error, "both have shard %" PRIu64 "/%" PRIu64, number, mine->of);
    return number_set_add(&mine->numbers, numbers) || error_set(error, "out of memory");
}

static bool is_search(const struct inputs_facts *facts) {
    return strcmp(facts->kind, "search") == 0;
}

/* Whether they tell of the whole what its inputs are known by. */
static bool tells_whole(const struct inputs_facts *facts) {
    const struct shard_facts *shard = &facts->shard;
    const unsigned tells = SHARD_UNIT | SHARD_WHOLE;
    return shard->numbers.count &&
           (is_search(facts) ? facts->search != NULL
                             : (shard->tells & tells) == tells && *shard->whole_identity);
}

bool merge_shard_inputs(struct merge_inputs *inputs, const struct inputs_facts *theirs,
                        struct error *error) {
    struct inputs_facts *mine = &inputs->facts;
    bool match = merge_is_shard(mine) && merge_is_shard(theirs) && tells_whole(mine) &&
                 tells_whole(theirs) &&
                 !record_disagree(&inputs_record, mine, theirs, &inputs->wire.wire);
    if (!match)
        return error_set(error, "%.100s is not a shard of the same %s as %.100s",
                         theirs->description, is_search(mine) ? "search" : "sweep",
                         mine->description);
    if (!add_numbers(&mine->shard, &theirs->shard.numbers, error) ||
        (is_search(mine) && !merge_found(mine, theirs, true, error)))
        return false;
    if (!mine->count) { /* which does not say that none of them was covered */
        mine->tells |= theirs->tells & INPUTS_COVERED;
        mine->covered = theirs->covered;
    }
    mine->count += is_search(mine) ? 0 : theirs->count;
    describe(inputs);
    return true;
}

bool merge_same_build(const cJSON *into, const cJSON *shard, struct error *error) {
    const char *mine = cJSON_GetStringValue(json_get(into, "build"));
    const char *other = cJSON_GetStringValue(json_get(shard, "build"));
    struct build_part part;
    if (mine && other ? strcmp(mine, other) == 0 : !mine && !other)
        return true;
    build_find_difference(mine ? mine : "an unknown build", other ? other : "an unknown build",
                          &part);
    return error_set(error, "%.80s is another build: %s, and not %s", report_string(into, "name"),
                     part.other, part.mine);
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

static bool read_whole(const struct inputs_facts *inputs, bool digested, struct whole *whole,
                       struct error *error) {
    const struct shard_facts *shard = &inputs->shard;
    bool arrays = strcmp(inputs->kind, "arrays") == 0;
    whole->shard.of = shard->of;
    whole->unit = shard->unit;
    whole->inputs = shard->whole;
    uint64_t in_digest = arrays ? 1 : FINGERPRINT_BLOCK;
    uint64_t digests = whole->inputs / in_digest + (whole->inputs % in_digest != 0);
    whole->in_group = fingerprint_group(digests) * in_digest;
    if (whole->shard.of && whole->shard.of <= MOST_SHARDS && whole->unit && whole->inputs &&
        (!digested || whole->unit % whole->in_group == 0))
        return true;
    return error_set(error, "\"shard\" needs \"of\", \"unit\" and \"whole\" as sweeps write them");
}

/* Puts the digests of one shard where they belong, and notes that they were there. */
static bool place_groups(const struct whole *whole, const struct shard_digests *digests,
                         struct number_set *there, struct block_digest *groups,
                         struct error *error) {
    const struct shard shard = {digests->shard, whole->shard.of};
    struct number_run run = {shard.number, shard.number};
    const struct number_set own = {&run, 1, 1};
    uint64_t shared;
    if (!shard.number || shard.number > shard.of)
        return error_set(error, "\"digests\" has an entry that belongs to no shard");
    if (number_set_shares(there, &own, &shared))
        return error_set(error, "\"digests\" has shard %" PRIu64 "/%" PRIu64 " twice", shared,
                         shard.of);
    if (!number_set_add(there, &own))
        return error_set(error, "out of memory for the digests of a fingerprint");
    uint64_t count = groups_in(whole, shard_inputs(&shard, whole->inputs, whole->unit));
    if (digests->count != count)
        return error_set(error,
                         "the digests of shard %" PRIu64 "/%" PRIu64 " are not %" PRIu64
                         " times 32 hexadecimal digits",
                         shard.number, shard.of, count);
    for (uint64_t i = 0; i < count; i++)
        groups[shard_input(&shard, i * whole->in_group, whole->unit) / whole->in_group] =
            digests->groups[i];
    return true;
}

/* The digests of all shards. */
static bool place_all(const struct whole *whole, const struct digest_list *digests,
                      struct block_digest *groups, struct error *error) {
    struct number_set there = {0};
    bool good = true;
    for (unsigned i = 0; good && i < digests->count; i++)
        good = place_groups(whole, &digests->rows[i], &there, groups, error);
    const struct number_run *run = there.runs;
    const uint64_t lacks = there.count && run->first == 1 ? run->last + 1 : 1;
    number_set_free(&there);
    return good && (lacks > whole->shard.of ||
                    error_set(error, "\"digests\" lacks shard %" PRIu64 "/%" PRIu64, lacks,
                              whole->shard.of));
}

/* None where an implementation left something open, as in a whole sweep. */
static bool take_fingerprint(const struct whole *whole, const struct digest_list *digests,
                             cJSON *implementation, struct error *error) {
    char text[FINGERPRINT_TEXT];
    const cJSON *unanswered = json_get(implementation, "unanswered");
    uint64_t count = groups_in(whole, whole->inputs);
    struct block_digest *groups = calloc((size_t)count + 1, sizeof *groups);
    bool reported = !cJSON_IsNumber(unanswered) || unanswered->valuedouble == 0, good = true;
    if (!groups)
        return error_set(error, "out of memory for the digests of a fingerprint");
    if (reported) {
        good = place_all(whole, digests, groups, error) &&
               (fingerprint_of_groups(groups, (size_t)count, text) ||
                error_set(error, "out of memory for a fingerprint"));
        if (good)
            record_put(implementation, "fingerprint", cJSON_CreateString(text));
    }
    free(groups);
    return good;
}

/* "shards 2, 7 and 9 of 64 are missing" */
static bool missing(const struct shard_facts *shard, struct error *error) {
    const struct number_set *numbers = &shard->numbers;
    uint64_t next = 1, count = 0;
    char names[NAMED * 24] = "";
    for (size_t i = 0; i <= numbers->count; i++) {
        const struct number_run *run = i < numbers->count ? &numbers->runs[i] : NULL;
        for (; next <= shard->of && !(run && next >= run->first); next++) {
            size_t at = strlen(names);
            if (count++ < NAMED)
                snprintf(names + at, sizeof names - at, "%s%" PRIu64, at ? ", " : "", next);
        }
        next = run ? run->last + 1 : next;
    }
    return error_set(
        error, "%" PRIu64 " of %" PRIu64 " shards %s missing: %s%s; --partial merges the others",
        count, shard->of, count == 1 ? "is" : "are", names, count > NAMED ? ", ..." : "");
}

/* Of all shards: whether they have all inputs. */
static bool is_complete(const struct inputs_facts *inputs, const struct whole *whole,
                        struct error *error) {
    return inputs->count == whole->inputs ||
           error_set(error, "the shards have %" PRIu64 " inputs together, and the whole %" PRIu64,
                     inputs->count, whole->inputs);
}

/* What is said of a shard alone goes. */
static void become_whole(struct inputs_facts *inputs, const char *description) {
    inputs->description = description;
    inputs->tells &= ~(unsigned)INPUTS_SHARD;
}

/* All shards of a search. */
static bool finish_search(struct merge_inputs *inputs, bool partial, struct error *error) {
    struct inputs_facts *facts = &inputs->facts;
    const struct shard_facts *shard = &facts->shard;
    char tried[32];
    if (!shard->of || shard->of > MOST_SHARDS)
        return error_set(error, "\"shard\" needs \"of\", from 2 to %d", MOST_SHARDS);
    if (!check_numbers(&shard->numbers, shard->of, error))
        return false;
    if (number_set_size(&shard->numbers) < shard->of)
        return partial || missing(shard, error);
    snprintf(inputs->description, TEXT_INPUTS, "%" PRIu64 " shards of %s, among %s", shard->of,
             shard->whole_description,
             text_grouped(facts->search ? facts->search->evaluations : 0, tried));
    become_whole(facts, inputs->description);
    return true;
}

bool merge_finish_shards(cJSON *result, struct merge_inputs *inputs, bool partial,
                         struct error *error) {
    struct inputs_facts *facts = &inputs->facts;
    cJSON *one;
    /* Of invariance there is none. */
    bool digested = !cJSON_IsTrue(json_get(json_get(result, "parameters"), "invariance"));
    struct whole whole;
    if (!merge_is_shard(facts))
        return true;
    if (is_search(facts))
        return finish_search(inputs, partial, error);
    if (!read_whole(facts, digested, &whole, error) ||
        !check_numbers(&facts->shard.numbers, whole.shard.of, error))
        return false;
    if (number_set_size(&facts->shard.numbers) < whole.shard.of)
        return partial || missing(&facts->shard, error);
    if (!is_complete(facts, &whole, error))
        return false;
    size_t at = 0;
    cJSON_ArrayForEach(one, json_get(result, "implementations")) {
        struct digest_list *digests = &inputs->digests[at++];
        if (digested && cJSON_IsTrue(json_get(one, "provided")) &&
            !take_fingerprint(&whole, digests, one, error))
            return false;
        record_free(&digests_record, digests);
        cJSON_DeleteItemFromObjectCaseSensitive(one, "digests");
    }
    become_whole(facts, facts->shard.whole_description);
    return true;
}
