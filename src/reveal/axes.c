/* The axes, and which of their rows matter. */
#include "reveal/axes.h"
#include "reveal/bins.h"
#include "reveal/factors.h"
#include "reveal/shot.h"
#include "reveal/through_replay.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct kind_row plain_kind = {"rounded", ORDER_SUM, false, false, {0}};
static const struct kind_row chain_kinds[] = {
    {"rounded", ORDER_SUM, false, false, {0}},
    {"Kahan's sum", ORDER_KAHAN, true, false, {0}},
};
#define BY_MAGNITUDE(SEQUENCE, DESCENDING, TIED, TIES)                                             \
    {                                                                                              \
        "sorted by magnitude, " SEQUENCE " first, ties " TIED ", then from the left", ORDER_SUM,   \
            true, false, {                                                                         \
            true, DESCENDING, false, TIES                                                          \
        }                                                                                          \
    }
/* Sorted with the largest first, M and -M meet before anything is lost. */
#define LARGEST_FIRST                                                                              \
    BY_MAGNITUDE("the largest", true, "by sign, the positive first", TIES_POSITIVE_FIRST),         \
        BY_MAGNITUDE("the largest", true, "in their places", TIES_IN_PLACE),                       \
        BY_MAGNITUDE("the largest", true, "by sign, the negative first", TIES_NEGATIVE_FIRST)
static const struct kind_row keeping_kinds[] = {
    {"exact", ORDER_EXACT, false, false, {0}},
    {"fixed point", ORDER_FIXED_POINT, false, false, {0}},
    {"Neumaier's sum from the left", ORDER_NEUMAIER, true, false, {0}},
    {"Neumaier's sum from the right", ORDER_NEUMAIER, true, true, {0}},
    {"two numbers from the left", ORDER_DOUBLE_DOUBLE, true, false, {0}},
    {"two numbers from the right", ORDER_DOUBLE_DOUBLE, true, true, {0}},
    {"exact in each addition of several terms", ORDER_SUM, false, false, {0}},
    {"Kahan's sum from the left", ORDER_KAHAN, true, false, {0}},
    {"Kahan's sum from the right", ORDER_KAHAN, true, true, {0}},
    LARGEST_FIRST,
    {"bins", ORDER_BINS, false, false, {0}}, /* the last one, where bins were found */
};
static const struct kind_row slices_kinds[] = {
    {"slices of both factors", ORDER_SLICES, false, false, {0}},
    {"exact", ORDER_EXACT, false, false, {0}},
};
static const struct kind_row sorted_kinds[] = {
    {"rounded", ORDER_SUM, false, false, {0}},
    {"exact", ORDER_EXACT, false, false, {0}},
    BY_MAGNITUDE("the least", false, "by sign, the negative first", TIES_NEGATIVE_FIRST),
    BY_MAGNITUDE("the least", false, "in their places", TIES_IN_PLACE),
    BY_MAGNITUDE("the least", false, "by sign, the positive first", TIES_POSITIVE_FIRST),
    LARGEST_FIRST,
    {"sorted by value, the least first, then from the left",
     ORDER_SUM,
     true,
     false,
     {.sorts = true, .by_value = true}},
    {"sorted by value, the largest first, then from the left",
     ORDER_SUM,
     true,
     false,
     {.sorts = true, .descending = true, .by_value = true}},
    {"bins", ORDER_BINS, false, false, {0}}, /* the last one, where bins were found */
};
#undef BY_MAGNITUDE
#undef LARGEST_FIRST

#define COUNT(ARRAY) ((unsigned)(sizeof(ARRAY) / sizeof *(ARRAY)))

/* Each addition has a term among its two children. */
static bool is_chain(const struct order_tree *tree) {
    for (size_t v = 0; v < tree->count; v++) {
        unsigned additions = 0;
        for (uint32_t k = 0; k < tree->additions[v].children; k++)
            additions += order_is_addition(tree->children[tree->additions[v].first + k]);
        if (additions > 1 || tree->additions[v].children > 2)
            return false;
    }
    return true;
}

