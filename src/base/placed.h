/* Memory at an address that is asked for: so many bytes beyond a boundary. */
#ifndef DETCHECK_BASE_PLACED_H
#define DETCHECK_BASE_PLACED_H

#include <stdint.h>
#include <stdlib.h>

/* The boundary, a multiple of every vector register's bytes; and bytes that belong to the memory on
 * either side, at least. */
enum { PLACED_BOUNDARY = 64, PLACED_BESIDE = 64 };

/* `bytes` zero bytes that begin `offset` bytes beyond a boundary; NULL without memory. `*room` is what
 * is to be freed. */
static inline void *placed_memory(void **room, size_t bytes, size_t offset) {
    *room = calloc(1, PLACED_BOUNDARY + PLACED_BESIDE + offset + bytes + PLACED_BESIDE);
    if (!*room)
        return NULL;
    uintptr_t past = (uintptr_t)*room % PLACED_BOUNDARY;
    return (char *)*room + PLACED_BOUNDARY + PLACED_BESIDE - past + offset;
}

#endif
