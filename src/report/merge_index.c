/* A hash table with open addressing, no more than half full. */
#include "report/merge_index.h"

#include "base/json.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Equal for values that cJSON_Compare finds equal: members of an object may stand in any order. */
static uint64_t hash_value(const cJSON *value) {
    uint64_t hash = (uint64_t)(value->type & 0xff);
    if (cJSON_IsString(value))
        return hash ^ XXH3_64bits(value->valuestring, strlen(value->valuestring));
    if (cJSON_IsObject(value))
        for (const cJSON *member = value->child; member; member = member->next)
            hash +=
                XXH3_64bits_withSeed(member->string, strlen(member->string), hash_value(member));
    return hash;
}

static uint64_t hash_item(const struct merge_index *index, const cJSON *item) {
    uint64_t hash = 0;
    for (const char *const *name = index->names; *name; name++) {
        const cJSON *member = json_get(item, *name);
        const uint64_t step[2] = {hash, member ? hash_value(member) : 0};
        hash = XXH3_64bits(step, sizeof step);
    }
    return hash;
}

static bool equal(const struct merge_index *index, const cJSON *a, const cJSON *b) {
    for (const char *const *name = index->names; *name; name++)
        if (!cJSON_Compare(json_get(a, *name), json_get(b, *name), true))
            return false;
    return true;
}

/* The slot of an item like this, or the free one where it would go. */
static struct merge_slot *find_slot(const struct merge_index *index, uint64_t hash,
                                    const cJSON *like) {
    size_t at = hash & (index->room - 1);
    while (index->slots[at].item &&
           (index->slots[at].hash != hash || !equal(index, index->slots[at].item, like)))
        at = (at + 1) & (index->room - 1);
    return &index->slots[at];
}

static bool grow(struct merge_index *index) {
    struct merge_index larger = {.names = index->names, .room = index->room ? 2 * index->room : 64};
    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < index->room; i++)
        if (index->slots[i].item)
            *find_slot(&larger, index->slots[i].hash, index->slots[i].item) = index->slots[i];
    larger.count = index->count;
    free(index->slots);
    *index = larger;
    return true;
}

bool merge_index_add(struct merge_index *index, cJSON *item) {
    if (2 * index->count >= index->room && !grow(index))
        return false;
    uint64_t hash = hash_item(index, item);
    struct merge_slot *slot = find_slot(index, hash, item);
    if (!slot->item) {
        *slot = (struct merge_slot){.hash = hash, .item = item};
        index->count++;
    }
    return true;
}

bool merge_index_make(struct merge_index *index, const char *const *names, cJSON *array) {
    *index = (struct merge_index){.names = names};
    bool good = grow(index);
    for (cJSON *item = array ? array->child : NULL; good && item; item = item->next)
        good = merge_index_add(index, item);
    return good;
}

void merge_index_free(struct merge_index *index) {
    for (size_t i = 0; i < index->room; i++)
        merge_inputs_free(index->slots[i].inputs);
    free(index->slots);
    *index = (struct merge_index){0};
}

struct merge_slot *merge_index_find(const struct merge_index *index, const cJSON *like) {
    struct merge_slot *slot = find_slot(index, hash_item(index, like), like);
    return slot->item ? slot : NULL;
}
