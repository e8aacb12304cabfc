/* Items of JSON found by some of their members, for merging: a hash table of an array's items. */
#ifndef DETCHECK_REPORT_MERGE_INDEX_H
#define DETCHECK_REPORT_MERGE_INDEX_H

#include "report/merge_inputs.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct merge_index {
    const char *const *names; /* of the members; the last is NULL */
    struct merge_slot {
        uint64_t hash;
        cJSON *item;                 /* NULL where the slot is free */
        struct merge_inputs *inputs; /* of a result, once they were read */
    } * slots;
    size_t room, count;
};

/* An index of the items of an array. False when there is no memory; free it in any case. */
bool merge_index_make(struct merge_index *index, const char *const *names, cJSON *array);
bool merge_index_add(struct merge_index *index, cJSON *item);
void merge_index_free(struct merge_index *index);

/* The slot of the first item, as they were added, whose members equal those of `like`; or NULL. It stays until
 * another one is added. */
struct merge_slot *merge_index_find(const struct merge_index *index, const cJSON *like);

#endif
