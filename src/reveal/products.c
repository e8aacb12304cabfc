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

bool products_leave_fp32(const struct format *format) {
    const struct format *wide = &formats[FORMAT_FP32];
    return 2 * format->precision <= wide->precision &&
           2 * (format->emin - format->precision + 1) < wide->emin - wide->precision + 1;
}

/* Such a product shows in fp32's range alone: 2^128 beside -1.5 * 2^127 is 2^126 where it is fused, and infinite where it
 * is rounded before. Of two terms that meet alone the first one of a lane is rounded by itself, so that both must be. */
static bool find_overflow(struct aim *aim, const int32_t *children, struct error *error) {
    struct shot shots[2];
    bool is_rounded[2] = {false, false};
    for (int i = 0; i < 2; i++)
        shots[i] = (struct shot){
            2,
            {term_in(aim, children[i]), term_in(aim, children[!i])},
            {ldexp(1, 64), ldexp(-1.5, 63)},
            {ldexp(1, 64), ldexp(1, 64)},
            0,
        };
    for (int i = 0; i < 2; i++) {
        if (!order_is_term(children[i]))
            continue;
        if (!shoot(aim, &shots[i], 1, error))
            return false;
        is_rounded[i] = !isfinite(shots[i].result);
    }
    const bool meet = order_is_term(children[0]) && order_is_term(children[1]);
    for (int i = 0; i < 2; i++)
        if (is_rounded[i] && (!meet || is_rounded[!i]))
            aim->rounded[children[i]] = KEPT_FP32;
    return true;
}

/* Of the terms of an addition, as far as factors have enough bits. */
static bool find_rounded(struct aim *aim, size_t v, struct error *error) {
    const struct order_addition *addition = &aim->tree->additions[v];
    const int32_t *children = aim->tree->children + addition->first;
    const struct format *format = aim->subject->request.format;
    const enum kept_class kept = kept_by(aim, v);
    const int most = format->precision - 1, root = kept == KEPT_UNKNOWN ? 12 : roots[kept],
              k = root > most || !root ? most : root;
    bool any = false;
    for (uint32_t i = 0; i < addition->children; i++) {
        if (!order_is_term(children[i]))
            continue;
        enum kept_class found = KEPT_UNKNOWN;
        const size_t term = (size_t)children[i], other = term_in(aim, children[i ? 0 : 1]);
        struct shot shot = square_at(term, other, k);
        if (!shoot(aim, &shot, 1, error))
            return false;
        if (!square_is_kept(&shot, k) && !find_class(aim, term, other, k, kept, &found, error))
            return false;
        aim->rounded[term] = (uint8_t)found;
        any |= found;
    }
    return any || addition->children > 2 || !products_leave_fp32(format) ||
           find_overflow(aim, children, error);
}

bool aim_products(struct aim *aim, struct error *error) {
    const struct order_tree *tree = aim->tree;
    bool is_chained = false; /* a product that is added to a sum is rounded */
    aim->product = KEPT_CLASSES;
    for (size_t v = 0; v < tree->count; v++) {
        const struct order_addition *addition = &tree->additions[v];
        if (addition->children > 1 && !find_rounded(aim, v, error))
            return false;
        for (uint32_t i = 0; i < addition->children && addition->children > 1; i++) {
            const int32_t *children = tree->children + addition->first;
            if (!order_is_term(children[i]))
                continue;
            const enum kept_class found = (enum kept_class)aim->rounded[children[i]];
            is_chained |= found && order_is_addition(children[i ? 0 : 1]);
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
