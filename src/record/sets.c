/* Kinds of members that are sets of whole numbers. */
#include "record/kinds.h"
#include "record/number_set.h"
#include "record/parts.h"

#include <stdlib.h>
#include <string.h>

static void write_numbers(const struct record_out *out) {
    const struct number_set *set = record_from(out);
    cJSON *numbers = cJSON_CreateArray();
    for (size_t i = 0; i < set->count; i++)
        for (uint64_t n = set->runs[i].first; n <= set->runs[i].last; n++)
            cJSON_AddItemToArray(numbers, cJSON_CreateNumber((double)n));
    record_add(out, numbers);
}

static int compare_numbers(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The numbers of an array, in the order in which they stand there; the caller's to free. */
static uint64_t *take_numbers(const struct record_in *in, const cJSON *array, size_t count) {
    uint64_t *numbers = calloc(count + 1, sizeof *numbers);
    const cJSON *one;
    int place = 0;
    cJSON_ArrayForEach(one, array) {
        if (!numbers || in->reader->failed)
            break;
        size_t mark = json_enter(in->reader, in->member->name, place);
        numbers[place++] = json_item_count(in->reader, one);
        json_leave(in->reader, mark);
    }
    return numbers;
}

static void read_numbers(const struct record_in *in) {
    struct number_set *set = record_into(in);
    const bool there = json_has(in->object, in->member->name);
    const cJSON *array = there ? json_array(in->reader, in->object, in->member->name) : NULL;
    const size_t count = (size_t)cJSON_GetArraySize(array);
    uint64_t *numbers = take_numbers(in, array, count);
    bool good = numbers != NULL;
    number_set_free(set);
    if (good)
        qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (size_t i = 0; good && i < count && !in->reader->failed; i++)
        if (i && numbers[i] == numbers[i - 1])
            record_fail(in, "has a number twice");
        else
            good = number_set_append(set, numbers[i], numbers[i]);
    if (!good)
        record_fail(in, "is too large for the memory");
    free(numbers);
}

static void free_numbers(const struct record_member *member, void *data) {
    number_set_free(record_room(member, data));
}

const struct record_kind record_numbers = {
    write_numbers, read_numbers, .free = free_numbers,
    .schema = "{\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/count\"}}",
    .may_be_given = true};

static unsigned count_at(const struct record_member *member, const void *data) {
    const struct record_runs_of *of = member->of;
    unsigned count;
    memcpy(&count, (const char *)data + of->count, sizeof count);
    return count;
}

static cJSON *run_item(const struct number_run *run, int digits) {
    cJSON *pair = cJSON_CreateArray();
    cJSON_AddItemToArray(pair, record_code_item(run->first, digits));
    cJSON_AddItemToArray(pair, record_code_item(run->last, digits));
    return pair;
}

static void write_runs(const struct record_out *out) {
    const struct number_set *sets = record_from(out);
    cJSON *all = cJSON_CreateArray();
    for (unsigned i = 0; i < count_at(out->member, out->data); i++) {
        cJSON *runs = cJSON_CreateArray();
        for (size_t k = 0; k < sets[i].count; k++)
            cJSON_AddItemToArray(runs, run_item(&sets[i].runs[k], out->wire->widths.input_digits));
        cJSON_AddItemToArray(all, runs);
    }
    record_add(out, all);
}

/* Adds a run as it stands in a document. False where it is none, or not behind those before. */
static bool take_run(struct number_set *set, const cJSON *item, int *digits) {
    uint64_t first, last;
    return cJSON_GetArraySize(item) == 2 && record_code_of(item->child, &first, digits) &&
           record_code_of(item->child->next, &last, digits) && number_set_append(set, first, last);
}

static void free_runs(const struct record_member *member, void *data) {
    const struct record_runs_of *of = member->of;
    struct number_set *sets = record_room(member, data);
    for (unsigned i = 0; i < of->most; i++)
        number_set_free(&sets[i]);
}

static void read_runs(const struct record_in *in) {
    const struct record_runs_of *of = in->member->of;
    const cJSON *one, *run, *all = json_array(in->reader, in->object, in->member->name);
    struct number_set *sets = record_into(in);
    unsigned count = 0;
    int digits = 0;
    bool good = true;
    free_runs(in->member, in->data);
    cJSON_ArrayForEach(one, all) {
        good = good && count < of->most && cJSON_GetArraySize(one) > 0;
        cJSON_ArrayForEach(run, one) good = good && take_run(&sets[count], run, &digits);
        count += good;
    }
    memcpy((char *)in->data + of->count, &count, sizeof count);
    if (in->wire->found)
        in->wire->found->input_digits = digits;
    if (!good || !count)
        record_fail(in, "should have runs of codes for each operand, as [\"0x00\", \"0x7f\"]");
}

const struct record_kind record_runs = {
    write_runs, read_runs, .free = free_runs,
    .schema = "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":\"array\","
              "\"items\":{\"$ref\":\"#/definitions/bits\"},\"minItems\":2,\"maxItems\":2}}}"};
