/* A survey of all starts; then waves, each from other starts, in which the best boxes are narrowed
 * round by round. */
#include "sweep/search/beam.h"

#include "sweep/generator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Boxes that are kept of a round, of one start at most, and parts drawn of each; how much narrower
 * those are; inputs of a probe, and in the survey; boxes that a wave starts from. */
enum {
    WIDTH = 32,
    MOST_OF_START = 8,
    CHILDREN = 4,
    SHRINK_LOG2 = 2,
    INPUTS = 1024,
    SURVEY_INPUTS = 256,
    DRAWS = 128,
    MOST_SCALE = 10
};

struct start {
    struct box box;
    double score;
};

struct node {
    struct box box;
    uint64_t half;
    double score;
    size_t root; /* number of its start */
};

enum { MOST_NODES = 512 };

struct beam {
    const struct search_request *request;
    int operands;
    struct starts sides[MAX_OPERANDS];
    struct start *starts;
    size_t start_count, surveyed, capacity;
    struct start **order; /* best first */
    uint64_t probes;      /* numbered */
    uint64_t waves;
    /* The round under way. */
    struct node planned[BEAM_MOST_PROBES];
    size_t planned_count;
    bool drawing; /* the first round of a wave */
    struct node nodes[MOST_NODES];
    size_t node_count;
    unsigned level;
};

enum { STREAM_START = 16, STREAM_SCALE, STREAM_SIDES };

static bool make_starts(struct beam *beam, struct error *error) {
    const struct search_request *request = beam->request;
    const struct binding_request *computed = &request->sweep->computed;
    for (int i = 0; i < beam->operands; i++)
        if (!starts_make(&beam->sides[i], computed->format, computed->operation, &request->sets[i],
                         error))
            return false;
    beam->start_count = beam->operands == 1 ? beam->sides[0].count : 4096;
    beam->starts = calloc(beam->start_count, sizeof *beam->starts);
    beam->order = calloc(beam->start_count, sizeof *beam->order);
    if (!beam->starts || !beam->order)
        return error_set(error, "out of memory for the search");
    for (size_t i = 0; i < beam->start_count; i++) {
        beam->order[i] = &beam->starts[i];
        for (int j = 0; j < beam->operands; j++) {
            size_t which =
                beam->operands == 1
                    ? i
                    : (size_t)generator_below(request->seed, i, (unsigned)(STREAM_SIDES + j),
                                              beam->sides[j].count);
            beam->starts[i].box.sides[j] = beam->sides[j].intervals[which];
        }
    }
    return true;
}

struct beam *beam_open(const struct search_request *request, struct error *error) {
    struct beam *beam = calloc(1, sizeof *beam);
    if (!beam) {
        error_set(error, "out of memory for the search");
        return NULL;
    }
    beam->request = request;
    beam->operands = request->sweep->computed.operation->operands;
    if (make_starts(beam, error))
        return beam;
    beam_close(beam);
    return NULL;
}

void beam_close(struct beam *beam) {
    if (!beam)
        return;
    for (int i = 0; i < beam->operands; i++)
        starts_free(&beam->sides[i]);
    free(beam->starts);
    free(beam->order);
    free(beam);
}

static void plan(struct beam *beam, struct probe *probes, const struct node *node, size_t inputs) {
    size_t at = beam->planned_count++;
    beam->planned[at] = *node;
    probes[at] = (struct probe){
        .box = node->box, .half = node->half, .inputs = inputs, .number = beam->probes++};
}

static int starts_by_score(const void *a, const void *b) {
    const struct start *x = *(const struct start *const *)a, *y = *(const struct start *const *)b;
    if (x->score > y->score)
        return -1;
    if (x->score < y->score)
        return 1;
    return x < y ? -1 : 1;
}

