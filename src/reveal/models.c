/* Making models. */
#include "reveal/models.h"

#include "reveal/axes.h"
#include "reveal/bins.h"
#include "reveal/extended.h"
#include "reveal/factors.h"
#include "reveal/through_replay.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Nodes ---- */

/* By the rows of their axes. */
static const enum kept_class last_rows[] = {KEPT_UNKNOWN, KEPT_FP32, KEPT_FP64, KEPT_FP16,
                                            KEPT_BF16};
static const enum order_scale scale_rows[] = {
    ORDER_SUM_DIVIDED,         ORDER_SUM_TIMES_RECIPROCAL,
    ORDER_TERMS_DIVIDED,       ORDER_TERMS_TIMES_RECIPROCAL,
    ORDER_SUM_DIVIDED_FLUSHED, ORDER_SUM_TIMES_RECIPROCAL_FLUSHED};

struct maker {
    const struct finding *finding;
    const struct choice *choice;
    const struct kind_row *kind;
    struct model *model;
    struct error *error;
    enum kept_class usual;  /* the widest class of measured additions */
    enum kept_class before; /* what is rounded to a narrower format is rounded to this one before */
    bool usual_flushes, has_too_many_nodes;
    size_t terms; /* the most terms of one addition, what comes in left out */
};

/* The index of that node among those of the order, which it joins where it is new, and where there is room. */
static unsigned node_index(struct maker *maker, const struct order_node *node) {
    struct order *order = &maker->model->order;
    for (unsigned i = 0; i < order->node_count; i++)
        if (order_node_same(&order->nodes[i], node))
            return i;
    if (order->node_count == ORDER_MOST_NODES) {
        maker->has_too_many_nodes = true;
        return 0;
    }
    order->nodes[order->node_count] = *node;
    return order->node_count++;
}

/* That of all products. */
static const struct format *product_format(const struct maker *maker) {
    static const enum kept_class rounded[] = {KEPT_UNKNOWN, KEPT_FP32, KEPT_FP64, KEPT_FP16,
                                              KEPT_BF16};
    const struct finding *finding = maker->finding;
    const unsigned row = maker->choice->at[AXIS_PRODUCTS];
    return kept_format(finding->subject->through || row ? rounded[row] : finding->aim.product);
}

/* Whether addition v of the tree was seen to flush its terms, and others not. */
static bool flushes_terms(const struct maker *maker, size_t v) {
    return maker->finding->aim.flushes_terms && maker->finding->aim.flushes_terms[v];
}

/* What subnormal operands come to be. */
static void flush_operands(const struct maker *maker, struct aimed found, bool terms_flushed,
                           struct order_node *node) {
    const enum operands_row row = (enum operands_row)maker->choice->at[AXIS_OPERANDS];
    node->flush_operands = row == OPERANDS_FLUSHED || row == OPERANDS_AND_ALL ||
                           (row == OPERANDS_SOME && terms_flushed);
    if (row == OPERANDS_AND_ALL)
        node->flush_c = node->flush_results = true;
    if (row == OPERANDS_AND_ALL || (node->flush_operands && row == OPERANDS_SOME && found.flushes))
        node->flush_products = node->product; /* those that are fused are no results */
}

