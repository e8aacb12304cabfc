/* Stages of a sum that flush subnormal terms where others keep them: lanes, or the rest behind these. */
#include "reveal/shot.h"

#include <math.h>
#include <stdlib.h>

/* Half of the least normal number in one term, beside so large a number where that comes in that no total is subnormal. */
static struct shot shot_of(const struct aim *aim, size_t v, uint32_t child, double beside) {
    const struct order_addition *addition = &aim->tree->additions[v];
    const int32_t *children = aim->tree->children + addition->first;
    const double least = ldexp(1, aim->subject->request.format->emin);
    const double factor = aim->subject->products ? 1 : 0; /* of a product: beside a subnormal one */
    return (struct shot){2,
                         {(size_t)children[child], term_in(aim, children[child == 0])},
                         {0.5 * least, beside * least},
                         {factor, factor},
                         0};
}

/* One without terms flushes none. One flushes terms if it flushes each of its own: of two the first one may be added to 0 before, and lost in that
 * total. */
static void judge(struct aim *aim, const struct shot *shots, double least_kept) {
    size_t k = 0;
    bool some = false, all = true;
    for (size_t v = 0; v < aim->tree->count; v++) {
        const struct order_addition *addition = &aim->tree->additions[v];
        const size_t first = k;
        bool flushes = true;
        for (uint32_t i = 0; i < addition->children && addition->children > 1; i++)
            if (order_is_term(aim->tree->children[addition->first + i]))
                flushes &= shots[k++].result < least_kept;
        aim->flushes_terms[v] = flushes && k > first;
        some |= aim->flushes_terms[v];
        all &= aim->flushes_terms[v] || addition->children < 2;
    }
    if (some && !all)
        return;
    free(aim->flushes_terms);
    aim->flushes_terms = NULL;
}

bool aim_terms(struct aim *aim, struct error *error) {
    const struct order_tree *tree = aim->tree;
    const int more = ilogb(2 * aim->scale - 1);
    const double beside = ldexp(1, more);
    struct shot *shots = calloc(tree->child_count + 1, sizeof *shots);
    size_t count = 0;
    aim->flushes_terms = calloc(tree->count + 1, sizeof *aim->flushes_terms);
    bool good = (shots && aim->flushes_terms) || error_set(error, "out of memory");
    for (size_t v = 0; good && v < tree->count; v++)
        for (uint32_t k = 0; k < tree->additions[v].children && tree->additions[v].children > 1;
             k++)
            if (order_is_term(tree->children[tree->additions[v].first + k]))
                shots[count++] = shot_of(aim, v, k, beside);
    good = good && shoot(aim, shots, count, error);
    if (good)
        judge(aim, shots, (beside + 0.25) * ldexp(1, aim->subject->request.format->emin));
    free(shots);
    return good;
}
