/* Samples are the judge: probes have given the values from which the search sets out. */
#include "reveal/refine.h"

#include "reveal/node_parameters.h"

#include <string.h>

enum { SWEEPS = 4, NARROW = 11 };

/* ---- The search ---- */

struct search {
    const struct finding *finding;
    struct replay_samples *samples;
    struct model *model;
    struct replay best;
    size_t tried;
    struct error *error;
};

/* Takes a node in place of number `index` if fewer samples differ. */
static bool try_node(struct search *search, unsigned index, const struct order_node *node,
                     bool *better) {
    struct order_node before = search->model->order.nodes[index];
    struct replay replay;
    if (search->samples->work > search->samples->most_work) {
        search->samples->is_cut = true;
        return true;
    }
    search->model->order.nodes[index] = *node;
    search->tried++;
    bool good = replay_samples(search->samples, search->model, search->best.different, &replay,
                               search->error);
    if (good && replay.different < search->best.different) {
        search->best = replay;
        *better = true;
        return true;
    }
    search->model->order.nodes[index] = before;
    return good;
}

/* All values of one parameter, and with each, where there is a second one, all of that. */
static bool try_values(struct search *search, unsigned index, unsigned first, unsigned second,
                       bool *better) {
    const struct order_node from = search->model->order.nodes[index];
    int values[NODE_PARAMETER_VALUES], others[NODE_PARAMETER_VALUES];
    const bool pair = second < NODE_PARAMETERS;
    unsigned count = node_parameter_values(first, &from, values);
    for (unsigned i = 0; i < count && search->best.different; i++) {
        struct order_node node = from;
        node_parameter_set(first, &node, values[i]);
        unsigned more = pair ? node_parameter_values(second, &node, others) : 1;
        if (pair && !node_parameter_matters(second, search->finding, &node))
            continue;
        for (unsigned k = 0; k < more && search->best.different; k++) {
            if (pair)
                node_parameter_set(second, &node, others[k]);
            if (!try_node(search, index, &node, better))
                return false;
        }
    }
    return true;
}

/* Parameters one by one, or in pairs: of what is cut where, in which direction, and in which group, some shows only
 * together. Of two one has few values. */
static bool sweep(struct search *search, bool in_pairs, bool *better) {
    for (unsigned index = 0; index < search->model->order.node_count; index++)
        for (unsigned i = 0; i < NODE_PARAMETERS && search->best.different; i++) {
            if (!node_parameter_matters(i, search->finding, &search->model->order.nodes[index]))
                continue;
            if (!in_pairs && !try_values(search, index, i, NODE_PARAMETERS, better))
                return false;
            for (unsigned k = 0;
                 in_pairs && k < NODE_PARAMETERS && node_parameter_has_few_values(i); k++)
                if (k != i && (k > i || !node_parameter_has_few_values(k)) &&
                    !try_values(search, index, i, k, better))
                    return false;
        }
    return true;
}

bool refine_provides(const struct finding *finding) {
    const struct subject *subject = finding->subject;
    return !finding->grown.keeps && !finding->aim.slices.found &&
           (finding->aim.has_many ||
            (subject->products && subject->request.format->precision <= NARROW));
}

size_t refine_samples(const struct finding *finding, size_t usual) {
    enum { USUAL_PRODUCTS = 256 };
    const struct subject *subject = finding->subject;
    const size_t products = subject->terms * subject->lines * subject->columns;
    return refine_provides(finding) && products > USUAL_PRODUCTS ? usual * USUAL_PRODUCTS / products
                                                                 : usual;
}

static bool descend(struct search *search, bool in_pairs) {
    bool good = true, better = true;
    for (int i = 0; good && better && search->best.different && i < SWEEPS; i++) {
        better = false;
        good =
            sweep(search, false, &better) && (better || !in_pairs || sweep(search, true, &better));
    }
    return good;
}

enum {
    START_WITH_TERMS = 1,
    START_TOWARD_ZERO = 2,
    START_IN_GROUPS = 4,
    START_NARROW = 8,
    STARTS = 16
};

/* Nodes from which the search sets out: probes of one group see how groups are joined, too, and where c comes in is a
 * guess; some units sum in as many bits as terms keep. */
