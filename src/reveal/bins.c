/* Steps of what is kept, as the large number grows. */
#include "reveal/bins.h"

#include "reveal/shot.h"

#include <math.h>

enum { DEEPEST = 120, WIDEST = 64, DEEPER = 400, WIDER = 128 };

/* What comes of a small number beside 2^large and its negative. */
static bool left_beside(struct aim *aim, int large, double small, double *left,
                        struct error *error) {
    const int32_t *children = aim->tree->children;
    const double most = ldexp(1, large);
    struct shot shot = {3,
                        {(size_t)children[0], (size_t)children[1], (size_t)children[2]},
                        {most, -most, small},
                        {0},
                        0};
    const bool good = shoot(aim, &shot, 1, error);
    *left = shot.result;
    return good;
}

/* The least power of two of which nothing is lost beside 2^large; INT_MIN where there is none. */
static bool find_unit(struct aim *aim, int large, int deepest, int *unit, struct error *error) {
    int low = large - deepest, high = large;
    double left;
    if (!left_beside(aim, large, ldexp(1, low), &left, error))
        return false;
    *unit = INT_MIN;
    if (left == ldexp(1, low))
        return true;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (!left_beside(aim, large, ldexp(1, middle), &left, error))
            return false;
        *(left == ldexp(1, middle) ? &high : &low) = middle;
    }
    *unit = high < large ? high : INT_MIN;
    return true;
}

static bool find_rounding(struct aim *aim, int large, int unit, struct error *error) {
    const double half = ldexp(1, unit - 1);
    double tie, more, below, least;
    if (!left_beside(aim, large, half, &tie, error) ||
        !left_beside(aim, large, -half, &least, error) ||
        !left_beside(aim, large, 1.5 * half, &more, error) ||
        !left_beside(aim, large, -1.5 * half, &below, error))
        return false;
    aim->bins.alignment = more != 0 && below != 0
                              ? (tie != 0 ? ORDER_NEAREST_AWAY : ORDER_NEAREST_EVEN)
                          : more != 0  ? ORDER_UP
                          : below != 0 ? ORDER_DOWN
                                       : ORDER_TOWARD_ZERO;
    aim->bins.bare = tie == 0 && least == -half;
    return true;
}

/* As the large number grows by powers of two, the unit grows by as much, or by the width of a bin at once. */
bool aim_bins(struct aim *aim, struct error *error) {
    const struct format *format = aim->subject->request.format;
    const bool is_wide = format->width == 64;
    const int widest = is_wide ? WIDER : WIDEST, deepest = is_wide ? DEEPER : DEEPEST;
    const struct order_tree *tree = aim->tree;
    int jumps[2] = {0, 0}, count = 0, unit = 0, large = 0;
    if (tree->count != 1 || tree->additions[0].children < 3 || format->emax < WIDEST)
        return true;
    for (int k = 0; k < 3; k++)
        if (!order_is_term(tree->children[k]))
            return true;
    for (; large < widest && count < 2; large++) {
        const int before = unit;
        if (!find_unit(aim, large, deepest, &unit, error))
            return false;
        if (unit == INT_MIN || (large && unit < before))
            return true;
        if (large && unit > before)
            jumps[count++] = large;
        if (count == 2 && unit - before != jumps[1] - jumps[0])
            return true;
    }
    if (count < 2)
        return true;
    struct aimed_bins *bins = &aim->bins;
    bins->width = jumps[1] - jumps[0];
    bins->kept = jumps[1] + bins->width - unit;
    bins->base = jumps[1] % bins->width;
    bins->found = bins->kept > 0 && bins->kept % bins->width == 0;
    if (bins->width == 1)
        *bins = (struct aimed_bins){.found = true, .kept = jumps[1] + 1 - unit};
    else if (bins->kept / bins->width > ORDER_MOST_BINS)
        bins->found = false;
    return !bins->found || find_rounding(aim, jumps[1], unit, error);
}

/* Tries bins of an unknown width: a single one, or 2 to 4, of as many bits as are kept, or of up to 7 more each. */
enum { GUARDS = 8, COUNTS = 3, MANY_CUTS = GUARDS * COUNTS };

unsigned bin_cuts(const struct aimed_bins *bins) {
    return !bins->found ? 0 : bins->width ? ORDER_TOTALS : 1 + 2 * MANY_CUTS;
}

bool bin_cut_of(const struct aimed_bins *bins, unsigned row, struct bin_cut *cut) {
    const unsigned kept = (unsigned)bins->kept;
    if (row >= bin_cuts(bins))
        return false;
    if (bins->width) {
        *cut = (struct bin_cut){kept / (unsigned)bins->width, (unsigned)bins->width, bins->base,
                                (enum order_totals)row};
        return true;
    }
    *cut = (struct bin_cut){1, kept, 0, ORDER_TOTALS_ONCE};
    if (!row)
        return true;
    const unsigned at = (row - 1) % MANY_CUTS;
    cut->bins = 2 + at / GUARDS;
    cut->width = (kept + cut->bins - 1) / cut->bins + at % GUARDS;
    cut->base = (int)(cut->bins * cut->width - kept);
    cut->totals = row <= MANY_CUTS ? ORDER_TOTALS_FROM_LARGEST : ORDER_TOTALS_FROM_SMALLEST;
    return true;
}

void aimed_bins_of(const struct aimed_bins *bins, unsigned row, struct order_node *node) {
    struct bin_cut cut;
    if (!bin_cut_of(bins, row, &cut))
        return;
    node->bins = cut.bins;
    node->bin_width = cut.width;
    node->bin_base = cut.base;
    node->bin_ends = bins->width ? ORDER_BINS_ABSOLUTE : ORDER_BINS_FROM_LARGEST;
    node->alignment = bins->alignment;
    node->bin_bare = bins->bare;
    node->totals = cut.totals;
}
