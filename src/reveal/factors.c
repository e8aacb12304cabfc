/* A number alone shows whether it is rounded; a small product beside 1 and -1, which bits of its factors count. */
#include "reveal/factors.h"

#include "reveal/shot.h"

#include <math.h>

/* ---- Rounded ---- */

/* Whether the last of `bits` bits of a number behind 1 is there when it is the only term. */
static bool is_there(struct aim *aim, int bits, bool *there, struct error *error) {
    const double number = 1 + ldexp(1, 1 - bits);
    struct shot shot = {1, {aim->one[0]}, {number}, {1}, 0};
    const bool good = shoot(aim, &shot, 1, error);
    *there = fabs(shot.result - number) < ldexp(1, -bits - 1);
    return good;
}

/* The square of the least number behind 1 has more bits than that: a product that is rounded itself loses these. */
static bool is_of_products(struct aim *aim, int bits, bool *is, struct error *error) {
    const double root = 1 + ldexp(1, 1 - bits);
    struct shot shot = {1, {aim->one[0]}, {root}, {root}, 0};
    const bool good = shoot(aim, &shot, 1, error);
    *is = fabs(shot.result - root * root) > ldexp(1, -2 * bits);
    return good;
}

/* A half and a half more of the last bit that is kept. */
static bool find_direction(struct aim *aim, int bits, struct error *error) {
    const double half = ldexp(1, -bits);
    struct shot shots[2] = {{1, {aim->one[0]}, {1 + half}, {1}, 0},
                            {1, {aim->one[0]}, {1 + 3 * half}, {1}, 0}};
    if (!shoot(aim, shots, 2, error))
        return false;
    aim->operand_rounding = shots[0].result > 1                ? ORDER_NEAREST_AWAY
                            : shots[1].result > 1 + 2.5 * half ? ORDER_NEAREST_EVEN
                                                               : ORDER_TOWARD_ZERO;
    return true;
}

static bool find_operands(struct aim *aim, struct error *error) {
    const struct subject *subject = aim->subject;
    int low = 1, high = subject->request.format->precision;
    bool there, of_products = false;
    if (aim->scale != 1 || subject->call.results[0].format->precision < high || high < 3)
        return true;
    if (!is_there(aim, high, &there, error))
        return false;
    if (there)
        return true;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (!is_there(aim, middle, &there, error))
            return false;
        *(there ? &low : &high) = middle;
    }
    if (subject->products && !is_of_products(aim, low, &of_products, error))
        return false;
    if (of_products)
        return true;
    aim->operand_bits = low;
    return find_direction(aim, low, error);
}

bool factors_keep_products(const struct aim *aim) {
    return aim->slices.found ||
           (aim->operand_bits && 2 * aim->operand_bits <= formats[FORMAT_FP32].precision);
}

static const int operand_formats[] = {FORMAT_TF32, FORMAT_BF16, FORMAT_FP16, FORMAT_FP32};
enum { OPERAND_FORMATS = sizeof operand_formats / sizeof *operand_formats };

static bool has_bits(const struct aim *aim, int number) {
    return aim->operand_bits == formats[number].precision &&
           &formats[number] != aim->subject->request.format;
}

unsigned operands_rows(const struct aim *aim) {
    unsigned rows = 0;
    for (int i = 0; i < OPERAND_FORMATS; i++)
        rows += has_bits(aim, operand_formats[i]);
    return rows;
}

void operands_of(const struct aim *aim, unsigned row, struct order_node *node) {
    for (int i = 0; row && i < OPERAND_FORMATS; i++)
        if (has_bits(aim, operand_formats[i]) && !--row) {
            node->operands = &formats[operand_formats[i]];
            node->operand_rounding = aim->operand_rounding;
        }
}

/* ---- Slices ---- */

