/* Where c stands, that comes into sums of products (--addend), in an order that is known. */
#ifndef DETCHECK_REVEAL_ADDEND_H
#define DETCHECK_REVEAL_ADDEND_H

#include "reveal/replay.h"

enum { ADDEND_TEXT = 256 };

struct addend {
    char words[ADDEND_TEXT]; /* the places; why there is none; "" where no c comes in */
    bool is_found;           /* where one comes in: some place is left */
    size_t arrays;           /* with c, by which places were held */
    bool is_outside;         /* one is a plain addition to the result: the order without c has it */
    struct order *inside;    /* else the tree of the first of them, with c; NULL: none */
    bool adds_node;          /* which has a node more for c */
};

/* The places at which the model gives all results of calls with c. False with an error where the environment fails. The model
 * is that of calls without c. */
bool addend_find(struct subject *subject, const struct model *model, uint64_t seed,
                 struct addend *found, struct error *error);
void addend_close(struct addend *addend);

#endif
