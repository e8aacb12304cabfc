/* Compiling trees of plain additions to steps of the machine's arithmetic. */
#include "order/fast.h"

#include <stdlib.h>
#include <string.h>

/* A row and the format of its numbers. */
struct place {
    uint32_t row;
    bool wide;
};

static bool is_machine_format(const struct format *format) {
    return format == &formats[FORMAT_FP32] || format == &formats[FORMAT_FP64];
}

/* Whether the machine's addition, in to nearest, is this node's. */
static bool is_plain(const struct order_node *node) {
    bool plain = node->kind != ORDER_EXACT && node->kind != ORDER_FIXED_POINT &&
                 node->kind != ORDER_BINS && node->kind != ORDER_SLICES && !node->operands &&
                 is_machine_format(node->result) && node->rounding == ORDER_NEAREST_EVEN &&
                 !node->zero_positive && (!node->product || is_machine_format(node->product));
    struct order_node usual = order_node_plain(node->result, ROUND_NEAREST_EVEN);
    return plain && node->aligned_bits == usual.aligned_bits && !node->result_precision &&
           !node->flush_operands && !node->flush_c && !node->flush_products &&
           !node->flush_results && !node->products_overflow;
}

static bool is_wide(const struct format *format) {
    return format == &formats[FORMAT_FP64];
}

/* Room for one more; what was there stays where there is no memory. */
static bool grow(struct order_fast *fast, void *array, size_t *room, size_t count, size_t bytes) {
    void **memory = array;
    if (count < *room)
        return true;
    size_t wanted = *room ? 2 * *room : 256;
    void *larger = realloc(*memory, wanted * bytes);
    fast->failed |= !larger;
    if (!larger)
        return false;
    *memory = larger;
    *room = wanted;
    return true;
}

/* Whether a row is of a sum or a product that one step alone takes up. */
static bool is_passing(const struct order_fast *fast, uint32_t row) {
    return row >= fast->fixed;
}

static void leave_row(struct order_fast *fast, uint32_t row) {
    if (is_passing(fast, row) &&
        grow(fast, &fast->free, &fast->free_room, fast->free_count, sizeof *fast->free))
        fast->free[fast->free_count++] = row;
}

static uint32_t take_row(struct order_fast *fast) {
    return fast->free_count ? fast->free[--fast->free_count] : (uint32_t)fast->rows++;
}

/* Adds to the step before where this one goes on with the sum of that, by the next rows. */
static bool goes_on(struct order_fast *fast, const struct step *step) {
    struct step *before = fast->count ? &fast->steps[fast->count - 1] : NULL;
    const bool sum = step->kind == STEP_ADD;
    if (!before || before->kind != step->kind || before->wide != step->wide ||
        before->to != (sum ? step->a : step->c) || is_passing(fast, step->b) ||
        is_passing(fast, before->b) || (!sum && is_passing(fast, step->a)))
        return false;
    const uint32_t stride = step->b - (before->b + (before->count - 1) * before->stride);
    if (before->count > 1 && stride != before->stride)
        return false;
    if (!sum && step->a - (before->a + (before->count - 1) * before->stride) != stride)
        return false;
    before->stride = stride;
    before->count++;
    return true;
}

/* A sum and a product that was the step before are one. */
static void join_product(struct order_fast *fast, struct step *step) {
    const struct step *before = fast->count ? &fast->steps[fast->count - 1] : NULL;
    if (step->kind != STEP_ADD || !before || before->kind != STEP_PRODUCT ||
        before->to != step->b || before->wide != step->wide || is_passing(fast, before->a) ||
        is_passing(fast, before->b))
        return;
    leave_row(fast, before->to);
    *step = (struct step){STEP_ROUNDED, step->wide, 0, before->a, before->b, step->a, 1, 0};
    fast->count--;
}

