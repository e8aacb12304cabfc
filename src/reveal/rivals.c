/* Gathering, drawing, dropping. */
#include "reveal/rivals.h"

#include "reveal/axes.h"
#include "reveal/telling.h"

#include <stdlib.h>
#include <string.h>

enum { QUIET = 1200, LEAST_QUIET = 150, QUIET_PRODUCTS = 256, ROUNDS = 60 };

struct rival {
    struct model model;
    bool has_tree;        /* of its own */
    struct choice choice; /* likewise */
    struct replay_runner *runner;
    uint64_t *results;
};

/* ---- Rivals ---- */

static void close_rival(struct rival *rival) {
    replay_runner_close(rival->runner);
    free(rival->results);
    if (rival->has_tree)
        model_close(&rival->model);
    free(rival);
}

static void clear(struct rivals *rivals) {
    for (size_t i = 0; i < rivals->count; i++)
        close_rival(rivals->of[i]);
    rivals->count = 0;
}

void rivals_close(struct rivals *rivals) {
    clear(rivals);
    free(rivals->of);
    *rivals = (struct rivals){0};
}

static bool open_runner(struct rival *rival, struct subject *subject, struct error *error) {
    rival->results = calloc(subject->lines * subject->columns, sizeof *rival->results);
    if (!rival->results)
        return error_set(error, "out of memory");
    rival->runner = replay_runner_open(subject, &rival->model, error);
    return rival->runner;
}

/* Keeps a model if it gives all samples. A tree of its own is the rival's then, else the caller's. */
static bool consider(struct rivals *rivals, struct telling *telling, const struct model *model,
                     const struct choice *choice, bool has_tree, bool *fits, struct error *error) {
    struct replay replay;
    telling->tried++;
    *fits = false;
    if (!replay_samples(telling->samples, model, 1, &replay, error))
        return false;
    if (replay.different)
        return true;
    if (rivals->count == rivals->room) {
        size_t room = rivals->room ? 2 * rivals->room : 64;
        struct rival **grown = realloc(rivals->of, room * sizeof *grown);
        if (!grown)
            return error_set(error, "out of memory");
        rivals->of = grown;
        rivals->room = room;
    }
    struct rival *rival = calloc(1, sizeof *rival);
    if (!rival)
        return error_set(error, "out of memory");
    rival->model = *model;
    rival->choice = *choice;
    if (!open_runner(rival, telling->finding->subject, error)) {
        close_rival(rival);
        return false;
    }
    rival->has_tree = has_tree;
    rivals->of[rivals->count++] = rival;
    *fits = true;
    return true;
}

/* ---- Gathering ---- */

/* Of a model that is changed in place. */
struct change {
    struct model *model;
    unsigned node;
    struct order_node from;
};

/* One value of a parameter; with all of a second one, where there is one, until each value is had. */
static bool try_value(struct rivals *rivals, struct telling *telling, struct change *change,
                      const unsigned parameters[2], unsigned at, struct error *error) {
    struct order_node *node = &change->model->order.nodes[change->node];
    uint64_t *has = rivals->has[change->node];
    int values[NODE_PARAMETER_VALUES], others[NODE_PARAMETER_VALUES];
    bool fits;
    node_parameter_values(parameters[0], &change->from, values);
    *node = change->from;
    node_parameter_set(parameters[0], node, values[at]);
    if (parameters[1] == NODE_PARAMETERS) {
        if (has[parameters[0]] >> at & 1)
            return true;
        if (!consider(rivals, telling, change->model, telling->choice, false, &fits, error))
            return false;
        has[parameters[0]] |= (uint64_t)fits << at;
        return true;
    }
    if (!node_parameter_matters(parameters[1], telling->finding, node))
        return true;
    const unsigned count = node_parameter_values(parameters[1], node, others);
    for (unsigned k = 0; k < count; k++) {
        if ((has[parameters[0]] >> at & 1) && (has[parameters[1]] >> k & 1))
            continue;
        node_parameter_set(parameters[1], node, others[k]);
        if (!consider(rivals, telling, change->model, telling->choice, false, &fits, error))
            return false;
        has[parameters[0]] |= (uint64_t)fits << at;
        has[parameters[1]] |= (uint64_t)fits << k;
    }
    return true;
}

static bool try_parameters(struct rivals *rivals, struct telling *telling, struct change *change,
                           unsigned first, unsigned second, struct error *error) {
    int values[NODE_PARAMETER_VALUES];
    const unsigned count = node_parameter_values(first, &change->from, values);
    const unsigned parameters[2] = {first, second};
    for (unsigned at = 0; at < count; at++)
        if (!try_value(rivals, telling, change, parameters, at, error))
            return false;
    return true;
}

