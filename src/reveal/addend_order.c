/* An order has c in its trees and where a rule begins; where neither has it, c is added to the result, plainly. */
#include "reveal/addend_order.h"

#include <string.h>

static bool is_outside(const struct lengths *lengths) {
    for (size_t i = 0; i < lengths->count; i++)
        if (lengths->revealed[i].state == REVEALED && !lengths->revealed[i].addend.is_outside)
            return false;
    return true;
}

/* Whether rules give the tree with c of each length. */
static bool rules_give(const struct order_rules *rules, const struct lengths *lengths) {
    bool gives = true;
    for (size_t i = 0; i < lengths->count && gives; i++) {
        const struct revealed *revealed = &lengths->revealed[i];
        const struct addend *addend = &revealed->addend;
        struct order_tree tree;
        struct error unused;
        if (revealed->state != REVEALED || !addend->inside || addend->adds_node ||
            !order_rules_tree(rules, revealed->terms, &tree, &unused))
            return false;
        gives =
            order_tree_shape(&tree, false) == order_tree_shape(&addend->inside->trees[0], false);
        order_tree_close(&tree);
    }
    return gives;
}

/* The rule with c where one of its rows begins. */
static bool begin_with_c(struct order_rules *rules, const struct lengths *lengths) {
    for (unsigned i = 0; i < rules->count; i++) {
        const enum order_start start = rules->rows[i].start;
        if (start != ORDER_START_ITEMS && start != ORDER_START_ZERO)
            continue;
        rules->rows[i].start = ORDER_START_C;
        if (rules_give(rules, lengths))
            return true;
        rules->rows[i].start = start;
    }
    return false;
}

cJSON *addend_order(const struct lengths *lengths, struct error *error) {
    struct order order = lengths->order; /* its trees stay theirs */
    const struct addend *first = &lengths->revealed[0].addend;
    if (is_outside(lengths) || (!order.tree_count && begin_with_c(&order.rules, lengths)))
        return order_document(&order);
    if (lengths->count > 1 || !first->inside) {
        error_set(error, "--output: an order for several lengths can add c only first or last, but "
                         "here it is added in between; give one of --lengths");
        return NULL;
    }
    order.node_count = first->inside->node_count;
    memcpy(order.nodes, first->inside->nodes, sizeof order.nodes);
    order.rules.count = 0;
    order.trees = first->inside->trees;
    order.tree_count = 1;
    return order_document(&order);
}
