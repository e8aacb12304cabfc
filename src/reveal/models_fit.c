/* Choosing among models: by samples, all of them in turn. */
#include "reveal/axes.h"
#include "reveal/models.h"

#include <stdlib.h>
#include <string.h>

/* The next choice, the first axes changing last; false beyond the last one. */
static bool next_choice(const struct finding *finding, bool all, struct choice *choice) {
    for (int axis = AXES - 1; axis >= 0; axis--) {
        const bool is_searched = axis == AXIS_PRODUCTS && finding->aim.has_many &&
                                 axis_is_parameter(finding, (enum axis)axis);
        if (!all && (axis == AXIS_ZERO || is_searched))
            continue;
        if (++choice->at[axis] < axis_rows(finding, (enum axis)axis))
            return true;
        choice->at[axis] = 0;
    }
    return false;
}

struct fitting {
    const struct finding *finding;
    struct replay_samples *samples;
    const struct model *nodes;
    struct choice *choice;
    struct replay *replay;
    bool any;
    uint64_t *tried; /* hashes of models: several choices may make the same one */
    size_t count, room;
    struct error *error;
};

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Of all that model_is_same compares. */
static uint64_t model_hash(const struct model *model) {
    const struct order_tree *tree = &model->tree;
    const int of[] = {model->sorting.sorts,
                      model->sorting.descending,
                      model->sorting.by_value,
                      (int)model->sorting.ties,
                      model->extended,
                      (int)model->order.scale,
                      (int)model->through.exponential,
                      model->through.multiplies,
                      (int)model->order.node_count};
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), of, sizeof of);
    hash = mix(hash, model->order.nodes, model->order.node_count * sizeof *model->order.nodes);
    for (size_t v = 0; v < tree->count; v++) {
        hash = (hash ^ tree->additions[v].children) * UINT64_C(0x9e3779b97f4a7c15);
        hash = (hash ^ tree->additions[v].node) * UINT64_C(0x9e3779b97f4a7c15);
    }
    for (size_t i = 0; i < tree->child_count; i++) {
        hash = (hash ^ (uint32_t)tree->children[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* Notes a model; `known` says whether it was tried before. */
static bool note(struct fitting *fitting, const struct model *model, bool *known) {
    const uint64_t hash = model_hash(model);
    *known = false;
    for (size_t i = 0; i < fitting->count; i++)
        *known |= fitting->tried[i] == hash;
    if (fitting->count == fitting->room) {
        const size_t room = fitting->room ? 2 * fitting->room : 64;
        uint64_t *more = realloc(fitting->tried, room * sizeof *more);
        if (!more)
            return error_set(fitting->error, "out of memory");
        fitting->tried = more;
        fitting->room = room;
    }
    fitting->tried[fitting->count] = hash;
    fitting->count += !*known;
    return true;
}

/* Holds a model against the samples: until the first one refutes it, or until it is no better than the best one. */
static bool try_model(struct fitting *fitting, const struct choice *at, bool counts) {
    struct model model;
    struct error why;
    struct replay found;
    bool known = false, good = true;
    if (!model_make(fitting->finding, at, &model, &why)) {
        *fitting->error = why;
        model_close(&model);
        return true;
    }
    if (fitting->nodes)
        model_take_nodes(fitting->nodes, &model);
    good = note(fitting, &model, &known);
    if (good && !known) {
        const uint64_t most = !counts ? 1 : fitting->any ? fitting->replay->different : 0;
        good = replay_samples(fitting->samples, &model, most, &found, fitting->error);
        const bool is_best = counts ? !fitting->any || found.different < fitting->replay->different
                                    : !found.different;
        if (good && is_best) {
            *fitting->choice = *at;
            *fitting->replay = found;
            fitting->any = true;
        }
    }
    model_close(&model);
    return good;
}

/* All choices in turn, as far as the first that gives all samples. */
static bool try_all(struct fitting *fitting, bool counts) {
    const uint64_t most = fitting->samples->work + fitting->samples->most_work / 4;
    struct choice at = {{0}};
    fitting->count = 0;
    do {
        if (counts && fitting->any && fitting->samples->work > most) {
            fitting->samples->is_cut = true;
            return true;
        }
        if (!try_model(fitting, &at, counts))
            return false;
    } while (!(fitting->any && !fitting->replay->different) &&
             next_choice(fitting->finding, fitting->nodes, &at));
    return true;
}

bool models_fit(const struct finding *finding, struct replay_samples *samples,
                const struct model *nodes, struct choice *choice, struct replay *replay,
                size_t *tried, struct error *error) {
    struct fitting fitting = {.finding = finding,
                              .samples = samples,
                              .nodes = nodes,
                              .choice = choice,
                              .replay = replay,
                              .error = error};
    bool good = try_all(&fitting, false);
    *tried += fitting.count;
    if (good && !fitting.any)
        good = try_all(&fitting, true);
    free(fitting.tried);
    return good && fitting.any;
}
