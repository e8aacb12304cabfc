/* The last addition: nothing joins what it returns, which is seen as it is. */
#include "reveal/shot.h"

#include <limits.h>
#include <math.h>

/* By 1.5 - 1 of the smallest normal number, where all that is added on the way is kept, and nothing is divided. */
bool aim_last(struct aim *aim, bool keeps, struct error *error) {
    const struct format *format = aim->subject->request.format;
    const struct order_tree *tree = aim->tree;
    for (size_t v = 0; v < tree->count; v++) {
        const struct format *kept = kept_format(aim->found[v].kept);
        if (kept && kept->emin > format->emin)
            return true;
    }
    if (!tree->count || aim->scale != 1 || (aim->has_many && !keeps) || aim->bins.found ||
        aim->fixed_exponent != INT_MIN ||
        aim->subject->call.results[0].format->emin != format->emin)
        return true;
    const struct order_addition *last = &tree->additions[tree->count - 1];
    const int32_t *children = tree->children + last->first;
    const double least = ldexp(1, format->emin);
    for (uint32_t k = 0; k < last->children && k < 2; k++) {
        const struct format *product = kept_format(aim->rounded[term_in(aim, children[k])]);
        if (product && product->emin > format->emin)
            return true;
    }
    struct shot shot = {1, {term_in(aim, children[0])}, {0.5 * least}, {0}, 0};
    if (last->children > 1) {
        shot.term[shot.count++] = term_in(aim, children[1]);
        shot.value[0] = 1.5 * least;
        shot.value[1] = -least;
    }
    const bool good = shoot(aim, &shot, 1, error);
    aim->last = shot.result == 0 ? LAST_FLUSHES : LAST_KEEPS;
    return good;
}
