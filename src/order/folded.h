/* A tree too large to be drawn term by term, folded by its regularity: terms that are added one after the other are one
 * line, and so are parts that are added as an earlier one is. */
#ifndef DETCHECK_ORDER_FOLDED_H
#define DETCHECK_ORDER_FOLDED_H

#include "order/order.h"

enum { FOLDED_LINES = 48, FOLDED_TEXT = 96 };

/* The terms of `tree` are lines, which `labels` name. */
struct order_folded {
    struct order_tree tree;
    size_t lines;
    char labels[FOLDED_LINES][FOLDED_TEXT];
};

/* False where so many lines are too few, or there is no memory; nothing is to be closed then. */
bool order_fold_lines(const struct order_tree *tree, struct order_folded *folded);

#endif
