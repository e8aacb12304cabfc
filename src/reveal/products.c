/* Whether products are rounded before they are added: by a square of which all but the last bit is taken away. */
#include "reveal/shot.h"

#include <math.h>

/* The square of 1 + 2^-k, of which the rest is taken away: whether 2^-2k is left. */
static struct shot square_at(size_t term, size_t beside, int k) {
    double root = 1 + ldexp(1, -k);
    return (struct shot){2, {term, beside}, {root, -(1 + ldexp(1, 1 - k))}, {root, 1}, 0};
}

static bool square_is_kept(const struct shot *shot, int k) {
    return fabs(shot->result - ldexp(1, -2 * k)) < ldexp(1, -2 * k - 2);
}

static const int roots[KEPT_CLASSES] = {0, 5, 8, 12, 27, 0};

/* The narrowest class to which the square of k is rounded, where it is not kept. */
static bool find_class(struct aim *aim, size_t term, size_t beside, int k, enum kept_class kept,
                       enum kept_class *found, struct error *error) {
    *found = kept == KEPT_UNKNOWN ? KEPT_FP32 : kept;
    for (enum kept_class narrow = KEPT_FP32; narrow > KEPT_UNKNOWN; narrow--) {
        struct shot shot = square_at(term, beside, roots[narrow]);
        if (roots[narrow] > k)
            continue;
        if (roots[narrow] < k && !shoot(aim, &shot, 1, error))
            return false;
        if (roots[narrow] < k && square_is_kept(&shot, roots[narrow]))
            break;
        *found = narrow;
    }
    return true;
}

/* The format of an addition that was not measured, such as the last one: fp64 where another one keeps that. */
static enum kept_class kept_by(const struct aim *aim, size_t v) {
    bool is_wide = false;
    for (size_t i = 0; i < aim->tree->count && aim->found[v].kept == KEPT_UNKNOWN; i++)
        is_wide |= aim->found[i].kept == KEPT_FP64;
    return is_wide ? KEPT_FP64 : aim->found[v].kept;
}

/* As far as factors have enough bits. */
bool aim_products(struct aim *aim, struct error *error) {
    const struct order_tree *tree = aim->tree;
    const int most = aim->subject->request.format->precision - 1;
    bool is_chained = false; /* a product that is added to a sum is rounded */
    aim->product = KEPT_CLASSES;
    for (size_t v = 0; v < tree->count; v++) {
        const struct order_addition *addition = &tree->additions[v];
        enum kept_class kept = kept_by(aim, v);
        int k = kept == KEPT_UNKNOWN ? 12 : roots[kept];
        k = k > most || !k ? most : k;
        for (uint32_t i = 0; i < addition->children && addition->children > 1; i++) {
            int32_t child = tree->children[addition->first + i];
            if (!order_is_term(child))
                continue;
            enum kept_class found = KEPT_UNKNOWN;
            size_t other = term_in(aim, tree->children[addition->first + (i ? 0 : 1)]);
            struct shot shot = square_at((size_t)child, other, k);
            if (!shoot(aim, &shot, 1, error))
                return false;
            if (!square_is_kept(&shot, k) &&
                !find_class(aim, (size_t)child, other, k, kept, &found, error))
                return false;
            aim->rounded[child] = (uint8_t)found;
            is_chained |= found && order_is_addition(tree->children[addition->first + (i ? 0 : 1)]);
            if (aim->product == KEPT_CLASSES)
                aim->product = found;
            if (aim->product != found)
                aim->product = KEPT_UNKNOWN;
        }
    }
    /* Where products meet products alone, each may be the first of a lane, which is rounded by itself. */
    if (aim->product == KEPT_CLASSES || !is_chained)
        aim->product = KEPT_UNKNOWN;
    return true;
}
