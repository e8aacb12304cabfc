/* Reading off a tree which totals are rounded, and saying so in a rule. */
#include "reveal/spills.h"

#include <stdlib.h>

/* How many terms are in the least total that is rounded alone, and by which node. */
static bool find_least(const struct order_tree *tree, size_t *terms, uint16_t *node) {
    size_t *below = calloc(tree->count + 1, sizeof *below);
    bool found = false;
    for (size_t v = 0; below && v < tree->count; v++) {
        const struct order_addition *addition = &tree->additions[v];
        const int32_t *children = tree->children + addition->first;
        for (uint32_t k = 0; k < addition->children; k++)
            below[v] += order_is_term(children[k])       ? 1
                        : order_is_addition(children[k]) ? below[~children[k]]
                                                         : 0;
        if (addition->children != 1 || order_is_term(children[0]) || (found && below[v] >= *terms))
            continue;
        *terms = below[v];
        *node = addition->node;
        found = true;
    }
    free(below);
    return found;
}

/* Has the sums from the left of row `number`, its own or those of its parts, rounded after every so many items. */
static bool spill_row(struct order_rules *rules, unsigned number, size_t terms, uint16_t node) {
    struct order_rule *row = &rules->rows[number];
    if (row->kind != ORDER_SEQUENTIAL) {
        const struct order_rule part = {
            .kind = ORDER_SEQUENTIAL, .node = row->node, .size = 1, .start = row->start};
        if (row->inner || row->kind < ORDER_LANES || row->kind > ORDER_SPLIT)
            return false;
        row->inner = (uint8_t)order_rules_add(rules, part);
        if (!row->inner)
            return false;
        row = &rules->rows[row->inner];
    }
    if (row->size != 1 || row->multiple)
        return false;
    row->multiple = terms;
    row->spill = node;
    return true;
}

/* Rounds what a rule gives. */
static bool round_last(struct order_rules *rules, uint16_t node) {
    if (rules->count == ORDER_MOST_RULES)
        return false;
    for (unsigned i = rules->count++; i > 0; i--) {
        struct order_rule row = rules->rows[i - 1];
        row.inner = (uint8_t)(row.inner ? row.inner + 1 : 0);
        row.outer = (uint8_t)(row.outer ? row.outer + 1 : 0);
        row.rest = (uint8_t)(row.rest ? row.rest + 1 : 0);
        rules->rows[i] = row;
    }
    rules->rows[0] = (struct order_rule){
        .kind = ORDER_ONTO, .node = node, .start = ORDER_START_ALONE, .inner = 1};
    return true;
}

bool spilled_rules(const struct order_rules *rules, const struct order_tree *tree, unsigned number,
                   struct order_rules *spilled) {
    size_t terms = 0;
    uint16_t node = 0;
    *spilled = *rules;
    if (!number)
        return true;
    if (!find_least(tree, &terms, &node))
        return false;
    for (; number <= 2 * rules->count + 1; number++) { /* a row or none, in the end or not */
        const unsigned row = number / 2;
        *spilled = *rules;
        if (row && !spill_row(spilled, row - 1, terms, node))
            continue;
        if (number % 2 && !round_last(spilled, node))
            continue;
        return true;
    }
    return false;
}
