/* Ranges that lie beside each other, described as a sweep of both would be; or searches. */
#include "report/merge_inputs.h"

#include "format/format.h"
#include "sweep/search/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool merge_inputs_read(struct merge_inputs *inputs, const cJSON *result,
                       struct inputs_facts *theirs, struct error *error) {
    struct json_reader reader = {.file = "inputs", .error = error};
    *theirs = (struct inputs_facts){0};
    record_read(&reader, json_get(result, "inputs"), &inputs_record, theirs, NULL,
                &inputs->wire.wire);
    return !reader.failed;
}

struct merge_inputs *merge_inputs_open(const cJSON *result, struct error *error) {
    struct merge_inputs *inputs = calloc(1, sizeof *inputs);
    if (!inputs) {
        error_set(error, "out of memory");
        return NULL;
    }
    document_wire_open(&inputs->wire, NULL);
    if (merge_inputs_read(inputs, result, &inputs->facts, error))
        return inputs;
    merge_inputs_free(inputs);
    return NULL;
}

void merge_inputs_free(struct merge_inputs *inputs) {
    if (!inputs)
        return;
    record_free(&inputs_record, &inputs->facts);
    for (size_t i = 0; i < inputs->implementations; i++)
        record_free(&digests_record, &inputs->digests[i]);
    free(inputs->digests);
    free(inputs);
}

bool merge_inputs_same(const struct merge_inputs *inputs, const struct inputs_facts *theirs) {
    return strcmp(inputs->facts.description, theirs->description) == 0 &&
           record_same(&inputs_record, &inputs->facts, theirs, &inputs->wire.wire);
}

/* A list for each implementation, of which more come with reports of the same inputs. */
static bool make_lists(struct merge_inputs *inputs, size_t count) {
    struct digest_list *more = realloc(inputs->digests, (count + 1) * sizeof *more);
    if (!more)
        return false;
    inputs->digests = more;
    for (; inputs->implementations < count; inputs->implementations++)
        more[inputs->implementations] = (struct digest_list){0, NULL};
    return true;
}

bool merge_digests_take(struct merge_inputs *inputs, cJSON *result, struct error *error) {
    struct json_reader reader = {.file = "digests", .error = error};
    cJSON *one, *all = json_get(result, "implementations");
    if (!make_lists(inputs, (size_t)cJSON_GetArraySize(all)))
        return error_set(error, "out of memory");
    struct digest_list *list = inputs->digests;
    cJSON_ArrayForEach(one, all) {
        if (json_get(one, "digests") && !list->count) {
            record_read(&reader, one, &digests_record, list, NULL, &inputs->wire.wire);
            record_put(one, "digests", cJSON_CreateArray());
        }
        list++;
    }
    return !reader.failed;
}

void merge_digests_put(struct merge_inputs *inputs, cJSON *result) {
    const cJSON *all = json_get(result, "implementations");
    for (size_t i = 0; i < inputs->implementations; i++) {
        record_write(cJSON_GetArrayItem(all, (int)i), &digests_record, &inputs->digests[i], NULL,
                     &inputs->wire.wire);
        record_free(&digests_record, &inputs->digests[i]);
    }
}

void merge_inputs_write(struct merge_inputs *inputs, cJSON *result) {
    cJSON *object = cJSON_CreateObject();
    record_write(object, &inputs_record, &inputs->facts, NULL, &inputs->wire.wire);
    record_put(result, "inputs", object);
    merge_digests_put(inputs, result);
}

static bool all_equal(const struct inputs_facts *facts) {
    bool equal = true;
    for (unsigned i = 1; i < facts->operands; i++)
        equal = equal && number_set_equal(&facts->codes[i], &facts->codes[0]);
    return equal;
}

/* "A:B", or "A:B and C:D", as they stand on a command line that gives them as bits; one range where
 * all operands have it. False where an operand has several runs. */
