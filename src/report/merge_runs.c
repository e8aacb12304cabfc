/* Sorted arrays. */
#include "report/merge_runs.h"

#include "format/text.h"
#include "report/items.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct merge_run read_run(const cJSON *item) {
    return (struct merge_run){report_code_of(cJSON_GetArrayItem(item, 0)),
                              report_code_of(cJSON_GetArrayItem(item, 1))};
}

/* How many begin before the code, or at it. */
static size_t count_until(const struct merge_runs *runs, uint64_t code) {
    size_t low = 0, high = runs->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (runs->runs[middle].first <= code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool make_room(struct merge_runs *runs, size_t count) {
    size_t room = runs->room ? runs->room : 8;
    while (room < count)
        room *= 2;
    struct merge_run *more =
        room == runs->room ? runs->runs : realloc(runs->runs, room * sizeof *more);
    if (!more)
        return false;
    runs->runs = more;
    runs->room = room;
    return true;
}

/* Appends a run; one that is next to the last becomes a part of it. */
static bool append(struct merge_runs *runs, struct merge_run run, struct error *error) {
    struct merge_run *last = runs->count ? &runs->runs[runs->count - 1] : NULL;
    if (last && last->last >= run.first)
        return error_set(error, "both have the input 0x%" PRIx64, run.first);
    if (last && last->last + 1 == run.first)
        last->last = run.last;
    else
        runs->runs[runs->count++] = run;
    return true;
}

bool merge_runs_add(struct merge_runs *runs, const cJSON *list, struct error *error) {
    const cJSON *item = list ? list->child : NULL;
    const size_t more = (size_t)cJSON_GetArraySize(list);
    if (!item)
        return true;
    struct merge_run run = read_run(item);
    const size_t from = count_until(runs, run.first), behind = runs->count - from;
    if (!make_room(runs, runs->count + more))
        return error_set(error, "out of memory");
    /* What is behind the first new run waits at the end of the room that is needed. */
    size_t at = from + more, end = at + behind;
    memmove(runs->runs + at, runs->runs + from, behind * sizeof *runs->runs);
    runs->count = from;
    while (item) {
        bool is_new = at == end || run.first < runs->runs[at].first;
        if (!append(runs, is_new ? run : runs->runs[at++], error))
            return false;
        item = is_new ? item->next : item;
        if (is_new && item)
            run = read_run(item);
    }
    if (at < end && !append(runs, runs->runs[at++], error))
        return false;
    memmove(runs->runs + runs->count, runs->runs + at, (end - at) * sizeof *runs->runs);
    runs->count += end - at;
    runs->unwritten = true;
    return true;
}

bool merge_runs_write(struct merge_runs *runs, cJSON *inputs, const struct format *format) {
    char text[NUMBER_TEXT];
    if (!runs->unwritten)
        return true;
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < runs->count; i++) {
        cJSON *pair = cJSON_CreateArray();
        cJSON_AddItemToArray(list, pair);
        cJSON_AddItemToArray(
            pair, cJSON_CreateString(format_bits_text(format, runs->runs[i].first, text)));
        cJSON_AddItemToArray(
            pair, cJSON_CreateString(format_bits_text(format, runs->runs[i].last, text)));
    }
    runs->unwritten = false;
    return cJSON_ReplaceItemInArray(json_get(inputs, "ranges"), 0, list);
}

void merge_runs_free(struct merge_runs *runs) {
    free(runs->runs);
    *runs = (struct merge_runs){.count = 0};
}
