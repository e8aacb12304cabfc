// The kernel of attention of detmath.metal as C++, with Metal's names from a header of ours; the lanes of a group are threads.
#include <cstdlib>
#include <pthread.h>

#define __METAL_VERSION__ 310
#include "detmath/detmath.metal"
#undef kernel
#undef device
#undef thread
#undef threadgroup
#undef constant

static pthread_barrier_t barrier;

static void wait_for_all() {
    pthread_barrier_wait(&barrier);
}

struct lane_call {
    float *y, *room, *shared;
    const float *q, *keys, *values, *bias;
    detmath_attention_call call;
    uint lane;
};

enum { METAL_GROUPS = 2 };

static void *run_lane(void *pointer) {
    lane_call &own = *(lane_call *)pointer;
    for (uint group = 0; group < METAL_GROUPS; group++)
        detmath_attention_kernel(own.y, own.q, own.keys, own.values, own.bias, own.room, own.call,
                                 own.shared, group, METAL_GROUPS, own.lane);
    return nullptr;
}

extern "C" void attend_by_metal(float *y, const float *q, const float *keys, const float *values,
                                const float *bias, const size_t *extents, int causal,
                                const float *scoring) {
    static float shared[DETMATH_ATTENTION_SHARED];
    float *room = (float *)std::calloc(
        METAL_GROUPS * detmath_attention_group_room(extents[1], extents[3]), sizeof *room);
    pthread_t threads[DETMATH_KEYS];
    lane_call lanes[DETMATH_KEYS];
    if (!room || pthread_barrier_init(&barrier, nullptr, DETMATH_KEYS))
        std::abort();
    metal_wait = wait_for_all;
    for (uint lane = 0; lane < DETMATH_KEYS; lane++) {
        lanes[lane] = {y,
                       room,
                       shared,
                       q,
                       keys,
                       values,
                       bias,
                       {extents[0], extents[1], extents[2], extents[3], causal, bias != nullptr,
                        scoring[0], scoring[1]},
                       lane};
        if (pthread_create(&threads[lane], nullptr, run_lane, &lanes[lane]))
            std::abort();
    }
    for (pthread_t thread : threads)
        if (pthread_join(thread, nullptr))
            std::abort();
    pthread_barrier_destroy(&barrier);
    std::free(room);
}