static bool ranges_text(const struct inputs_facts *facts, int digits, char *text, size_t room) {
    const unsigned operands = all_equal(facts) ? 1 : facts->operands;
    size_t at = 0;
    for (unsigned i = 0; i < operands; i++) {
        const struct number_run *run = facts->codes[i].runs;
        if (facts->codes[i].count != 1)
            return false;
        at += (size_t)snprintf(text + at, room - at, "%s0x%0*" PRIx64 ":0x%0*" PRIx64,
                               at ? " and " : "", digits, run->first, digits, run->last);
    }
    return true;
}

/* As a sweep of the same inputs would call them, where they are all there are or one range of each
 * operand. */
static void describe(struct merge_inputs *inputs, const struct format *format) {
    static const char *const nouns[] = {"inputs", "pairs", "triples"};
    struct inputs_facts *facts = &inputs->facts;
    const struct number_set *first = &facts->codes[0];
    bool whole = first->count == 1 && first->runs[0].first == 0 &&
                 first->runs[0].last == format_mask(format) && all_equal(facts);
    char *text = inputs->description, number_text[32], from[160];
    text_grouped(facts->count, number_text);
    const char *noun = nouns[facts->operands - 1];
    if (whole)
        snprintf(text, TEXT_INPUTS, "all %s %s", number_text, noun);
    else if (ranges_text(facts, inputs->wire.wire.widths.input_digits, from, sizeof from))
        snprintf(text, TEXT_INPUTS, "%s %s from %s", number_text, noun, from);
    else
        snprintf(text, TEXT_INPUTS, "%s %s in ranges", number_text, noun);
    facts->kind = whole ? "all" : "range";
    facts->description = text;
}

bool merge_found(struct inputs_facts *mine, const struct inputs_facts *theirs, bool beside,
                 struct error *error) {
    if (!search_same_purpose(mine->search, theirs->search))
        return error_set(error, "the searches have different aims");
    if (!search_same_names(mine->search, theirs->search))
        return error_set(error, "the searches are for different implementations");
    search_merge(mine->search, theirs->search, beside);
    mine->count += theirs->count;
    return true;
}

/* Two searches, one after the other: their inputs together, and a text that says so. */
static bool merge_searches(struct merge_inputs *inputs, const struct inputs_facts *theirs,
                           struct error *error) {
    struct inputs_facts *facts = &inputs->facts;
    char count[32], tried[32];
    if (!merge_found(facts, theirs, false, error))
        return false;
    facts->seed = "";
    facts->description = inputs->description;
    snprintf(inputs->description, TEXT_INPUTS, "%s inputs found by searches for %s among %s",
             text_grouped(facts->count, count), search_purpose_names[facts->search->purpose],
             text_grouped(facts->search->evaluations, tried));
    return true;
}

bool merge_ranges(struct merge_inputs *inputs, const struct inputs_facts *theirs,
                  const char *format_name, struct error *error) {
    struct inputs_facts *facts = &inputs->facts;
    uint64_t shared;
    if (*facts->identity && *theirs->identity &&
        strcmp(facts->description, theirs->description) == 0)
        return error_set(error, "both have %.100s, but different ones: %.60s and %.60s",
                         facts->description, facts->identity, theirs->identity);
    if (facts->search && theirs->search)
        return merge_searches(inputs, theirs, error);
    if (!(facts->tells & theirs->tells & INPUTS_RANGES) || facts->operands != theirs->operands)
        return error_set(error, "only sweeps of ranges, and searches, are shards, not sweeps of "
                                "samples, special inputs or files");
    for (unsigned i = 1; i < facts->operands; i++)
        if (!number_set_equal(&facts->codes[i], &theirs->codes[i]))
            return error_set(error, "shards may differ in the range of the first operand only");
    const struct format *format = format_find(format_name, error);
    if (!format)
        return false;
    if (number_set_shares(&facts->codes[0], &theirs->codes[0], &shared))
        return error_set(error, "both have the input 0x%" PRIx64, shared);
    if (!number_set_add(&facts->codes[0], &theirs->codes[0]))
        return error_set(error, "out of memory");
    facts->count += theirs->count;
    describe(inputs, format);
    return true;
}
