/* Gathering arrays that differ, and holding models to them that are otherwise in one thing. */
#include "reveal/refute.h"

#include "reveal/axes.h"
#include "reveal/node_parameters.h"

#include <stdio.h>
#include <string.h>

struct refuting {
    const struct finding *finding;
    const struct choice *choice;
    const struct model *model;
    struct replay_samples first, all; /* the first call that differs, and some that do */
    uint64_t differ;                  /* arrays of these */
    struct refuted *refuted;
    struct error *error;
};

/* ---- Arrays ---- */

static void note_other(struct refuted *refuted, uint64_t call, uint64_t before, uint64_t again) {
    if (refuted->repeats) {
        refuted->repeats = false;
        refuted->call = call;
        refuted->before = before;
        refuted->again = again;
    }
}

/* Makes calls of a replay again. The result of the first that differs is known. */
static bool draw_again(struct refuting *refuting, const struct replay *replay) {
    const struct subject *subject = refuting->finding->subject;
    for (unsigned i = 0; i < replay->kept; i++)
        if (!replay_samples_add(&refuting->all, replay->seed, replay->differing[i],
                                refuting->error))
            return false;
    const uint64_t again =
        refuting->all.results[0][replay->line * subject->columns + replay->column];
    if (!replay_is_same(subject, again, replay->got))
        note_other(refuting->refuted, replay->call, replay->got, again);
    return true;
}

/* Makes calls of samples again: those that differ have come to the front. */
static bool take_again(struct refuting *refuting, struct replay_samples *samples) {
    struct replay replay;
    bool same = true;
    if (!replay_samples(samples, refuting->model, 0, &replay, refuting->error))
        return false;
    for (size_t k = 0; k < samples->calls && k < replay.kept; k++) {
        const size_t index = samples->sequence[k];
        if (!replay_samples_take(&refuting->all, samples, index, &same, refuting->error))
            return false;
        if (!same)
            note_other(refuting->refuted, samples->drawn[index].number, samples->results[index][0],
                       refuting->all.results[refuting->all.calls - 1][0]);
    }
    return true;
}

/* Whether there is anything to look at, which differs each time. */
static bool gather(struct refuting *refuting, struct replay_samples *samples,
                   const struct replay *replay, bool *any) {
    struct replay again;
    bool same;
    *any = false;
    if (!replay_samples_open(&refuting->all, samples->subject, 0, 0, refuting->error) ||
        !replay_samples_open(&refuting->first, samples->subject, 0, 0, refuting->error) ||
        !(replay->is_drawn ? draw_again(refuting, replay) : take_again(refuting, samples)))
        return false;
    if (!refuting->all.calls || !refuting->refuted->repeats)
        return true;
    if (!replay_samples_take(&refuting->first, &refuting->all, 0, &same, refuting->error) ||
        !replay_samples(&refuting->all, refuting->model, 0, &again, refuting->error))
        return false;
    refuting->differ = refuting->refuted->arrays = again.different;
    *any = again.different > 0;
    return true;
}

/* ---- Models ---- */

/* Keeps what lets most arrays come out right; of two alike the earlier one. */
static void keep(struct refuted *refuted, const struct refutation *found) {
    unsigned at = refuted->count;
    while (at > 0 && refuted->of[at - 1].right < found->right)
        at--;
    if (at == REFUTED_SHOWN)
        return;
    const unsigned last = refuted->count < REFUTED_SHOWN ? refuted->count++ : REFUTED_SHOWN - 1;
    memmove(&refuted->of[at + 1], &refuted->of[at], (last - at) * sizeof *refuted->of);
    refuted->of[at] = *found;
}

/* Holds a model to the first array, and where that comes out right to all. One that cannot be run is passed over. */
static void try_model(struct refuting *refuting, const struct model *model, const char *assumption,
                      const char *otherwise, bool depends_on_data) {
    struct replay replay;
    struct error why;
    if (!replay_samples(&refuting->first, model, 1, &replay, &why))
        return;
    refuting->refuted->varied++;
    if (replay.different || !replay_samples(&refuting->all, model, 0, &replay, &why))
        return;
    struct refutation found = {.depends_on_data = depends_on_data};
    snprintf(found.assumption, sizeof found.assumption, "%s", assumption);
    snprintf(found.otherwise, sizeof found.otherwise, "%s", otherwise);
    found.right = replay.different < refuting->differ ? refuting->differ - replay.different : 0;
    if (found.right)
        keep(refuting->refuted, &found);
}

/* The other rows of each axis. */
static void vary_axes(struct refuting *refuting) {
    const struct finding *finding = refuting->finding;
    for (int axis = 0; axis < AXES; axis++) {
        const unsigned rows = axis_rows(finding, (enum axis)axis);
        for (unsigned row = 0; row < rows; row++) {
            struct choice other = *refuting->choice;
            struct model model;
            struct error why;
            other.at[axis] = row;
            if (row == refuting->choice->at[axis])
                continue;
            if (model_make(finding, &other, &model, &why) &&
                !model_is_same(&model, refuting->model))
                try_model(refuting, &model, axis_name((enum axis)axis),
                          axis_row_name(finding, (enum axis)axis, row),
                          model.sorting.sorts != refuting->model->sorting.sorts);
            model_close(&model);
        }
    }
}