static uint32_t add_step(struct order_fast *fast, enum step_kind kind, bool wide, uint32_t a,
                         uint32_t b, uint32_t c) {
    struct step step = {(uint8_t)kind, wide, 0, a, b, c, 1, 0};
    if (kind == STEP_ADD && is_passing(fast, b) && !is_passing(fast, a)) {
        step.a = b; /* the running sum first: to what is added makes no difference */
        step.b = a;
    }
    join_product(fast, &step);
    const bool onto = step.kind == STEP_ADD || step.kind == STEP_FUSED || step.kind == STEP_ROUNDED;
    if (onto && goes_on(fast, &step))
        return fast->steps[fast->count - 1].to;
    if (!grow(fast, &fast->steps, &fast->room, fast->count, sizeof *fast->steps))
        return 0;
    const bool chain = kind >= STEP_KAHAN;
    const uint32_t first = chain ? fast->lists[a] : step.kind == STEP_ADD ? step.a : step.c;
    step.to = (chain || onto) && is_passing(fast, first) ? first : take_row(fast);
    const uint32_t rows[] = {step.a, step.b, onto ? step.c : 0};
    for (int i = 0; i < 3 && !chain; i++)
        if (rows[i] != step.to)
            leave_row(fast, rows[i]);
    for (uint32_t k = 0; chain && k < b; k++)
        if (fast->lists[a + k] != step.to)
            leave_row(fast, fast->lists[a + k]);
    fast->steps[fast->count++] = step;
    return step.to;
}

static uint32_t add_to_list(struct order_fast *fast, uint32_t row) {
    if (!grow(fast, &fast->lists, &fast->list_room, fast->list_count, sizeof *fast->lists))
        return 0;
    fast->lists[fast->list_count] = row;
    return (uint32_t)fast->list_count++;
}

/* The row in the wanted format, cast where it is in the other one. */
static uint32_t in_format(struct order_fast *fast, struct place place, bool wide) {
    if (place.wide == wide)
        return place.row;
    return add_step(fast, wide ? STEP_WIDEN : STEP_NARROW, wide, place.row, 0, 0);
}

static uint32_t factor(struct order_fast *fast, int32_t term, bool second, bool wide) {
    struct place place = {(uint32_t)term + (second ? (uint32_t)fast->terms : 0), fast->wide_terms};
    return in_format(fast, place, wide);
}

static struct place child_place(struct order_fast *fast, const struct order_node *node,
                                const struct place *totals, int32_t child) {
    const uint32_t fixed = (fast->products ? 2 : 1) * (uint32_t)fast->terms;
    if (child == ORDER_ZERO)
        return (struct place){fixed, is_wide(node->result)};
    if (child == ORDER_C)
        return (struct place){fixed + 1, fast->wide_last};
    if (order_is_addition(child))
        return totals[~child];
    if (!fast->products)
        return (struct place){(uint32_t)child, fast->wide_terms};
    bool wide = is_wide(node->product ? node->product : node->result);
    uint32_t a = factor(fast, child, false, wide), b = factor(fast, child, true, wide);
    return (struct place){add_step(fast, STEP_PRODUCT, wide, a, b, 0), wide};
}

/* Whether all that an addition adds is a number of its format before it is added, or is a product that a fused
 * multiply-add takes. */
static bool fits(const struct order_fast *fast, const struct order_tree *tree,
                 const struct order_addition *addition, const struct place *totals) {
    const struct order_node *node = &fast->order->nodes[addition->node];
    const bool wide = is_wide(node->result);
    const struct format *taken = fast->taken;
    unsigned fused = 0;
    if (!is_plain(node) || (node->kind == ORDER_SUM && addition->children > 2))
        return false;
    for (size_t k = 0; k < addition->children; k++) {
        int32_t child = tree->children[addition->first + k];
        bool is_product = fast->products && order_is_term(child);
        bool narrow = is_product ? !node->product || !is_wide(node->product)
                      : order_is_term(child)
                          ? format_is_within(taken, &formats[FORMAT_FP32])
                          : child == ORDER_ZERO ||
                                (child == ORDER_C ? !fast->wide_last : !totals[~child].wide);
        const struct format *multiplied = node->product ? node->product : node->result;
        if (is_product && !format_is_within(taken, multiplied))
            return false;
        fused += is_product && !node->product;
        if (!narrow && !wide && addition->children > 1)
            return false;
    }
    return addition->children == 1 ? node->kind == ORDER_SUM
                                   : fused <= 1 && (!fused || node->kind == ORDER_SUM);
}

