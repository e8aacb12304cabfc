/* `detcheck reveal mx.matmul`: which matrix units, and which models of one, give what an implementation computes. */
#ifndef DETCHECK_CMD_REVEAL_BLOCKS_H
#define DETCHECK_CMD_REVEAL_BLOCKS_H

#include "base/error.h"
#include "impl/implementation.h"

#include <cjson/cJSON.h>

struct reveal_blocks {
    const struct implementation *implementation;
    struct binding_request computed;
    uint64_t arrays, seed; /* to be replayed */
    bool text;
};

/* Adds one to `results`; *revealed: a unit or a model gives all that was computed. */
bool reveal_blocks(const struct reveal_blocks *request, cJSON *results, bool *revealed,
                   struct error *error);

#endif
