/* Whether products are rounded before they are added: by a square of which all but the last bit is taken away. */
#include "reveal/shot.h"

#include <math.h>
#include <stdlib.h>

/* The square of 1 + 2^-k, of which the rest is taken away: whether 2^-2k is left. */
static struct shot square_at(size_t term, size_t beside, int k) {
    double root = 1 + ldexp(1, -k);
    return (struct shot){2, {term, beside}, {root, -(1 + ldexp(1, 1 - k))}, {root, 1}, 0};
}

static bool square_is_kept(const struct shot *shot, int k) {
    return fabs(shot->result - ldexp(1, -2 * k)) < ldexp(1, -2 * k - 2);
}

static const int roots[KEPT_CLASSES] = {0, 5, 8, 12, 27, 0};

/* A term of an addition, and one beside it. */
struct asked {
    size_t addition, term, other;
    int root;        /* of the square that shows the most bits that factors have */
    bool is_rounded; /* and not known to what */
};

/* The format of an addition that was not measured, such as the last one: fp64 where another one keeps that. */
static enum kept_class kept_by(const struct aim *aim, size_t v) {
    bool is_wide = false;
    for (size_t i = 0; i < aim->tree->count && aim->found[v].kept == KEPT_UNKNOWN; i++)
        is_wide |= aim->found[i].kept == KEPT_FP64;
    return is_wide ? KEPT_FP64 : aim->found[v].kept;
}

/* Of all additions; returns how many. */
static size_t list_asked(const struct aim *aim, struct asked *asked) {
    const struct order_tree *tree = aim->tree;
    const int most = aim->subject->request.format->precision - 1;
    size_t count = 0;
    for (size_t v = 0; v < tree->count; v++) {
        const int32_t *children = tree->children + tree->additions[v].first;
        const enum kept_class kept = kept_by(aim, v);
        const int root = kept == KEPT_UNKNOWN ? 12 : roots[kept];
        for (uint32_t i = 0; tree->additions[v].children > 1 && i < tree->additions[v].children;
             i++)
            if (order_is_term(children[i]))
                asked[count++] =
                    (struct asked){v, (size_t)children[i], term_in(aim, children[i ? 0 : 1]),
                                   root > most || !root ? most : root, true};
    }
    return count;
}

static bool asks(const struct asked *asked, int root) {
    return asked->is_rounded && (!root || root < asked->root);
}

/* Squares of one root, or of each term's own, for those that are rounded: all in as few calls as there are lines for. Those
 * that are kept are not. */
static bool ask_squares(struct aim *aim, struct asked *asked, size_t count, int root,
                        struct shot *shots, struct error *error) {
    size_t shot = 0;
    for (size_t i = 0; i < count; i++)
        if (asks(&asked[i], root))
            shots[shot++] = square_at(asked[i].term, asked[i].other, root ? root : asked[i].root);
    if (!shoot(aim, shots, shot, error))
        return false;
    shot = 0;
    for (size_t i = 0; i < count; i++)
        if (asks(&asked[i], root))
            asked[i].is_rounded = !square_is_kept(&shots[shot++], root ? root : asked[i].root);
    return true;
}

/* The narrowest class to which each is rounded. */
static bool find_classes(struct aim *aim, struct asked *asked, size_t count, struct shot *shots,
                         struct error *error) {
    for (size_t i = 0; i < count; i++) {
        const enum kept_class kept = kept_by(aim, asked[i].addition);
        if (asked[i].is_rounded)
            aim->rounded[asked[i].term] = (uint8_t)(kept == KEPT_UNKNOWN ? KEPT_FP32 : kept);
    }
    for (enum kept_class narrow = KEPT_FP32; narrow > KEPT_UNKNOWN; narrow--) {
        if (!ask_squares(aim, asked, count, roots[narrow], shots, error))
            return false;
        for (size_t i = 0; i < count; i++)
            if (asked[i].is_rounded && roots[narrow] <= asked[i].root)
                aim->rounded[asked[i].term] = (uint8_t)narrow;
    }
    return true;
}

bool products_leave_fp32(const struct format *format) {
    const struct format *wide = &formats[FORMAT_FP32];
    return 2 * format->precision <= wide->precision &&
           2 * (format->emin - format->precision + 1) < wide->emin - wide->precision + 1;
}