/* Parameters one by one, or in pairs of which one has few values. */
static bool gather_values(struct rivals *rivals, struct telling *telling, struct model *model,
                          bool in_pairs, struct error *error) {
    for (unsigned index = 0; index < model->order.node_count; index++) {
        struct change change = {model, index, model->order.nodes[index]};
        bool good = true;
        for (unsigned i = 0; good && i < NODE_PARAMETERS; i++) {
            if (!node_parameter_matters(i, telling->finding, &change.from))
                continue;
            if (!in_pairs)
                good = try_parameters(rivals, telling, &change, i, NODE_PARAMETERS, error);
            for (unsigned k = 0;
                 good && in_pairs && k < NODE_PARAMETERS && node_parameter_has_few_values(i); k++)
                if (k != i && (k > i || !node_parameter_has_few_values(k)))
                    good = try_parameters(rivals, telling, &change, i, k, error);
        }
        model->order.nodes[index] = change.from;
        if (!good)
            return false;
    }
    return true;
}

/* A model of another row of an axis, with the nodes of the model or with one value more of a parameter that has few. */
static bool consider_row(struct rivals *rivals, struct telling *telling,
                         const struct choice *choice, unsigned index, unsigned parameter,
                         unsigned at, struct error *error) {
    struct model model;
    int values[NODE_PARAMETER_VALUES];
    bool fits = false, good = true, made = model_make(telling->finding, choice, &model, error);
    if (made)
        model_take_nodes(telling->model, &model);
    if (made && parameter < NODE_PARAMETERS && index < model.order.node_count) {
        struct order_node *node = &model.order.nodes[index];
        node_parameter_values(parameter, node, values);
        node_parameter_set(parameter, node, values[at]);
    }
    if (made && !model_is_same(&model, telling->model))
        good = consider(rivals, telling, &model, choice, true, &fits, error);
    if (fits && parameter < NODE_PARAMETERS)
        rivals->has[index][parameter] |= (uint64_t)1 << at;
    if (!fits)
        model_close(&model);
    return good;
}

static bool consider_row_with_values(struct rivals *rivals, struct telling *telling,
                                     const struct choice *choice, struct error *error) {
    const struct order *order = &telling->model->order;
    for (unsigned index = 0; index < order->node_count; index++)
        for (unsigned i = 0; i < NODE_PARAMETERS; i++) {
            int values[NODE_PARAMETER_VALUES];
            const struct order_node *node = &order->nodes[index];
            if (!node_parameter_has_few_values(i) ||
                !node_parameter_matters(i, telling->finding, node))
                continue;
            const unsigned count = node_parameter_values(i, node, values);
            for (unsigned at = 0; at < count; at++)
                if (!(rivals->has[index][i] >> at & 1) &&
                    !consider_row(rivals, telling, choice, index, i, at, error))
                    return false;
        }
    return true;
}

/* The other rows of each axis that is none of the parameters. */
static bool gather_rows(struct rivals *rivals, struct telling *telling, bool in_pairs,
                        struct error *error) {
    for (int axis = 0; axis < AXES; axis++) {
        const unsigned rows = axis_rows(telling->finding, (enum axis)axis);
        for (unsigned row = 0; row < rows && !axis_is_parameter(telling->finding, (enum axis)axis);
             row++) {
            struct choice other = *telling->choice;
            other.at[axis] = row;
            if (row == telling->choice->at[axis])
                continue;
            if (!consider_row(rivals, telling, &other, 0, NODE_PARAMETERS, 0, error) ||
                (in_pairs && !consider_row_with_values(rivals, telling, &other, error)))
                return false;
        }
    }
    return true;
}

/* Which values the model itself has. */
static void note_model(struct rivals *rivals, const struct model *model) {
    memset(rivals->has, 0, sizeof rivals->has);
    for (unsigned index = 0; index < model->order.node_count; index++)
        for (unsigned i = 0; i < NODE_PARAMETERS; i++) {
            int values[NODE_PARAMETER_VALUES];
            const struct order_node *node = &model->order.nodes[index];
            const unsigned count = node_parameter_values(i, node, values);
            for (unsigned at = 0; at < count; at++)
                rivals->has[index][i] |= (uint64_t)(values[at] == node_parameter_value(i, node))
                                         << at;
        }
}

static bool gather(struct rivals *rivals, struct telling *telling, bool in_pairs,
                   struct error *error) {
    struct model model = *telling->model;
    clear(rivals);
    note_model(rivals, &model);
    return gather_values(rivals, telling, &model, false, error) &&
           (!in_pairs || gather_values(rivals, telling, &model, true, error)) &&
           gather_rows(rivals, telling, in_pairs, error);
}

/* ---- Telling ---- */