/* All additions alike in one parameter: "sums are rounded", "up". */
static void vary_parameters(struct refuting *refuting) {
    struct model model = *refuting->model;
    for (unsigned parameter = 0; parameter < NODE_PARAMETERS; parameter++) {
        int values[NODE_PARAMETER_VALUES];
        const unsigned count =
            node_parameter_values(parameter, &refuting->model->order.nodes[0], values);
        for (unsigned i = 0; i < count; i++) {
            char line[NODE_PARAMETER_TEXT];
            bool differs = false;
            for (unsigned k = 0; k < model.order.node_count; k++) {
                struct order_node *node = &model.order.nodes[k];
                *node = refuting->model->order.nodes[k];
                if (!node_parameter_matters(parameter, refuting->finding, node))
                    continue;
                differs |= node_parameter_value(parameter, node) != values[i];
                node_parameter_set(parameter, node, values[i]);
            }
            node_parameter_line(parameter, &values[i], 1, 0, false, line);
            char *colon = strstr(line, ": ");
            *colon = 0;
            if (differs)
                try_model(refuting, &model, line, colon + 2, false);
        }
        memcpy(model.order.nodes, refuting->model->order.nodes, sizeof model.order.nodes);
    }
}

/* The formats of sums and of products, of all additions. */
static void vary_formats(struct refuting *refuting) {
    static const int numbers[] = {FORMAT_FP16, FORMAT_BF16, FORMAT_FP32, FORMAT_FP64, -1};
    struct model model = *refuting->model;
    for (int product = 0; product <= (int)refuting->finding->subject->products; product++)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            const struct format *format = numbers[i] < 0 ? NULL : &formats[numbers[i]];
            bool differs = false;
            for (unsigned k = 0; k < model.order.node_count; k++) {
                struct order_node *node = &model.order.nodes[k];
                *node = refuting->model->order.nodes[k];
                if (product) {
                    differs |= node->product != format;
                    node->product = format;
                } else if (format) {
                    const struct order_node plain = order_node_plain(format, ROUND_NEAREST_EVEN);
                    differs |= node->result != format;
                    node->result = format;
                    node->nan = plain.nan;
                    node->result_precision = 0;
                }
            }
            char name[REFUTED_TEXT] = "fused";
            if (format)
                snprintf(name, sizeof name, "%s%s", product ? "rounded to " : "", format->name);
            if (differs)
                try_model(refuting, &model, product ? "products" : "the format of sums", name,
                          false);
        }
}

/* ---- Orders ---- */

static const struct order_rules orders[] = {
    {1, {{.kind = ORDER_SEQUENTIAL, .size = 1}}},
    {1, {{.kind = ORDER_REVERSED}}},
    {1, {{.kind = ORDER_PAIRS}}},
    {1, {{.kind = ORDER_FOLD}}},
    {1, {{.kind = ORDER_HALVES, .size = 1}}},
    {1, {{.kind = ORDER_HALVES, .size = 8}}},
    {2, {{.kind = ORDER_LANES, .size = 2, .outer = 1}, {.kind = ORDER_FOLD}}},
    {2, {{.kind = ORDER_LANES, .size = 4, .outer = 1}, {.kind = ORDER_FOLD}}},
    {2, {{.kind = ORDER_LANES, .size = 8, .outer = 1}, {.kind = ORDER_FOLD}}},
    {2, {{.kind = ORDER_LANES, .size = 16, .outer = 1}, {.kind = ORDER_FOLD}}},
    {2,
     {{.kind = ORDER_LANES, .size = 4, .outer = 1, .tail = ORDER_TAIL_AFTER},
      {.kind = ORDER_FOLD}}},
    {2,
     {{.kind = ORDER_LANES, .size = 8, .outer = 1, .tail = ORDER_TAIL_AFTER},
      {.kind = ORDER_FOLD}}},
};

static void try_order(struct refuting *refuting, const struct order_rules *rules,
                      const struct sorting *sorting) {
    char words[REFUTED_TEXT], by[REFUTED_TEXT], text[REFUTED_TEXT];
    struct model model = *refuting->model;
    struct order_rules begun = *rules;
    begun.rows[0].start = refuting->choice->at[AXIS_START] ? ORDER_START_ZERO : ORDER_START_ITEMS;
    struct error why;
    if (!order_rules_tree(&begun, model.tree.terms, &model.tree, &why))
        return;
    order_rules_words(rules, words, sizeof words);
    model.sorting = *sorting;
    snprintf(text, sizeof text, "%s", words);
    if (sorting->sorts)
        snprintf(text, sizeof text, "sorted by %.150s", sorting_words(sorting, by, sizeof by));
    const bool is_other = order_tree_hash(&model.tree) != order_tree_hash(&refuting->model->tree) ||
                          sorting->sorts != refuting->model->sorting.sorts;
    if (is_other)
        try_model(refuting, &model, "the order", text, true);
    order_tree_close(&model.tree);
}

/* All terms by other trees, of additions like the first one. Where most arrays are right by one tree and others by another, the
 * order depends on the data. */
static void vary_orders(struct refuting *refuting) {
    const struct finding *finding = refuting->finding;
    struct sorting sorting = {.sorts = false};
    if (finding->pairs.count < finding->subject->terms)
        return;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        try_order(refuting, &orders[i], &sorting);
    for (int row = 0; row < 4 && !finding->subject->through; row++) {
        sorting = (struct sorting){.sorts = true, .descending = row % 2, .by_value = row / 2};
        try_order(refuting, &orders[0], &sorting);
    }
}

bool refute(const struct finding *finding, const struct choice *choice, const struct model *model,
            struct replay_samples *samples, const struct replay *replay, struct refuted *refuted,
            struct error *error) {
    struct refuting refuting = {
        .finding = finding, .choice = choice, .model = model, .refuted = refuted, .error = error};
    bool any, good;
    *refuted = (struct refuted){.repeats = true};
    good = gather(&refuting, samples, replay, &any);
    if (good && any) {
        vary_orders(&refuting);
        vary_axes(&refuting);
    }
    if (good && any && !model->extended) {
        vary_formats(&refuting);
        vary_parameters(&refuting);
    }
    replay_samples_close(&refuting.all);
    replay_samples_close(&refuting.first);
    return good;
}