/* Such a product shows in fp32's range alone: 2^128 beside -1.5 * 2^127 is 2^126 where it is fused, and infinite where it
 * is rounded before. Of two terms that meet alone the first one of a lane is rounded by itself, so that both must be. */
static bool find_overflows(struct aim *aim, struct asked *asked, size_t count, struct shot *shots,
                           struct error *error) {
    size_t pairs =
        0; /* of those that are asked, the ones whose additions have two children come first */
    for (size_t i = 0; i < count; i++)
        if (aim->tree->additions[asked[i].addition].children == 2) {
            asked[pairs] = asked[i];
            shots[pairs++] = (struct shot){2,
                                           {asked[i].term, asked[i].other},
                                           {ldexp(1, 64), ldexp(-1.5, 63)},
                                           {ldexp(1, 64), ldexp(1, 64)},
                                           0};
        }
    if (!shoot(aim, shots, pairs, error))
        return false;
    for (size_t i = 0, end; i < pairs; i = end) {
        bool all = true;
        for (end = i; end < pairs && asked[end].addition == asked[i].addition; end++)
            all &= !aim->rounded[asked[end].term] && !isfinite(shots[end].result);
        for (size_t k = i; k < end && all; k++)
            aim->rounded[asked[k].term] = KEPT_FP32;
    }
    return true;
}

/* ---- Where totals are spilled ---- */

/* A product just above half of the last of `bits` bits of 1, which is 1 plus 2^-36 or 2^-34 in units of that half: where it
 * is rounded to fp32, it is the half alone, or as much of it as the sum rounds away. */
static struct shot half_at(const struct aim *aim, const struct asked *asked, int bits) {
    const bool is_total = bits == formats[FORMAT_FP32].precision,
               is_last = aim->above[asked->addition] < 0;
    const int further = is_total ? 12 : formats[FORMAT_FP32].precision + 1 - bits;
    const double first = 1 + ldexp(1, -further),
                 second = is_total ? 1 - ldexp(1, -12) + ldexp(1, -24) : first;
    struct shot shot = {2, {asked->term, asked->other}, {ldexp(first, -bits), 1}, {second, 1}, 0};
    if (is_total && !is_last) {
        shot.term[2] = term_beside(aim, asked->addition);
        shot.value[2] = -1;
        shot.factor[2] = 1;
        shot.count = 3;
    }
    return shot;
}

static bool is_above_half(const struct shot *shot, int bits) {
    const bool is_total = bits == formats[FORMAT_FP32].precision;
    return shot->result + (shot->count > 2) > (is_total ? 1 : 1 + ldexp(1, -bits));
}

static bool is_nearest(const struct aim *aim, enum kept_class kept) {
    return !aim->rounds[kept] || aim->rounding[kept] == ORDER_NEAREST_EVEN;
}

/* Asks additions that keep `kept`, and the last one, which is not measured and may keep it. */
static bool ask_halves(struct aim *aim, const struct asked *asked, size_t count,
                       enum kept_class kept, struct shot *shots, bool *fused, struct error *error) {
    const int bits = kept_format(kept)->precision;
    size_t shot = 0;
    for (int turn = 0; turn < 2; turn++) {
        shot = 0;
        for (size_t i = 0; i < count; i++) {
            const size_t v = asked[i].addition;
            const enum kept_class own = aim->found[v].kept;
            if (aim->tree->additions[v].children != 2 ||
                (own != kept && (own != KEPT_UNKNOWN || aim->above[v] >= 0)))
                continue;
            if (turn)
                fused[i] |= is_above_half(&shots[shot++], bits);
            else
                shots[shot++] = half_at(aim, &asked[i], bits);
        }
        if (!turn && !shoot(aim, shots, shot, error))
            return false;
    }
    return true;
}

/* Whether an addition, or one that it adds, keeps less than the usual ones: a square is lost there. */
static bool *find_spilled(const struct aim *aim, enum kept_class usual) {
    const struct order_tree *tree = aim->tree;
    bool *spilled = calloc(tree->count + 1, sizeof *spilled);
    for (size_t v = 0; spilled && v < tree->count; v++) {
        const enum kept_class kept = aim->found[v].kept;
        spilled[v] = kept != KEPT_UNKNOWN && kept < usual;
        for (uint32_t k = 0; k < tree->additions[v].children; k++) {
            const int32_t child = tree->children[tree->additions[v].first + k];
            spilled[v] |= order_is_addition(child) && spilled[~child];
        }
    }
    return spilled;
}