const struct kind_row *axis_kinds(const struct finding *finding, unsigned *count) {
    const struct grown *grown = &finding->grown;
    const struct kind_row *rows = &plain_kind;
    *count = 1;
    if (finding->aim.slices.found) {
        rows = slices_kinds;
        *count = COUNT(slices_kinds);
    } else if (grown->keeps) {
        rows = keeping_kinds;
        *count = COUNT(keeping_kinds) - !finding->aim.bins.found;
    } else if (finding->is_symmetric && finding->aim.has_many && grown->tree.count == 1) {
        rows = sorted_kinds;
        *count = COUNT(sorted_kinds) - !finding->aim.bins.found;
    } else if (is_chain(&grown->tree) && grown->tree.count > 1) {
        rows = chain_kinds;
        *count = COUNT(chain_kinds);
    }
    return rows;
}

static const char *const last_names[] = {"that of the additions before it", "fp32", "fp64", "fp16",
                                         "bf16"};
static const char *const scale_names[] = {
    "the sum is divided by n",
    "the sum is multiplied by the rounded 1/n",
    "each term is divided by n",
    "each term is multiplied by the rounded 1/n",
    "the sum is divided by n, and a subnormal mean flushed",
    "the sum is multiplied by the rounded 1/n, and a subnormal mean flushed"};
static const char *const direction_names[] = {"toward-zero", "nearest-even"};
static const char *const c_names[] = {"with the terms", "after their sum"};
static const char *const pair_names[] = {"like those of several", "plain"};
static const char *const spill_names[] = {"rounded to the usual format before", "rounded once"};
static const char *const operand_names[] = {"kept", "flushed",
                                            "flushed, and so are products and results of all",
                                            "flushed by some additions alone"};
static const char *const start_names[] = {
    "its first two terms", "0", "0, onto which the second term comes first",
    "its first product, rounded alone", "its second product, rounded alone"};
static const char *const zero_names[] = {"no total", "the first total that meets another",
                                         "the next total that meets another", "the one after that",
                                         "the one after these"};
static const char *const product_names[] = {"fused", "rounded to fp32", "rounded to fp64",
                                            "rounded to fp16", "rounded to bf16"};
static const char *const exponential_names[] = {"rounded to nearest",
                                                "those of the platform's libm"};
static const char *const share_names[] = {"are divided by the sum",
                                          "are multiplied by the rounded 1/sum"};
static const char *const sums_names[] = {"these", "0"};
static const char *const twice_names[TWICE_ROWS] = {"onto the first part",
                                                    "onto the second part",
                                                    "to itself, then onto the first part",
                                                    "to itself, then onto the second part",
                                                    "onto each part",
                                                    "by the addition of the parts"};

/* Of what no probe has seen: as the widest of the additions that it adds, or what most operations do. */
struct aimed finding_known_below(const struct finding *finding, size_t v) {
    const struct order_tree *tree = &finding->grown.tree;
    for (;;) {
        if (finding->aim.found[v].kept != KEPT_UNKNOWN)
            return finding->aim.found[v];
        size_t below = v;
        for (uint32_t k = 0; k < tree->additions[v].children; k++) {
            int32_t child = tree->children[tree->additions[v].first + k];
            if (order_is_addition(child) &&
                (below == v || finding->aim.found[~child].kept > finding->aim.found[below].kept))
                below = (size_t)~child;
        }
        if (below == v)
            break;
        v = below;
    }
    for (size_t i = 0; i < tree->count; i++)
        if (finding->aim.found[i].kept != KEPT_UNKNOWN)
            return finding->aim.found[i];
    int precision = finding->subject->request.format->precision;
    return (struct aimed){precision > 24 ? KEPT_FP64 : KEPT_FP32, false};
}

/* Whether all additions that were measured keep the same. */
bool finding_is_uniform(const struct finding *finding) {
    enum kept_class first = KEPT_UNKNOWN;
    for (size_t v = 0; v < finding->grown.tree.count; v++) {
        enum kept_class kept = finding->aim.found[v].kept;
        if (kept && first && kept != first)
            return false;
        first = kept ? kept : first;
    }
    return true;
}

