/* Giving the trees of many lengths the same nodes, as far as these have them. */
#include "reveal/lengths_nodes.h"

#include <string.h>

/* Whether two nodes are the same; of several terms however many they take, which short lengths do not show. */
static bool are_alike(const struct order_node *a, const struct order_node *b) {
    struct order_node other = *b;
    if (a->terms > 2 && b->terms > 2)
        other.terms = a->terms;
    return order_node_same(a, &other);
}

bool lengths_share_nodes(struct order *order, struct model *model) {
    uint16_t numbers[ORDER_MOST_NODES];
    for (unsigned i = 0; i < model->order.node_count; i++) {
        const struct order_node *node = &model->order.nodes[i];
        unsigned at = 0;
        while (at < order->node_count && !are_alike(&order->nodes[at], node))
            at++;
        if (at == ORDER_MOST_NODES)
            return false;
        if (at == order->node_count)
            order->nodes[order->node_count++] = *node;
        if (node->terms > order->nodes[at].terms)
            order->nodes[at].terms = node->terms;
        numbers[i] = (uint16_t)at;
    }
    for (size_t v = 0; v < model->tree.count; v++)
        model->tree.additions[v].node = numbers[model->tree.additions[v].node];
    memcpy(model->order.nodes, order->nodes, sizeof order->nodes);
    model->order.node_count = order->node_count;
    return true;
}

static uint32_t nodes_of(const struct order_tree *tree) {
    uint32_t nodes = 0;
    for (size_t v = 0; v < tree->count; v++)
        nodes |= (uint32_t)1 << tree->additions[v].node;
    return nodes;
}

bool lengths_have(const struct lengths *lengths, size_t index) {
    return lengths->revealed[index].state == REVEALED &&
           !lengths->revealed[index].model.sorting.sorts;
}

/* Whether a length is revealed as well where its additions by node `from` are by node `to`: it is that one then. */
static bool try_node(struct lengths *lengths, const struct reveal_request *request, size_t index,
                     unsigned from, unsigned to, bool *fits, struct error *error) {
    struct revealed *own = &lengths->revealed[index], again;
    struct order order = lengths->order;
    struct order_tree tree;
    if (!order_tree_copy(&own->model.tree, &tree))
        return error_set(error, "out of memory");
    for (size_t v = 0; v < tree.count; v++)
        if (tree.additions[v].node == from)
            tree.additions[v].node = (uint16_t)to;
    order.rules.count = 0;
    order.trees = &tree;
    order.tree_count = 1;
    bool good = reveal_by(request, own->terms, &order, &lengths->through, &again, fits, error);
    order_tree_close(&tree);
    own->calls += again.calls;
    if (good && *fits) {
        struct model model = own->model;
        own->model = again.model;
        own->replay = again.replay;
        again.model = model;
    }
    revealed_close(&again);
    return good;
}

bool lengths_take_nodes(struct lengths *lengths, const struct reveal_request *request,
                        struct error *error) {
    size_t longest = lengths->count;
    while (longest && !lengths_have(lengths, longest - 1))
        longest--;
    const uint32_t known = longest ? nodes_of(&lengths->revealed[longest - 1].model.tree) : 0;
    for (size_t i = 0; i < longest; i++) {
        const uint32_t other =
            lengths_have(lengths, i) ? nodes_of(&lengths->revealed[i].model.tree) & ~known : 0;
        bool fits = false;
        for (unsigned from = 0; other && lengths->tried[i] != known && from < ORDER_MOST_NODES;
             from++)
            for (unsigned to = 0; other >> from & 1 && !fits && to < ORDER_MOST_NODES; to++)
                if ((known >> to & 1) && !try_node(lengths, request, i, from, to, &fits, error))
                    return false;
        lengths->tried[i] = known;
    }
    return true;
}

void lengths_drop_nodes(struct lengths *lengths) {
    struct order *order = &lengths->order;
    uint16_t numbers[ORDER_MOST_NODES] = {0};
    uint32_t used = 0;
    unsigned count = 0;
    for (size_t i = 0; i < lengths->count; i++)
        if (lengths->revealed[i].state == REVEALED)
            used |= nodes_of(&lengths->revealed[i].model.tree);
    for (unsigned i = 0; i < order->node_count; i++) {
        numbers[i] = (uint16_t)count;
        if (used >> i & 1)
            order->nodes[count++] = order->nodes[i];
    }
    order->node_count = count ? count : order->node_count;
    for (unsigned i = 0; i < order->rules.count; i++) {
        order->rules.rows[i].node = numbers[order->rules.rows[i].node];
        order->rules.rows[i].spill = numbers[order->rules.rows[i].spill];
    }
    for (size_t i = 0; i < lengths->count; i++) {
        struct model *model = &lengths->revealed[i].model;
        if (lengths->revealed[i].state != REVEALED)
            continue;
        for (size_t v = 0; v < model->tree.count; v++)
            model->tree.additions[v].node = numbers[model->tree.additions[v].node];
        memcpy(model->order.nodes, order->nodes, sizeof order->nodes);
        model->order.node_count = order->node_count;
    }
}
