/* Attention by a work group whose 64 lanes are threads here: the bits of the library's, for special values too. */
#include <pthread.h>

static pthread_barrier_t barrier;
#define DETMATH_GROUP_BARRIER() (void)pthread_barrier_wait(&barrier)
#include "detmath/attention_group.h"

#include "attention_groups.h"

#include <stdint.h>

static struct detmath_attention_scoring scoring;
static struct detmath_attention_head head;
static struct detmath_attention_group group;

static void *run_lane(void *lane) {
    detmath_attention_group_queries(&scoring, &head, group, (int)(intptr_t)lane, 0, 1);
    return NULL;
}

static void run(const struct groups_call *call) {
    static float shared[DETMATH_ATTENTION_SHARED];
    float *room = calloc((size_t)detmath_attention_group_room(call->n, call->values), sizeof *room);
    pthread_t lanes[DETMATH_KEYS];
    if (!room || pthread_barrier_init(&barrier, NULL, DETMATH_KEYS))
        abort();
    scoring = (struct detmath_attention_scoring){call->scale, call->soft_cap};
    head = (struct detmath_attention_head){.q = call->q,
                                           .keys = call->turned,
                                           .values = call->v,
                                           .bias = call->has_bias ? call->bias : NULL,
                                           .y = call->y,
                                           .queries = call->queries,
                                           .n = call->n,
                                           .width = call->width,
                                           .value_width = call->values,
                                           .causal = call->causal};
    group = detmath_attention_group_of(shared, room, call->n);
    for (intptr_t lane = 0; lane < DETMATH_KEYS; lane++)
        if (pthread_create(&lanes[lane], NULL, run_lane, (void *)lane))
            abort();
    for (int lane = 0; lane < DETMATH_KEYS; lane++)
        if (pthread_join(lanes[lane], NULL))
            abort();
    pthread_barrier_destroy(&barrier);
    free(room);
}

int main(void) {
    groups_check_shapes(run);
    groups_check_special_values(run);
    return groups_result();
}