bool has_narrower(const struct finding *finding) {
    enum kept_class least = KEPT_CLASSES, most = KEPT_UNKNOWN;
    for (size_t v = 0; v + 1 < finding->grown.tree.count; v++) {
        enum kept_class kept = finding->aim.found[v].kept;
        least = kept && kept < least ? kept : least;
        most = kept > most ? kept : most;
    }
    const struct format *format = least < most ? kept_format(least) : NULL;
    return format && format->precision < finding->subject->request.format->precision;
}

static bool any_flushes(const struct finding *finding) {
    for (size_t v = 0; v < finding->grown.tree.count; v++)
        if (finding->aim.found[v].flushes)
            return true;
    return false;
}

static const struct {
    const char *name;
    const char *const *names;
    unsigned count;
} axes[AXES] = {
    [AXIS_KIND] = {"how terms meet", NULL, 0},
    [AXIS_BINS] = {"bins", NULL, 0},
    [AXIS_SCALE] = {"where the mean is divided", scale_names, COUNT(scale_names)},
    [AXIS_LAST] = {"the format of the last addition", last_names, COUNT(last_names)},
    [AXIS_DIRECTION] = {"rounding of additions of several terms", direction_names,
                        COUNT(direction_names)},
    [AXIS_C] = {"where an earlier sum joins several terms", c_names, COUNT(c_names)},
    [AXIS_PAIR] = {"additions of two terms beside those of several", pair_names, COUNT(pair_names)},
    [AXIS_SPILL] = {"what is spilled to a narrower format", spill_names, COUNT(spill_names)},
    [AXIS_OPERANDS] = {"subnormal operands", operand_names, COUNT(operand_names)},
    [AXIS_START] = {"a sum from the left begins with", start_names, COUNT(start_names)},
    [AXIS_ZERO] = {"0 is added to", zero_names, COUNT(zero_names)},
    [AXIS_PRODUCTS] = {"products", product_names, COUNT(product_names)},
    [AXIS_EXPONENTIAL] = {"exponentials", exponential_names, COUNT(exponential_names)},
    [AXIS_SHARES] = {"terms", share_names, COUNT(share_names)},
    [AXIS_SUMS] = {"a sum of two sums begins with", sums_names, COUNT(sums_names)},
    [AXIS_ROUNDED] = {"what operands are rounded to first", NULL, 0},
    [AXIS_TWICE] = {"the term that counts twice is added", twice_names, COUNT(twice_names)},
};

/* The last child along which an addition is reached may be alone, or beside terms; then nothing is added to it. */
int32_t axis_zero(const struct finding *finding, unsigned row) {
    const struct order_tree *tree = &finding->grown.tree;
    int32_t met[COUNT(zero_names)], v = (int32_t)tree->count - 1;
    unsigned count = 0;
    if (!finding->subject->extremes || finding->grown.keeps || !tree->count)
        return -1;
    met[count++] = v;
    for (;;) {
        const struct order_addition *addition = &tree->additions[v];
        const int32_t *children = tree->children + addition->first;
        if (!order_is_addition(children[0]))
            break;
        v = ~children[0];
        for (uint32_t k = 1; k < addition->children; k++)
            if (order_is_addition(children[k])) {
                memmove(met + 1, met, (COUNT(zero_names) - 1) * sizeof *met);
                met[0] = v;
                count += count < COUNT(zero_names);
                break;
            }
    }
    return row && row <= count ? met[row - 1] : -1;
}

static bool has_squares(const struct subject *subject) {
    return subject->through && through_has_squares(subject->through);
}

const struct format *axis_least_product(void) {
    return &formats[FORMAT_FP32];
}

bool has_least_products(const struct finding *finding) {
    return finding->subject->products && finding->aim.product == KEPT_UNKNOWN &&
           products_leave_fp32(finding->subject->request.format);
}

/* Whether a term that is added to 0 is rounded. */
static bool rounds_terms(const struct finding *finding) {
    const struct format *terms = subject_term_format(finding->subject);
    for (size_t v = 0; v < finding->grown.tree.count; v++) {
        const struct format *format = kept_format(finding->aim.found[v].kept);
        if (format && format->precision < terms->precision)
            return true;
    }
    return false;
}