static void set_out(const struct model *from, unsigned start, struct model *to) {
    for (unsigned i = 0; i < from->order.node_count; i++) {
        struct order_node *node = &to->order.nodes[i];
        *node = from->order.nodes[i];
        if (node->kind != ORDER_SUM || node->terms <= 2 || node->aligned_bits == ORDER_ALL_BITS)
            continue;
        if (start & START_TOWARD_ZERO)
            node->alignment = ORDER_TOWARD_ZERO;
        if (start & START_IN_GROUPS)
            node->groups = 2;
        if (start & START_NARROW && node->aligned_bits < node->result->precision)
            node->result_precision = (unsigned)node->aligned_bits + 1;
        if (start & START_WITH_TERMS) {
            node->c = ORDER_C_WITH_TERMS;
            node->joined_bits = node->c_bits = 0;
        }
    }
}

/* From one start; what is better than before is kept. */
static bool try_start(struct search *search, const struct model *from, unsigned start,
                      bool in_pairs) {
    struct order_node nodes[ORDER_MOST_NODES];
    const struct replay before = search->best;
    memcpy(nodes, search->model->order.nodes, sizeof nodes);
    set_out(from, start, search->model);
    bool good = replay_samples(search->samples, search->model, 0, &search->best, search->error) &&
                descend(search, in_pairs);
    if (search->best.different >= before.different) {
        search->best = before;
        memcpy(search->model->order.nodes, nodes, sizeof nodes);
    }
    return good;
}

static bool refine(const struct finding *finding, struct replay_samples *samples,
                   struct model *model, struct replay *replay, size_t *tried, struct error *error) {
    const struct model from = *model;
    struct search search = {finding, samples, model, *replay, 0, error};
    const unsigned starts = finding->aim.has_many ? STARTS : 1;
    bool good = true;
    for (unsigned i = 0; good && search.best.different && i < starts; i++)
        good = try_start(&search, &from, i, false);
    if (good && search.best.different)
        good = descend(&search, true);
    *replay = search.best;
    *tried += search.tried;
    return good;
}

/* Takes a model of another choice in place of one, if fewer samples differ by its own nodes, or by the nodes of that. */
static bool try_choice(const struct refined *refined, const struct choice *other, bool takes_nodes,
                       struct replay *sampled, size_t *tried, struct error *error) {
    struct replay replay;
    struct model model;
    struct error unmade; /* a choice of which there is no model is no better one */
    if (!model_make(refined->finding, other, &model, &unmade)) {
        model_close(&model);
        return true;
    }
    if (takes_nodes)
        model_take_nodes(refined->model, &model);
    bool good = replay_samples(refined->samples, &model, 0, &replay, error) &&
                refine(refined->finding, refined->samples, &model, &replay, tried, error);
    if (!good || replay.different >= sampled->different) {
        model_close(&model);
        return good;
    }
    model_close(refined->model);
    *refined->model = model;
    *refined->choice = *other;
    *sampled = replay;
    return true;
}

/* The nodes of a choice; then, where they do not explain all, the choice that fits best with these nodes; and additions of two
 * terms that are unlike those of several. */
static bool refine_choice(const struct refined *refined, struct replay *sampled, size_t *tried,
                          struct error *error) {
    const struct finding *finding = refined->finding;
    struct choice other;
    struct replay replay;
    if (!refine(finding, refined->samples, refined->model, sampled, tried, error))
        return false;
    if (!sampled->different)
        return true;
    if (!models_fit(finding, refined->samples, refined->model, &other, &replay, tried, error) ||
        (replay.different < sampled->different &&
         !try_choice(refined, &other, true, sampled, tried, error)))
        return false;
    for (unsigned row = 0; row < axis_rows(finding, AXIS_PAIR) && sampled->different; row++) {
        other = *refined->choice;
        other.at[AXIS_PAIR] = row;
        if (row != refined->choice->at[AXIS_PAIR] &&
            !try_choice(refined, &other, false, sampled, tried, error))
            return false;
    }
    return true;
}

bool refine_all(const struct refined *refined, uint64_t seed, struct replay *sampled, size_t *tried,
                struct error *error) {
    enum { TURNS = 8 };
    struct telling telling = {.finding = refined->finding,
                              .samples = refined->samples,
                              .choice = refined->choice,
                              .model = refined->model,
                              .seed = seed};
    bool good = true, refuted = true;
    for (int turn = 0; good && refuted && turn < TURNS; turn++) {
        if (sampled->different && !refine_choice(refined, sampled, tried, error))
            return false;
        if (sampled->different)
            break;
        good = rivals_tell(refined->rivals, &telling, &refuted, error);
        if (good && refuted)
            good = replay_samples(refined->samples, refined->model, 0, sampled, error);
    }
    *tried += telling.tried;
    return good;
}