static unsigned node_with(struct maker *maker, struct aimed found, bool terms_flushed, size_t terms,
                          const struct format *product) {
    const struct aim *aim = &maker->finding->aim;
    const struct format *format =
        found.kept == KEPT_EXTENDED ? &formats[FORMAT_FP64] : kept_format(found.kept);
    struct order_node node;
    memset(&node, 0, sizeof node); /* nodes are compared byte by byte */
    struct order_node plain = order_node_plain(format, ROUND_NEAREST_EVEN);
    memcpy(&node, &plain, sizeof node);
    node.kind = maker->kind->kind;
    if (aim->rounds[found.kept])
        node.rounding = aim->rounding[found.kept];
    if (aim->precision[found.kept] && aim->precision[found.kept] < format->precision)
        node.result_precision = (unsigned)aim->precision[found.kept];
    node.product = product;
    node.flush_results = found.flushes && (!node.product || node.product->emin <= format->emin);
    flush_operands(maker, found, terms_flushed, &node);
    if (node.kind == ORDER_BINS)
        aimed_bins_of(&maker->finding->aim.bins, maker->choice->at[AXIS_BINS], &node);
    if (node.kind == ORDER_SLICES)
        aimed_slices_of(&maker->finding->aim.slices, maker->choice->at[AXIS_BINS], &node);
    operands_of(&maker->finding->aim, maker->choice->at[AXIS_ROUNDED], &node);
    if (node.kind == ORDER_FIXED_POINT && aim->fixed_exponent != INT_MIN)
        node.fixed_exponent = aim->fixed_exponent;
    if (terms > 2 && node.kind == ORDER_SUM && !maker->kind->chained) {
        node.terms = (unsigned)terms;
        node.aligned_bits = aim->aligned_bits;
        node.alignment = aim->alignment;
        if (node.aligned_bits != ORDER_ALL_BITS)
            node.rounding =
                maker->choice->at[AXIS_DIRECTION] ? ORDER_NEAREST_EVEN : ORDER_TOWARD_ZERO;
        node.c = maker->choice->at[AXIS_C] ? ORDER_C_AFTER_SUM : ORDER_C_WITH_TERMS;
        node.joined_bits = node.c_bits = node.c == ORDER_C_AFTER_SUM ? aim->aligned_bits : 0;
    }
    return node_index(maker, &node);
}

static unsigned node_of(struct maker *maker, struct aimed found, size_t terms) {
    return node_with(maker, found, false, terms, product_format(maker));
}

/* ---- Trees ---- */

static struct aimed aimed_of(struct maker *maker, size_t v) {
    struct aimed aimed = finding_known_below(maker->finding, v);
    enum kept_class last = last_rows[maker->choice->at[AXIS_LAST]];
    const bool is_last = v + 1 == maker->finding->grown.tree.count,
               is_seen = !is_last && maker->usual != KEPT_UNKNOWN;
    if (!is_seen && last != KEPT_UNKNOWN)
        aimed.kept = last;
    if (is_last && maker->finding->aim.last == LAST_KEEPS)
        aimed.flushes = false;
    return aimed;
}

/* Where products are rounded in some additions alone: to what, in one that keeps more than that of all its products. One of
 * sums is like those that it adds. */
static const struct format *wider_product(const struct maker *maker, size_t v, struct aimed aimed,
                                          const int32_t *renamed) {
    const struct finding *finding = maker->finding;
    const struct order_tree *tree = &finding->grown.tree;
    const struct order_addition *addition = &tree->additions[v];
    const struct format *of_sums = NULL, *of_terms = NULL;
    if (product_format(maker) || !finding->subject->products || !renamed)
        return product_format(maker);
    for (uint32_t k = 0; k < addition->children; k++) {
        int32_t child = tree->children[addition->first + k];
        if (order_is_addition(child)) {
            const struct order_tree *made = &maker->model->tree;
            const struct order_node *node =
                &maker->model->order.nodes[made->additions[~renamed[~child]].node];
            of_sums =
                node->product && node->result == kept_format(aimed.kept) ? node->product : of_sums;
            continue;
        }
        enum kept_class rounded = (enum kept_class)finding->aim.rounded[child];
        if (!rounded || rounded > aimed.kept || (of_terms && of_terms != kept_format(rounded)))
            return NULL;
        of_terms = kept_format(rounded);
    }
    return of_terms ? of_terms : of_sums;
}

