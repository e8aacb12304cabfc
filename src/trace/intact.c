/* Whether the kept tensors of an operation are those that trace.json has the digests of. */
#include "trace/trace.h"

#include <stdlib.h>
#include <xxhash.h>

enum { TOGETHER = 1 << 16 }; /* bytes */

/* The bytes of a file of safetensors are what a digest is of: little-endian, in C's order. */
static bool hash_elements(XXH3_state_t *state, const struct tensor_named *opened,
                          struct error *error) {
    static const size_t most = TOGETHER;
    const struct tensor *tensor = opened->tensor;
    char bytes[TOGETHER];
    XXH3_128bits_reset(state);
    for (uint64_t done = 0; done < tensor->length;) {
        const size_t length = tensor->length - done < most ? (size_t)(tensor->length - done) : most;
        if (!tensor_read_at(&opened->file, bytes, length, tensor->start + done, error))
            return false;
        XXH3_128bits_update(state, bytes, length);
        done += length;
    }
    return true;
}

static bool tensor_is_intact(const struct trace *trace, const struct trace_tensor *tensor,
                             struct error *error) {
    struct tensor_named opened;
    if (!trace_tensor_open(trace, tensor, &opened, error))
        return false;
    XXH3_state_t *state = XXH3_createState();
    bool good = state ? hash_elements(state, &opened, error) : error_set(error, "out of memory");
    if (good) {
        const XXH128_hash_t hash = XXH3_128bits_digest(state);
        const struct trace_digest digest = {hash.high64, hash.low64};
        good =
            trace_same_digest(&digest, &tensor->digest) ||
            error_set(error, "%.300s: the elements of '%.100s' do not match their digest in %.200s",
                      opened.path, tensor->kept_as, trace->file);
    }
    XXH3_freeState(state);
    tensor_named_close(&opened);
    return good;
}

bool trace_tensors_intact(const struct trace *trace, const struct trace_tensor *tensors,
                          size_t count, struct error *error) {
    for (size_t i = 0; i < count; i++)
        if (tensors[i].kept_in >= 0 && !tensor_is_intact(trace, &tensors[i], error))
            return false;
    return true;
}
