/* An order: its parts together. */
#include "order/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void order_open(struct order *order, const char *operation, const struct format *format,
                const struct format *result) {
    *order = (struct order){.format = format,
                            .result = result,
                            .least = 1,
                            .most = ORDER_MOST_TERMS,
                            .node_count = 1,
                            .nodes = {order_node_plain(result, ROUND_NEAREST_EVEN)}};
    snprintf(order->operation, sizeof order->operation, "%s", operation);
}

void order_close(struct order *order) {
    for (size_t i = 0; i < order->tree_count; i++)
        order_tree_close(&order->trees[i]);
    free(order->trees);
    order->trees = NULL;
    order->tree_count = 0;
}

bool order_add_tree(struct order *order, struct order_tree *tree) {
    struct order_tree *trees = realloc(order->trees, (order->tree_count + 1) * sizeof *trees);
    if (!trees) {
        order_tree_close(tree);
        return false;
    }
    order->trees = trees;
    order->trees[order->tree_count++] = *tree;
    return true;
}

/* Whether the rule is known for a length. */
static bool rule_knows(const struct order *order, size_t terms) {
    return order->rules.count && terms >= order->least && terms <= order->most &&
           (!order->step || (terms - order->least) % order->step == 0);
}

bool order_tree_of(const struct order *order, size_t terms, struct order_tree *tree,
                   struct error *error) {
    for (size_t i = 0; i < order->tree_count; i++)
        if (order->trees[i].terms == terms)
            return order_tree_copy(&order->trees[i], tree) || error_set(error, "out of memory");
    if (order->rules.count && !rule_knows(order, terms) && order->step)
        return error_set(error,
                         "the order is known for %zu to %zu terms in steps of %zu, not for %zu",
                         order->least, order->most, order->step, terms);
    if (order->rules.count && !rule_knows(order, terms))
        return error_set(error, "the order is known for %zu to %zu terms, not for %zu",
                         order->least, order->most, terms);
    return order_rules_tree(&order->rules, terms, tree, error);
}

size_t order_known_up_to(const struct order *order, size_t terms) {
    const size_t most = terms < order->most ? terms : order->most;
    return most < order->least ? order->least
                               : most - (order->step ? (most - order->least) % order->step : 0);
}

bool order_knows(const struct order *order, size_t terms) {
    bool known = rule_knows(order, terms);
    for (size_t i = 0; i < order->tree_count; i++)
        known = known || order->trees[i].terms == terms;
    return known;
}

const char *const order_operations[] = {"sum", "mean", "dot", "matmul", "cumsum"};

struct order order_for(const struct order *order, const char *operation) {
    struct order other = *order;
    snprintf(other.operation, sizeof other.operation, "%s", operation);
    if (strcmp(operation, "mean") != 0)
        other.scale = ORDER_SCALE_NONE;
    else if (!other.scale)
        other.scale = ORDER_SUM_DIVIDED;
    return other;
}

static bool check_node(const struct order_node *node, unsigned number, struct error *error) {
    if (!node->result || node->result->is_integer || !node->terms)
        return error_set(error, "node %u has no format or no terms", number);
    if (node->result_precision > (unsigned)node->result->precision)
        return error_set(error, "node %u has more bits of precision than %s", number,
                         node->result->name);
    if (node->terms > order_node_most_terms(node))
        return error_set(error, "node %u adds %zu terms at most", number,
                         order_node_most_terms(node));
    if ((node->kind == ORDER_BINS || node->kind == ORDER_SLICES) &&
        (!node->bins || !node->bin_width))
        return error_set(error, "node %u has no %s, or none of any bits", number,
                         order_node_kind_names[node->kind]);
    if (node->operands && node->operands->is_integer)
        return error_set(error,
                         "operands of node %u are rounded to %s, which is not a format of orders",
                         number, node->operands->name);
    if (node->nan & ~format_mask(node->result))
        return error_set(error, "the NaN of node %u is not a code of %s", number,
                         node->result->name);
    return true;
}

bool order_check_additions(const struct order *order, const struct order_tree *tree,
                           struct error *error) {
    for (size_t i = 0; i < tree->count; i++) {
        const struct order_addition *addition = &tree->additions[i];
        size_t most = order_node_most_terms(&order->nodes[addition->node]);
        if (addition->children > most)
            return error_set(error, "addition %zu has %u terms; node %u adds %zu at most", i,
                             (unsigned)addition->children, addition->node, most);
    }
    return true;
}

bool order_check(const struct order *order, struct error *error) {
    if (order->format->is_integer || order->result->is_integer)
        return error_set(error, "an order adds floating-point numbers, not %s",
                         (order->format->is_integer ? order->format : order->result)->name);
    if (!order->node_count || order->node_count > ORDER_MOST_NODES)
        return error_set(error, "an order has 1 to %d nodes", ORDER_MOST_NODES);
    if (!order->rules.count && !order->tree_count)
        return error_set(error, "an order has a rule or a tree");
    if (!order->least || order->most > ORDER_MOST_TERMS)
        return error_set(error, "lengths are from 1 to %d", ORDER_MOST_TERMS);
    if (order->least > order->most)
        return error_set(error, "least is above most: %zu and %zu", (size_t)order->least,
                         (size_t)order->most);
    for (unsigned i = 0; i < order->node_count; i++)
        if (!check_node(&order->nodes[i], i, error))
            return false;
    for (size_t i = 0; i < order->tree_count; i++)
        if (!order_tree_check(&order->trees[i], order->node_count, error) ||
            !order_check_additions(order, &order->trees[i], error))
            return false;
    return order_rules_check(&order->rules, order->node_count, error);
}