/* The child as it comes in: a product that is rounded alone, or with what counts twice added to it. */
static int32_t child_of(struct maker *maker, size_t v, uint32_t k, const int32_t *renamed,
                        unsigned node) {
    const struct finding *finding = maker->finding;
    struct order_tree *tree = &maker->model->tree;
    const struct order_addition *addition = &finding->grown.tree.additions[v];
    int32_t child = finding->grown.tree.children[addition->first + k];
    if (order_is_addition(child))
        child = renamed[~child];
    else if (finding->subject->products && finding->aim.rounded[child] &&
             !maker->model->order.nodes[node].product) {
        const struct aimed rounded = {(enum kept_class)finding->aim.rounded[child], false};
        const unsigned alone =
            node_with(maker, rounded, flushes_terms(maker, v), 2, product_format(maker));
        const int32_t pair[2] = {ORDER_ZERO, child};
        child = maker->choice->at[AXIS_START] ? order_tree_add(tree, pair, 2, alone)
                                              : order_tree_add(tree, &child, 1, alone);
    }
    return twice_onto(&finding->twice, maker->choice->at[AXIS_TWICE], v, k, child, node,
                      !k && maker->choice->at[AXIS_START] == 1, tree);
}

/* By which node an addition is made, before it is spilled. */
static unsigned node_at(struct maker *maker, size_t v, bool spills, const int32_t *renamed) {
    const size_t count = maker->finding->grown.tree.additions[v].children;
    const bool joins = maker->finding->aim.has_many && !maker->choice->at[AXIS_PAIR];
    const struct aimed usual = {maker->before, maker->usual_flushes},
                       own = spills ? usual : aimed_of(maker, v);
    return node_with(maker, own, flushes_terms(maker, v), count > 2 || joins ? maker->terms : count,
                     wider_product(maker, v, own, renamed));
}

/* The total of an addition, added to 0 by the addition that it is part of. */
static int32_t add_to_zero(struct maker *maker, size_t v, int32_t total) {
    const int32_t above = maker->finding->aim.above[v], pair[2] = {ORDER_ZERO, total};
    return order_tree_add(&maker->model->tree, pair, 2,
                          node_at(maker, above < 0 ? v : (size_t)above, false, NULL));
}

static int32_t copy_addition(struct maker *maker, size_t v, const int32_t *renamed,
                             int32_t *children) {
    const struct order_tree *from = &maker->finding->grown.tree;
    const struct order_addition *addition = &from->additions[v];
    struct order_tree *tree = &maker->model->tree;
    struct aimed aimed = aimed_of(maker, v);
    const bool is_chosen = v + 1 == from->count && maker->choice->at[AXIS_LAST];
    bool twice = maker->finding->aim.spills ? maker->finding->aim.spills_twice
                                            : !maker->choice->at[AXIS_SPILL] &&
                                                  (is_chosen || has_narrower(maker->finding));
    bool spills = twice && aimed.kept < maker->before;
    size_t count = addition->children;
    const bool joins = maker->finding->aim.has_many && !maker->choice->at[AXIS_PAIR];
    unsigned node = node_at(maker, v, spills, renamed);
    bool begins = true, sums = maker->choice->at[AXIS_SUMS] && count == 2;
    for (uint32_t k = 0; k < count; k++) {
        children[k] = child_of(maker, v, k, renamed, node);
        begins = begins && order_is_term(children[k]);
        sums = sums && order_is_addition(children[k]);
    }
    count +=
        twice_joined(&maker->finding->twice, maker->choice->at[AXIS_TWICE], v, children + count);
    if (sums) {
        const int32_t pair[2] = {ORDER_ZERO, children[0]};
        children[0] = order_tree_add(tree, pair, 2, node);
    }
    if (begins && maker->choice->at[AXIS_START] && count == 2 && !joins) {
        const int first = maker->choice->at[AXIS_START] % 2 == 0; /* the second term is */
        const int32_t pair[2] = {ORDER_ZERO, children[first]};
        children[1] = children[!first];
        children[0] = maker->choice->at[AXIS_START] > 2 ? order_tree_add(tree, pair + 1, 1, node)
                                                        : order_tree_add(tree, pair, 2, node);
    } else if (begins && maker->choice->at[AXIS_START]) {
        memmove(children + 1, children, count * sizeof *children);
        children[0] = ORDER_ZERO;
        count++;
    }
    int32_t child = order_tree_add(tree, children, count, node);
    return spills ? order_tree_add(tree, &child, 1, node_of(maker, aimed, 2)) : child;
}