/* What is left of a product beside 1 and -1. */
static bool left_of(struct aim *aim, double x, double y, double *left, struct error *error) {
    const int32_t *children = aim->tree->children;
    struct shot shot = {3,
                        {(size_t)children[0], (size_t)children[1], (size_t)children[2]},
                        {1, x, -1},
                        {1, y, 1},
                        0};
    const bool good = shoot(aim, &shot, 1, error);
    *left = shot.result;
    return good;
}

/* The most bits behind 1 of one factor that are kept, where the other one is 2^-other. */
static bool find_kept(struct aim *aim, int other, int most, int *kept, struct error *error) {
    int low = -1, high = most + 1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        double left;
        if (!left_of(aim, ldexp(1, -other), ldexp(1, -middle), &left, error))
            return false;
        *(left == ldexp(1, -other - middle) ? &low : &high) = middle;
    }
    *kept = low;
    return true;
}

static bool find_alignment(struct aim *aim, double unit, struct error *error) {
    double tie, more, below;
    if (!left_of(aim, unit / 2, 1, &tie, error) || !left_of(aim, 0.75 * unit, 1, &more, error) ||
        !left_of(aim, -0.75 * unit, 1, &below, error))
        return false;
    aim->slices.alignment = more != 0 && below != 0
                                ? (tie != 0 ? ORDER_NEAREST_AWAY : ORDER_NEAREST_EVEN)
                            : more != 0  ? ORDER_UP
                            : below != 0 ? ORDER_DOWN
                                         : ORDER_TOWARD_ZERO;
    return true;
}

/* The last bit that is kept of a factor lies in its last slice: beside it the first slice of the other one counts alone. */
static bool find_slices(struct aim *aim, struct error *error) {
    enum { MOST = 60 };
    const struct format *format = aim->subject->request.format;
    const struct order_tree *tree = aim->tree;
    int other, width, same;
    if (!aim->subject->products || tree->count != 1 || tree->additions[0].children < 3 ||
        format->emin > -2 * MOST || aim->subject->call.results[0].format->emin > -2 * MOST)
        return true;
    for (int k = 0; k < 3; k++)
        if (!order_is_term(tree->children[k]))
            return true;
    if (!find_kept(aim, 0, MOST, &other, error))
        return false;
    if (other < 1 || other >= MOST)
        return true;
    if (!find_kept(aim, other, MOST, &width, error) || !find_kept(aim, width, MOST, &same, error))
        return false;
    const unsigned kept = (unsigned)other + 1, bits = (unsigned)width + 1;
    if (width < 1 || same != other ||
        (width < other && (kept % bits || kept / bits > ORDER_MOST_BINS)))
        return true;
    aim->slices =
        (struct aimed_slices){.found = true, .kept = kept, .width = width < other ? bits : 0};
    aim->bins.found = aim->has_many = false;
    return find_alignment(aim, ldexp(1, -other), error);
}

/* Where the width is not known: 1 to 4 slices of the same. */
enum { MOST_SLICES = 4 };

unsigned slices_cuts(const struct aimed_slices *slices) {
    return ORDER_TOTALS * (slices->width ? 1 : MOST_SLICES);
}

bool slices_cut_of(const struct aimed_slices *slices, unsigned row, struct slices_cut *cut) {
    cut->totals = (enum order_totals)(row % ORDER_TOTALS);
    cut->bins = slices->width ? slices->kept / slices->width : 1 + row / ORDER_TOTALS;
    cut->width = slices->width ? slices->width : slices->kept / cut->bins;
    return row < slices_cuts(slices) && cut->bins * cut->width == slices->kept;
}

void aimed_slices_of(const struct aimed_slices *slices, unsigned row, struct order_node *node) {
    struct slices_cut cut;
    if (!slices_cut_of(slices, row, &cut))
        return;
    node->bins = cut.bins;
    node->bin_width = cut.width;
    node->alignment = slices->alignment;
    node->all_products = !slices->width;
    node->totals = cut.totals;
}

bool aim_factors(struct aim *aim, struct error *error) {
    return !aim->tree->count || (find_operands(aim, error) && find_slices(aim, error));
}
