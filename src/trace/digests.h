/* Digests of outputs that are not the same on both sides, and the first operation that gave each. */
#ifndef DETCHECK_TRACE_DIGESTS_H
#define DETCHECK_TRACE_DIGESTS_H

#include "trace/trace.h"

/* All zero: empty. */
struct digest_map {
    struct digest_entry {
        struct trace_digest digest;
        size_t operation;
        bool is_used;
    } * entries;
    size_t count, room; /* a power of two */
};

/* Keeps the lower operation where the digest is there. False without memory. */
bool digest_map_add(struct digest_map *map, const struct trace_digest *digest, size_t operation);

/* Whether an operation before `operation` gave it. */
bool digest_map_has(const struct digest_map *map, const struct trace_digest *digest,
                    size_t operation);

/* The first operation that gave it; SIZE_MAX: none. */
size_t digest_map_first(const struct digest_map *map, const struct trace_digest *digest);

void digest_map_free(struct digest_map *map);

#endif