static bool copy_tree(struct maker *maker) {
    const struct order_tree *from = &maker->finding->grown.tree;
    int32_t *renamed = calloc(from->count + 1, sizeof *renamed);
    int32_t *children = calloc(from->terms + 2 * maker->finding->twice.count + 2, sizeof *children);
    bool good = (renamed && children) || error_set(maker->error, "out of memory");
    const int32_t zero = axis_zero(maker->finding, maker->choice->at[AXIS_ZERO]);
    for (size_t v = 0; good && v < from->count; v++) {
        renamed[v] = copy_addition(maker, v, renamed, children);
        if ((int32_t)v == zero)
            renamed[v] = add_to_zero(maker, v, renamed[v]);
        if (v + 1 == from->count)
            twice_above(&maker->finding->twice, maker->choice->at[AXIS_TWICE], from->count,
                        renamed[v], node_at(maker, v, false, renamed),
                        maker->choice->at[AXIS_START] == 1, &maker->model->tree);
    }
    free(renamed);
    free(children);
    return good;
}

/* The terms of the tree in the sequence in which they are met. */
static size_t flatten(const struct order_tree *tree, int32_t *terms) {
    size_t count = 0;
    for (size_t i = 0; i < tree->child_count; i++)
        if (order_is_term(tree->children[i]))
            terms[count++] = tree->children[i];
    return count;
}

/* The terms one after the other: in one addition with a memory, or by as many plain ones. */
static bool chain_tree(struct maker *maker) {
    const struct order_tree *from = &maker->finding->grown.tree;
    struct order_tree *tree = &maker->model->tree;
    const struct aimed aimed = aimed_of(maker, from->count - 1);
    const bool starts = maker->choice->at[AXIS_START], plain = maker->kind->kind == ORDER_SUM;
    int32_t *terms = calloc(from->child_count + 1, sizeof *terms);
    if (!terms)
        return error_set(maker->error, "out of memory");
    size_t count = flatten(from, terms + starts);
    unsigned node = node_of(maker, aimed, 2);
    for (size_t i = 0, j = count; maker->kind->reversed && i + 1 < j; i++) {
        int32_t term = terms[starts + i];
        terms[starts + i] = terms[starts + --j];
        terms[starts + j] = term;
    }
    if (starts)
        terms[0] = ORDER_ZERO;
    count += starts;
    for (size_t i = 1; plain && i < count; i++) {
        const int32_t pair[2] = {i == 1 ? terms[0] : ~(int32_t)(tree->count - 1), terms[i]};
        order_tree_add(tree, pair, 2, node);
    }
    if (!plain || count == 1)
        order_tree_add(tree, terms, count, node);
    free(terms);
    return true;
}

/* Where the result is flushed and no total before it is, the last addition rounds it once more. Of a single addition that is
 * its own. */
static void flush_last(struct maker *maker) {
    struct order *order = &maker->model->order;
    struct order_tree *tree = &maker->model->tree;
    struct order_addition *last = &tree->additions[tree->count - 1];
    struct order_node node;
    memcpy(&node, &order->nodes[last->node], sizeof node);
    if (maker->finding->aim.last != LAST_FLUSHES || node.flush_results)
        return;
    const int32_t child = ~(int32_t)(tree->count - 1);
    if (tree->count > 1 || node.kind != ORDER_SUM || node.result != order->result) {
        struct order_node plain = order_node_plain(order->result, ROUND_NEAREST_EVEN);
        memcpy(&node, &plain, sizeof node);
    }
    node.flush_results = true;
    const unsigned index = node_index(maker, &node);
    if (tree->count > 1 || order->nodes[last->node].kind != ORDER_SUM ||
        order->nodes[last->node].result != order->result)
        order_tree_add(tree, &child, 1, index);
    else
        last->node = (uint16_t)index;
}

