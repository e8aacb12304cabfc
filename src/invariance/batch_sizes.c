/* How many lines batches have. */
#include "invariance/invariance.h"

#include <string.h>

/* Kernels change their order at sizes of blocks, so that these and their neighbours are tried. */
static const uint64_t usual_sizes[] = {
    2,   3,   4,   5,   7,   8,   9,   15,  16,   17,   31,   32,   33,   63,   64,   65,  127,
    128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096};
_Static_assert(sizeof usual_sizes / sizeof *usual_sizes <= BATCH_SIZES, "a tally has no room");

struct batch_sizes batch_sizes_of(const struct invariance_request *request) {
    struct batch_sizes sizes = {.count = sizeof usual_sizes / sizeof *usual_sizes};
    if (request->batch_sizes.count)
        return request->batch_sizes;
    memcpy(sizes.sizes, usual_sizes, sizeof usual_sizes);
    return sizes;
}
