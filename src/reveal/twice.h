/* Terms that the result has twice: where their two places are among the additions of all others, and adding them there. */
#ifndef DETCHECK_REVEAL_TWICE_H
#define DETCHECK_REVEAL_TWICE_H

#include "reveal/pairs.h"

/* So many copies of a term are in an addition and in none that it adds, or where v is as many as there are additions, in
 * none at all: they are added to the sum of all others. */
struct twice_place {
    size_t v, term;
    unsigned copies;
};

struct twice {
    struct twice_place *places;
    size_t count;
};

/* How copies are added to the parts that an addition adds: the rows of AXIS_TWICE. Without a second part, as above all
 * additions, both are the first one. */
enum twice_row {
    TWICE_FIRST,      /* onto the first part, one after the other; with a term by their numbers */
    TWICE_SECOND,     /* onto the second */
    TWICE_FIRST_OWN,  /* their own sum onto the first part, as 2x is */
    TWICE_SECOND_OWN, /* onto the second */
    TWICE_BOTH,       /* onto each part by turns */
    TWICE_JOINED,     /* by the addition itself, which takes several terms at once */
    TWICE_ROWS
};

/* Of all terms of weight 2 in `pairs`, or none where there are too many: `one` is of each addition a term in it. */
bool twice_find(struct twice *twice, struct pairs *pairs, const struct order_tree *tree,
                const size_t *one, struct error *error);
void twice_close(struct twice *twice);

/* What part number `part` of addition v is with the copies that belong to it; by additions of node `node`, which begin
 * with 0 where `starts`. */
int32_t twice_onto(const struct twice *twice, enum twice_row row, size_t v, unsigned part,
                   int32_t child, unsigned node, bool starts, struct order_tree *tree);
/* The sum of all others, with the copies that are in no addition of these. */
int32_t twice_above(const struct twice *twice, enum twice_row row, size_t additions, int32_t child,
                    unsigned node, bool starts, struct order_tree *tree);
/* Copies that are children of addition v itself: into `children`, which has room for all; returns how many. */
size_t twice_joined(const struct twice *twice, enum twice_row row, size_t v, int32_t *children);

#endif
