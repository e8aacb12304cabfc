/* What is done with a formula that was read: relations decided, and its end. */
#include "op/formula/tree.h"

#include <stdlib.h>

void formula_free(struct formula *formula) {
    for (int i = 0; formula && i < formula->room && formula->nodes; i++) {
        formula_free(formula->nodes[i].rewriting);
        if (formula->nodes[i].number) {
            mpq_clear(formula->nodes[i].number);
            free(formula->nodes[i].number);
        }
    }
    if (formula) {
        free(formula->nodes);
        free(formula->text);
    }
    free(formula);
}

bool formula_holds(enum formula_relation relation, int order) {
    switch (relation) {
    case RELATION_LESS:
        return order == -1;
    case RELATION_NOT_GREATER:
        return order == -1 || order == 0;
    case RELATION_GREATER:
        return order == 1;
    case RELATION_NOT_LESS:
        return order == 1 || order == 0;
    case RELATION_EQUAL:
        return order == 0;
    default:
        return order != 0;
    }
}