unsigned axis_rows(const struct finding *finding, enum axis axis) {
    unsigned count = axes[axis].count;
    bool matters = true;
    const struct through *through = finding->subject->through;
    switch (axis) {
    case AXIS_KIND:
        axis_kinds(finding, &count);
        break;
    case AXIS_BINS:
        count = finding->aim.slices.found ? slices_cuts(&finding->aim.slices)
                                          : bin_cuts(&finding->aim.bins);
        matters = count > 0;
        break;
    case AXIS_SCALE:
        matters = subject_is_mean(finding->subject);
        break;
    case AXIS_DIRECTION:
    case AXIS_C:
    case AXIS_PAIR:
        matters = finding->aim.has_many && !finding->grown.keeps;
        break;
    case AXIS_SPILL:
        matters = !finding->aim.spills;
        break;
    case AXIS_START: /* what rounds the first product shows in the least ones */
        count -= !array_addend(&finding->subject->call); /* c may come before the second one */
        count = finding->subject->extremes && !finding->aim.has_many ? count : 2;
        count += has_squares(finding->subject); /* which of the first two is rounded alone */
        matters = !through || has_squares(finding->subject) || rounds_terms(finding);
        break;
    case AXIS_OPERANDS: /* no subnormal terms are planted */
        matters = !through;
        count -= !finding->aim.flushes_terms;
        break;
    case AXIS_PRODUCTS:
        count = has_squares(finding->subject) ? count : 2;
        matters = has_squares(finding->subject) || has_least_products(finding);
        break;
    case AXIS_EXPONENTIAL:
        matters =
            through && through_has_exponentials(through) && !through_is_measured(finding->subject);
        break;
    case AXIS_SHARES:
        matters = through && through->shares;
        break;
    case AXIS_ZERO:
        while (count > 1 && axis_zero(finding, count - 1) < 0)
            count--;
        break;
    case AXIS_SUMS: /* a sum from 0 is -0 where it was flushed alone */
        matters = any_flushes(finding);
        break;
    case AXIS_ROUNDED:
        count = 1 + operands_rows(&finding->aim);
        break;
    case AXIS_TWICE:
        matters = finding->twice.count > 0;
        count -= !finding->aim.has_many;
        break;
    default:
        break;
    }
    return matters ? count : 1;
}

bool axis_is_parameter(const struct finding *finding, enum axis axis) {
    return axis == AXIS_DIRECTION || axis == AXIS_C || axis == AXIS_OPERANDS ||
           (axis == AXIS_PRODUCTS && has_least_products(finding));
}

const char *axis_name(enum axis axis) {
    return axes[axis].name;
}

const char *axis_row_name(const struct finding *finding, enum axis axis, unsigned row) {
    static _Thread_local char text[64];
    struct bin_cut cut;
    unsigned count;
    if (axis == AXIS_BINS && bin_cut_of(&finding->aim.bins, row, &cut)) {
        snprintf(text, sizeof text, "%u of %u bits, totals %s %s", cut.bins, cut.width,
                 cut.totals == ORDER_TOTALS_ONCE ? "rounded" : "added",
                 order_totals_names[cut.totals]);
        return text;
    }
    struct slices_cut slices;
    if (axis == AXIS_BINS && finding->aim.slices.found &&
        slices_cut_of(&finding->aim.slices, row, &slices)) {
        snprintf(text, sizeof text, "%u slices of %u bits, totals %s", slices.bins, slices.width,
                 order_totals_names[slices.totals]);
        return text;
    }
    if (axis == AXIS_ROUNDED) {
        struct order_node node = {.operands = NULL};
        operands_of(&finding->aim, row, &node);
        snprintf(text, sizeof text, "%s%s%s", node.operands ? node.operands->name : "nothing",
                 node.operands ? ", " : "",
                 node.operands ? order_rounding_names[node.operand_rounding] : "");
        return text;
    }
    return axis == AXIS_KIND ? axis_kinds(finding, &count)[row].name : axes[axis].names[row];
}