static size_t most_terms(const struct order_tree *tree) {
    size_t most = 0;
    for (size_t v = 0; v < tree->count; v++) {
        size_t count = 0;
        for (uint32_t k = 0; k < tree->additions[v].children; k++)
            count += order_is_term(tree->children[tree->additions[v].first + k]);
        most = count > most ? count : most;
    }
    return most;
}

bool model_make(const struct finding *finding, const struct choice *choice, struct model *model,
                struct error *error) {
    const struct subject *subject = finding->subject;
    unsigned count;
    struct maker maker = {.finding = finding,
                          .choice = choice,
                          .kind = &axis_kinds(finding, &count)[choice->at[AXIS_KIND]],
                          .model = model,
                          .error = error};
    memset(model, 0, sizeof *model);
    const bool has_bins = maker.kind->kind == ORDER_BINS || maker.kind->kind == ORDER_SLICES;
    if (has_bins ? choice->at[AXIS_DIRECTION] || choice->at[AXIS_C] || choice->at[AXIS_PAIR] ||
                       choice->at[AXIS_SPILL]
                 : choice->at[AXIS_BINS])
        return error_set(error, "bins have a rounding of their own");
    const struct through *through = subject->through;
    order_open(&model->order, through ? through->sum : subject->request.operation->name,
               subject_term_format(subject), subject_sum_format(subject));
    model->through.shift = through_shift_of(subject);
    model->through.multiplies = choice->at[AXIS_SHARES] == 1;
    model->through.exponential = through_is_measured(subject)        ? EXPONENTIAL_MEASURED
                                 : choice->at[AXIS_EXPONENTIAL] == 0 ? EXPONENTIAL_NEAREST
                                                                     : EXPONENTIAL_LIBM;
    model->order.node_count = 0;
    model->order.least = model->order.most = subject->terms;
    if (subject_is_mean(subject))
        model->order.scale = scale_rows[choice->at[AXIS_SCALE]];
    model->sorting = maker.kind->sorting;
    order_tree_open(&model->tree, subject->terms);
    for (size_t v = 0; v + 1 < finding->grown.tree.count; v++) {
        if (finding->aim.found[v].kept > maker.usual) {
            maker.usual = finding->aim.found[v].kept;
            maker.usual_flushes = finding->aim.found[v].flushes;
        }
    }
    maker.before = maker.usual;
    if (finding->grown.tree.count == 1)
        maker.before = finding_known_below(finding, 0).kept;
    model->extended = maker.usual == KEPT_EXTENDED;
    if (model->extended &&
        (!extended_is_here() || !finding_is_uniform(finding) ||
         model->order.scale > ORDER_SUM_DIVIDED || subject->call.results[0].format->width < 32))
        return error_set(error, "an accumulator of %d bits, which cannot be replayed here",
                         finding->aim.precision[KEPT_EXTENDED]);
    maker.terms = most_terms(&finding->grown.tree);
    bool good = maker.kind->chained ? chain_tree(&maker) : copy_tree(&maker);
    if (good && model->tree.count)
        flush_last(&maker);
    if (good && maker.has_too_many_nodes)
        return error_set(error, "more than %d kinds of additions", ORDER_MOST_NODES);
    return good && (!model->tree.out_of_memory || error_set(error, "out of memory")) &&
           order_tree_check(&model->tree, model->order.node_count, error);
}

void model_close(struct model *model) {
    order_close(&model->order);
    order_tree_close(&model->tree);
}

void model_take_nodes(const struct model *from, struct model *to) {
    if (from->order.node_count == to->order.node_count)
        memcpy(to->order.nodes, from->order.nodes, sizeof to->order.nodes);
}
