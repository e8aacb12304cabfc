/* What steps have to be for a page or a merge to rely on them. */
#include "report/envelope_read.h"

#include "report/items.h"
#include "sweep/envelope.h"

#include <string.h>

enum { MOST_LOG2 = 63, MOST_STEPS = 1 << 20 };

static bool is_code(const cJSON *item) {
    if (!cJSON_IsString(item) || strncmp(item->valuestring, "0x", 2) != 0)
        return false;
    size_t digits = strspn(item->valuestring + 2, "0123456789abcdef");
    return digits && digits <= 16 && !item->valuestring[2 + digits];
}

/* The steps of all runs: ascending, apart, and codes all of them. 0 where they are not. */
static size_t count_steps(struct json_reader *reader, const cJSON *json, int log2) {
    const cJSON *run, *runs = json_array(reader, json, "runs");
    uint64_t next = 0;
    size_t count = 0;
    int at = 0;
    bool good = cJSON_GetArraySize(runs) <= ENVELOPE_RUNS;
    cJSON_ArrayForEach(run, runs) {
        const cJSON *first = cJSON_GetArrayItem(run, 0), *length = cJSON_GetArrayItem(run, 1);
        bool pair = cJSON_GetArraySize(run) == 2 && is_code(first) && cJSON_IsNumber(length) &&
                    length->valuedouble >= 1 && length->valuedouble <= MOST_STEPS;
        uint64_t step = report_code_of(first) >> log2,
                 steps = pair ? (uint64_t)length->valuedouble : 0;
        good =
            good && pair && (at++ == 0 || step >= next) && steps - 1 <= (UINT64_MAX >> log2) - step;
        next = step + steps;
        count += (size_t)steps;
    }
    if (!good || !count)
        json_fail(reader, "runs",
                  "should be up to 4 pairs of a first code and a number of steps, ascending");
    return good ? count : 0;
}

static const cJSON *array_of(struct json_reader *reader, const cJSON *json, const char *name,
                             size_t count) {
    const cJSON *array = json_array(reader, json, name);
    if ((size_t)cJSON_GetArraySize(array) != count)
        json_fail(reader, name, "should have as many values as the runs have steps");
    return array;
}

static void check_counts(struct json_reader *reader, const cJSON *json, const char *name,
                         size_t count) {
    const cJSON *one;
    cJSON_ArrayForEach(one, array_of(reader, json, name, count)) json_item_count(reader, one);
}

/* Each step has all three, or none. */
static void check_errors(struct json_reader *reader, const cJSON *json, size_t count) {
    const cJSON *least = array_of(reader, json, "least", count);
    const cJSON *largest = array_of(reader, json, "largest", count);
    const cJSON *worst = array_of(reader, json, "worst", count);
    least = least ? least->child : NULL;
    largest = largest ? largest->child : NULL;
    worst = worst ? worst->child : NULL;
    for (; least && largest && worst;
         least = least->next, largest = largest->next, worst = worst->next) {
        bool none = cJSON_IsNull(least) && cJSON_IsNull(largest) && cJSON_IsNull(worst);
        bool all = cJSON_IsNumber(least) && cJSON_IsNumber(largest) && is_code(worst) &&
                   least->valuedouble <= largest->valuedouble;
        if (!none && !all) {
            json_fail(reader, "least",
                      "should be a number that is no more than \"largest\" has "
                      "there, beside a code in \"worst\"; or all are null");
            return;
        }
    }
}

void envelope_read(struct json_reader *reader, const cJSON *json) {
    const cJSON *envelope = cJSON_GetObjectItemCaseSensitive(json, "envelope");
    if (!envelope)
        return;
    size_t mark = json_enter(reader, "envelope", -1);
    const cJSON *log2 = cJSON_GetObjectItemCaseSensitive(envelope, "log2_codes");
    if (!cJSON_IsNumber(log2) || !(log2->valuedouble >= 0 && log2->valuedouble <= MOST_LOG2)) {
        json_fail(reader, "log2_codes", "should be a number from 0 to 63");
        json_leave(reader, mark);
        return;
    }
    size_t count = count_steps(reader, envelope, (int)log2->valuedouble);
    if (count) {
        check_errors(reader, envelope, count);
        check_counts(reader, envelope, "incorrect", count);
        if (cJSON_GetObjectItemCaseSensitive(envelope, "tested"))
            check_counts(reader, envelope, "tested", count);
    }
    json_leave(reader, mark);
}
