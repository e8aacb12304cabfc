/* Tensors that were written through a view of them, as a cache of keys is through a slice: no operation gives them as an
 * output, and later ones take them. A trace does not say which tensors share memory, so that they are known by type and
 * shape. */
#ifndef DETCHECK_TRACE_WRITTEN_H
#define DETCHECK_TRACE_WRITTEN_H

#include "trace/digests.h"

/* All zero: empty. */
struct written {
    struct written_entry {
        const struct trace_tensor *tensor; /* as it was before */
        size_t operation;                  /* the first that wrote it */
    } * entries;
    size_t count, room;
};

/* Takes what operations in place whose outputs are in `differ` wrote through views. False without memory. */
bool written_find(struct written *written, const struct trace *trace,
                  const struct digest_map *differ);

/* Whether the tensor may be one that an operation before `operation` wrote. */
bool written_has(const struct written *written, const struct trace_tensor *tensor,
                 size_t operation);

void written_free(struct written *written);

#endif
