/* A table that is open to the next free place. */
#include "trace/digests.h"

#include <stdlib.h>

enum { FIRST_ROOM = 1 << 8 };

static struct digest_entry *place_of(const struct digest_map *map,
                                     const struct trace_digest *digest) {
    /* Digests that a test makes up may be successive numbers. */
    const uint64_t mixed = (digest->low ^ digest->high) * UINT64_C(0x9e3779b97f4a7c15);
    size_t place = (size_t)(mixed >> 32) & (map->room - 1);
    while (map->entries[place].is_used && !trace_same_digest(&map->entries[place].digest, digest))
        place = (place + 1) & (map->room - 1);
    return &map->entries[place];
}

static bool grow(struct digest_map *map) {
    const struct digest_map old = *map;
    map->room = old.room ? 2 * old.room : FIRST_ROOM;
    map->entries = calloc(map->room, sizeof *map->entries);
    if (!map->entries) {
        *map = old;
        return false;
    }
    for (size_t i = 0; i < old.room; i++)
        if (old.entries[i].is_used)
            *place_of(map, &old.entries[i].digest) = old.entries[i];
    free(old.entries);
    return true;
}

bool digest_map_add(struct digest_map *map, const struct trace_digest *digest, size_t operation) {
    if (2 * map->count >= map->room && !grow(map))
        return false;
    struct digest_entry *entry = place_of(map, digest);
    if (!entry->is_used) {
        *entry = (struct digest_entry){*digest, operation, true};
        map->count++;
    } else if (operation < entry->operation)
        entry->operation = operation;
    return true;
}

size_t digest_map_first(const struct digest_map *map, const struct trace_digest *digest) {
    const struct digest_entry *entry = map->count ? place_of(map, digest) : NULL;
    return entry && entry->is_used ? entry->operation : SIZE_MAX;
}

bool digest_map_has(const struct digest_map *map, const struct trace_digest *digest,
                    size_t operation) {
    const size_t first = digest_map_first(map, digest);
    return first != SIZE_MAX && first < operation;
}

void digest_map_free(struct digest_map *map) {
    free(map->entries);
    *map = (struct digest_map){0};
}