static struct box shrink(const struct beam *beam, const struct box *box, unsigned log2,
                         uint64_t number) {
    struct box part = *box;
    for (int i = 0; i < beam->operands; i++)
        part.sides[i] = interval_draw(&box->sides[i], log2, beam->request->seed, number,
                                      (unsigned)(STREAM_SIDES + i));
    return part;
}

static void plan_survey(struct beam *beam, struct probe *probes) {
    while (beam->surveyed < beam->start_count && beam->planned_count < BEAM_MOST_PROBES) {
        struct node node = {
            .box = beam->starts[beam->surveyed].box, .half = UINT64_MAX, .root = beam->surveyed};
        plan(beam, probes, &node, SURVEY_INPUTS);
        beam->surveyed++;
    }
}

static void plan_draws(struct beam *beam, struct probe *probes) {
    uint64_t seed = beam->request->seed;
    qsort(beam->order, beam->start_count, sizeof *beam->order, starts_by_score);
    for (int i = 0; i < DRAWS; i++) {
        double u = (double)(generator_bits(seed, beam->probes, STREAM_START) >> 11) * 0x1p-53;
        size_t rank = (size_t)(exp(u * log((double)beam->start_count)) - 1);
        size_t root = (size_t)(beam->order[rank] - beam->starts);
        unsigned scale = (unsigned)generator_below(seed, beam->probes, STREAM_SCALE, MOST_SCALE);
        struct node node = {.half = UINT64_MAX, .root = root};
        node.box = shrink(beam, &beam->starts[root].box, scale, beam->probes);
        plan(beam, probes, &node, INPUTS);
    }
    beam->drawing = true;
    beam->waves++;
    beam->level = 0;
}

static void plan_children(struct beam *beam, struct probe *probes) {
    for (size_t i = 0; i < beam->node_count; i++)
        for (int j = 0; j < CHILDREN; j++) {
            struct node child = beam->nodes[i];
            child.box = shrink(beam, &child.box, SHRINK_LOG2, beam->probes);
            plan(beam, probes, &child, INPUTS);
        }
    beam->drawing = false;
    beam->level++;
}

size_t beam_plan(struct beam *beam, struct probe *probes) {
    beam->planned_count = 0;
    if (beam->surveyed < beam->start_count)
        plan_survey(beam, probes);
    else if (beam->node_count == 0)
        plan_draws(beam, probes);
    else
        plan_children(beam, probes);
    return beam->planned_count;
}

static int nodes_by_score(const void *a, const void *b) {
    const struct node *x = a, *y = b;
    if (x->score > y->score)
        return -1;
    if (x->score < y->score)
        return 1;
    return memcmp(&x->box, &y->box, sizeof x->box);
}

static double score_of(const struct probe_result *result) {
    return result->top;
}

void beam_learn(struct beam *beam, const struct probe_result *results, size_t result_count) {
    struct node all[BEAM_MOST_PROBES];
    bool survey = beam->waves == 0;
    size_t count = 0;
    for (size_t i = 0; i < result_count; i++) {
        struct node *node = &beam->planned[i];
        node->score = score_of(&results[i]);
        node->half = results[i].half ? results[i].half : node->half;
        struct start *start = &beam->starts[node->root];
        if (node->score > start->score)
            start->score = node->score;
        bool narrow = true;
        for (int j = 0; j < beam->operands; j++)
            narrow = narrow && node->box.sides[j].count <= 256;
        if (!narrow && results[i].half)
            all[count++] = *node;
    }
    if (survey)
        return;
    qsort(all, count, sizeof *all, nodes_by_score);
    beam->node_count = 0;
    size_t used[BEAM_MOST_PROBES];
    for (size_t i = 0; i < count && beam->node_count < WIDTH; i++) {
        int same = 0;
        for (size_t j = 0; j < beam->node_count; j++)
            same += used[j] == all[i].root;
        if (same >= MOST_OF_START)
            continue;
        used[beam->node_count] = all[i].root;
        beam->nodes[beam->node_count++] = all[i];
    }
}