static struct place compile_addition(struct order_fast *fast, const struct order_tree *tree,
                                     const struct order_addition *addition,
                                     const struct place *totals) {
    const struct order_node *node = &fast->order->nodes[addition->node];
    const int32_t *children = tree->children + addition->first;
    const bool wide = is_wide(node->result);
    const enum step_kind chains[] = {[ORDER_KAHAN] = STEP_KAHAN,
                                     [ORDER_NEUMAIER] = STEP_NEUMAIER,
                                     [ORDER_DOUBLE_DOUBLE] = STEP_DOUBLE_DOUBLE};
    if (node->kind != ORDER_SUM) {
        uint32_t *rows = malloc(addition->children * sizeof *rows),
                 from = (uint32_t)fast->list_count;
        for (size_t k = 0; rows && k < addition->children; k++)
            rows[k] = in_format(fast, child_place(fast, node, totals, children[k]), wide);
        for (size_t k = 0; rows && k < addition->children; k++)
            add_to_list(fast, rows[k]);
        fast->failed |= !rows;
        free(rows);
        return (struct place){add_step(fast, chains[node->kind], wide, from, addition->children, 0),
                              wide};
    }
    if (addition->children == 1) {
        uint32_t row = in_format(fast, child_place(fast, node, totals, children[0]), wide);
        return (struct place){row, wide};
    }
    bool product[2] = {false, false};
    for (int k = 0; k < 2; k++)
        product[k] = fast->products && order_is_term(children[k]) && !node->product;
    if (product[0] || product[1]) {
        int k = product[1];
        uint32_t a = factor(fast, children[k], false, wide),
                 b = factor(fast, children[k], true, wide);
        uint32_t other = in_format(fast, child_place(fast, node, totals, children[!k]), wide);
        return (struct place){add_step(fast, STEP_FUSED, wide, a, b, other), wide};
    }
    uint32_t a = in_format(fast, child_place(fast, node, totals, children[0]), wide);
    uint32_t b = in_format(fast, child_place(fast, node, totals, children[1]), wide);
    return (struct place){add_step(fast, STEP_ADD, wide, a, b, 0), wide};
}

struct order_fast *order_fast_open(const struct order *order, const struct order_tree *tree,
                                   bool products) {
    struct order_fast *fast = calloc(1, sizeof *fast);
    struct place *totals = calloc(tree->count + 1, sizeof *totals);
    bool good =
        fast && totals && tree->count && format_is_within(order->format, &formats[FORMAT_FP64]);
    if (good) {
        const struct order_node *last = &order->nodes[tree->additions[tree->count - 1].node];
        const struct format *taken =
            order->scale >= ORDER_TERMS_DIVIDED ? last->result : order->format;
        *fast = (struct order_fast){.order = order,
                                    .taken = taken,
                                    .terms = tree->terms,
                                    .rows = (products ? 2 : 1) * tree->terms + 2,
                                    .fixed = (products ? 2 : 1) * tree->terms + 2,
                                    .products = products,
                                    .wide_terms = !format_is_within(taken, &formats[FORMAT_FP32]),
                                    .wide_last = is_wide(last->result)};
        /* Numbers of more bits than the last addition has would be rounded before they are divided. */
        good = is_machine_format(last->result) && (order->scale < ORDER_TERMS_DIVIDED ||
                                                   format_is_within(order->format, last->result));
    }
    for (size_t i = 0; good && i < tree->count; i++) {
        good = fits(fast, tree, &tree->additions[i], totals);
        if (good)
            totals[i] = compile_addition(fast, tree, &tree->additions[i], totals);
        good = good && !fast->failed;
    }
    if (good) {
        fast->last = totals[tree->count - 1].row;
        fast->last_node = tree->additions[tree->count - 1].node;
    }
    free(totals);
    if (good)
        return fast;
    order_fast_close(fast);
    return NULL;
}

void order_fast_close(struct order_fast *fast) {
    if (!fast)
        return;
    free(fast->steps);
    free(fast->lists);
    free(fast->free);
    free(fast->memory);
    free(fast);
}