/* What no probe decides of products there is taken to be as it is in all other additions; replay refutes it where it is
 * not. */
static bool join_spilled(struct aim *aim, const struct asked *asked, size_t count,
                         enum kept_class usual, struct error *error) {
    int of_others = -1;
    bool *spilled = find_spilled(aim, usual), alike = true;
    for (size_t i = 0; spilled && i < count; i++) {
        const struct order_addition *addition = &aim->tree->additions[asked[i].addition];
        const int32_t *children = aim->tree->children + addition->first;
        const uint8_t rounded = aim->rounded[asked[i].term];
        bool begins = true; /* one of these is rounded alone */
        for (uint32_t k = 0; k < addition->children; k++)
            begins &= order_is_term(children[k]);
        if (spilled[asked[i].addition] || begins)
            continue;
        alike &= of_others < 0 || rounded == of_others;
        of_others = rounded;
    }
    for (size_t i = 0; spilled && alike && i < count && of_others >= 0; i++)
        if (spilled[asked[i].addition])
            aim->rounded[asked[i].term] = (uint8_t)of_others;
    const bool good = spilled || error_set(error, "out of memory");
    free(spilled);
    return good;
}

/* Totals in fp32 that are rounded to less now and then keep no bits of a square from before, and none of a sum that is
 * rounded itself: each product is looked at beside 1. */
static bool find_between_spills(struct aim *aim, const struct asked *asked, size_t count,
                                struct shot *shots, struct error *error) {
    enum kept_class usual = KEPT_UNKNOWN;
    for (size_t v = 0; v < aim->tree->count; v++)
        usual = aim->found[v].kept > usual ? aim->found[v].kept : usual;
    if (!aim->spills)
        return true;
    if (!aim->spills_twice || usual != KEPT_FP32 ||
        aim->subject->request.format != &formats[FORMAT_FP32] || !is_nearest(aim, KEPT_BF16) ||
        !is_nearest(aim, KEPT_FP16) || !is_nearest(aim, KEPT_FP32))
        return join_spilled(aim, asked, count, usual, error);
    bool *fused = calloc(count + 1, sizeof *fused);
    bool good = fused || error_set(error, "out of memory");
    for (enum kept_class kept = KEPT_BF16; good && kept <= KEPT_FP32; kept++)
        good = ask_halves(aim, asked, count, kept, shots, fused, error);
    for (size_t i = 0; good && i < count; i++) {
        uint8_t *rounded = &aim->rounded[asked[i].term];
        if (aim->tree->additions[asked[i].addition].children == 2)
            *rounded = (uint8_t)(fused[i] ? KEPT_UNKNOWN : *rounded ? *rounded : KEPT_FP32);
    }
    free(fused);
    return good;
}

/* ---- All of it ---- */

/* The class of all products, if they have one. */
static void join_products(struct aim *aim) {
    const struct order_tree *tree = aim->tree;
    bool is_chained = false; /* a product that is added to a sum is rounded */
    aim->product = KEPT_CLASSES;
    for (size_t v = 0; v < tree->count; v++) {
        const int32_t *children = tree->children + tree->additions[v].first;
        for (uint32_t i = 0; tree->additions[v].children > 1 && i < tree->additions[v].children;
             i++) {
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
}

bool aim_products(struct aim *aim, struct error *error) {
    struct asked *asked = calloc(aim->tree->child_count + 1, sizeof *asked);
    struct shot *shots = calloc(aim->tree->child_count + 1, sizeof *shots);
    bool good = (asked && shots) || error_set(error, "out of memory");
    const size_t count = good ? list_asked(aim, asked) : 0;
    good = good && ask_squares(aim, asked, count, 0, shots, error) &&
           find_classes(aim, asked, count, shots, error) &&
           (!products_leave_fp32(aim->subject->request.format) ||
            find_overflows(aim, asked, count, shots, error)) &&
           find_between_spills(aim, asked, count, shots, error);
    join_products(aim);
    free(asked);
    free(shots);
    return good;
}