static bool is_same(const struct subject *subject, const uint64_t *a, const uint64_t *b) {
    for (size_t i = 0; i < subject->lines * subject->columns; i++)
        if (!replay_is_same(subject, a[i], b[i]))
            return false;
    return true;
}

/* Whether an array tells some of them apart. */
static bool run_all(struct rivals *rivals, struct rival *model, struct subject *subject,
                    bool *tells, struct error *error) {
    if (!replay_runner_run(model->runner, model->results, error))
        return false;
    *tells = false;
    for (size_t i = 0; i < rivals->count; i++) {
        struct rival *rival = rivals->of[i];
        if (!replay_runner_run(rival->runner, rival->results, error))
            return false;
        *tells |= !is_same(subject, rival->results, model->results);
    }
    return true;
}

/* Drops those that do not have the results of the last sample. */
static size_t drop(struct rivals *rivals, const struct subject *subject, const uint64_t *results) {
    size_t left = 0, dropped = 0;
    for (size_t i = 0; i < rivals->count; i++)
        if (is_same(subject, rivals->of[i]->results, results)) {
            rivals->of[left++] = rivals->of[i];
        } else {
            close_rival(rivals->of[i]);
            dropped++;
        }
    rivals->count = left;
    return dropped;
}

/* How many arrays in a row may tell nothing: fewer where a call has many products. */
static int quiet_for(const struct subject *subject) {
    const size_t products = subject->terms * subject->lines * subject->columns;
    const size_t quiet = (size_t)QUIET * QUIET_PRODUCTS / products;
    return quiet > QUIET ? QUIET : quiet < LEAST_QUIET ? LEAST_QUIET : (int)quiet;
}

/* Draws until no array tells for long; `model_is_wrong` where the model was told from what is right. */
static bool tell(struct rivals *rivals, struct telling *telling, size_t *dropped,
                 bool *model_is_wrong, struct error *error) {
    struct subject *subject = telling->finding->subject;
    struct replay_samples *samples = telling->samples;
    struct rival model = {.model = *telling->model};
    const int most = quiet_for(subject);
    bool good = open_runner(&model, subject, error);
    *dropped = 0;
    *model_is_wrong = false;
    for (int quiet = 0; good && quiet < most && !*model_is_wrong && rivals->count; quiet++) {
        bool tells;
        telling_draw(subject, telling->seed, telling->drawn++);
        good = run_all(rivals, &model, subject, &tells, error);
        if (!good || !tells)
            continue;
        if (samples->calls == samples->room)
            break;
        good = replay_samples_tell(samples, error);
        if (!good)
            break;
        const uint64_t *results = samples->results[samples->calls - 1];
        *dropped += drop(rivals, subject, results);
        *model_is_wrong = !is_same(subject, model.results, results);
        quiet = 0;
    }
    replay_runner_close(model.runner);
    free(model.results);
    return good;
}

/* The first rival in place of the model. */
static void take(struct rivals *rivals, struct telling *telling) {
    struct rival *rival = rivals->of[0];
    if (rival->has_tree)
        model_close(telling->model);
    rival->has_tree = false;
    *telling->model = rival->model;
    *telling->choice = rival->choice;
}

bool rivals_tell(struct rivals *rivals, struct telling *telling, bool *refuted,
                 struct error *error) {
    bool in_pairs = false, is_wrong = false;
    *refuted = false;
    for (int round = 0; round < ROUNDS; round++) {
        size_t dropped;
        if (!gather(rivals, telling, in_pairs, error) ||
            !tell(rivals, telling, &dropped, &is_wrong, error))
            return false;
        if (is_wrong && !rivals->count) {
            *refuted = true;
            return true;
        }
        if (is_wrong)
            take(rivals, telling);
        else if (!dropped && in_pairs)
            return true;
        else if (!dropped)
            in_pairs = true;
    }
    return true;
}

void rivals_open(const struct rivals *rivals, const struct finding *finding,
                 const struct model *model, void (*say)(void *context, const char *line),
                 void *context) {
    const struct order *order = &model->order;
    for (unsigned index = 0; index < order->node_count; index++)
        for (unsigned i = 0; i < NODE_PARAMETERS; i++) {
            int values[NODE_PARAMETER_VALUES];
            unsigned left = 0;
            const unsigned count = node_parameter_values(i, &order->nodes[index], values);
            char line[NODE_PARAMETER_TEXT];
            for (unsigned at = 0; at < count; at++)
                if (rivals->has[index][i] >> at & 1)
                    values[left++] = values[at];
            if (left < 2 || !node_parameter_matters(i, finding, &order->nodes[index]))
                continue;
            node_parameter_line(i, values, left, index, order->node_count > 1, line);
            say(context, line);
        }
}
