/* Running an order: by the machine's arithmetic where that is the node's, else node by node in integers. */
#include "order/chain.h"
#include "order/plan.h"
#include "order/slices.h"

#include <stdlib.h>
#include <string.h>

const char *const order_scale_names[ORDER_SCALES] = {"none",
                                                     "sum-divided",
                                                     "sum-times-reciprocal",
                                                     "sum-divided-flushed",
                                                     "sum-times-reciprocal-flushed",
                                                     "terms-divided",
                                                     "terms-times-reciprocal"};

bool order_is_product(const char *operation) {
    return strcmp(operation, "dot") == 0 || strcmp(operation, "matmul") == 0;
}

/* The most terms of one addition. */
static size_t most_children(const struct order_tree *tree) {
    size_t most = 1;
    for (size_t i = 0; i < tree->count; i++)
        if (tree->additions[i].children > most)
            most = tree->additions[i].children;
    return most;
}

static void compile(struct order_plan *plan, bool products) {
    order_fast_close(plan->fast);
    plan->products = products;
    plan->fast = order_fast_open(plan->order, plan->used, products);
}

/* What the slow form works in. */
static bool make_room(struct order_plan *plan) {
    if (!plan->codes)
        plan->codes = calloc(plan->used->count + 1, sizeof *plan->codes);
    if (!plan->terms)
        plan->terms = calloc(most_children(plan->used), sizeof *plan->terms);
    return plan->codes && plan->terms;
}

static bool prepare(struct order_plan *plan, struct error *error) {
    const struct order_tree *tree = plan->used;
    if (!order_tree_check(tree, plan->order->node_count, error) ||
        !order_check_additions(plan->order, tree, error))
        return false;
    plan->last = tree->count ? plan->order->nodes[tree->additions[tree->count - 1].node].result
                             : plan->order->result;
    compile(plan, order_is_product(plan->order->operation));
    return true;
}

struct order_plan *order_plan_of_tree(const struct order *order, const struct order_tree *tree,
                                      struct error *error) {
    struct order_plan *plan = calloc(1, sizeof *plan);
    if (!plan) {
        error_set(error, "out of memory");
        return NULL;
    }
    *plan = (struct order_plan){.order = order, .used = tree};
    if (prepare(plan, error))
        return plan;
    order_plan_close(plan);
    return NULL;
}

struct order_plan *order_plan_open(const struct order *order, size_t terms, struct error *error) {
    struct order_tree tree;
    if (!order_tree_of(order, terms, &tree, error))
        return NULL;
    struct order_plan *plan = order_plan_of_tree(order, &tree, error);
    if (plan) {
        plan->tree = tree;
        plan->used = &plan->tree;
    } else {
        order_tree_close(&tree);
    }
    return plan;
}

void order_plan_close(struct order_plan *plan) {
    if (!plan)
        return;
    order_fast_close(plan->fast);
    order_tree_close(&plan->tree);
    free(plan->codes);
    free(plan->terms);
    free(plan);
}

bool order_plan_is_fast(const struct order_plan *plan) {
    return plan->fast;
}

bool order_plan_takes_c(const struct order_plan *plan) {
    bool takes = false;
    for (size_t i = 0; i < plan->used->child_count; i++)
        takes = takes || plan->used->children[i] == ORDER_C;
    return takes;
}

const struct format *order_plan_sum_format(const struct order_plan *plan) {
    return plan->last;
}

uint64_t order_scaled(enum order_scale scale, const struct format *from,
                      const struct format *format, uint64_t code, size_t terms) {
    const bool flushes =
        scale == ORDER_SUM_DIVIDED_FLUSHED || scale == ORDER_SUM_TIMES_RECIPROCAL_FLUSHED;
    const bool reciprocal = scale == ORDER_SUM_TIMES_RECIPROCAL ||
                            scale == ORDER_SUM_TIMES_RECIPROCAL_FLUSHED ||
                            scale == ORDER_TERMS_TIMES_RECIPROCAL;
    struct real real = format_decode(from, code);
    if (from == format && real.kind != REAL_FINITE) /* the node's NaN stays as it is */
        return code;
    if (real.kind != REAL_FINITE)
        return format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    mpfr_t value, factor;
    mpfr_init2(value, 128);
    mpfr_init2(factor, 128);
    real_to_mpfr(value, &real);
    int ternary = 0;
    if (reciprocal) {
        mpfr_set_ui(factor, 1, MPFR_RNDN);
        ternary = mpfr_div_ui(factor, factor, terms, MPFR_RNDZ);
        real = real_from_mpfr(factor, ternary);
        real =
            format_decode(format, format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
        real_to_mpfr(factor, &real);
        ternary = mpfr_mul(value, value, factor, MPFR_RNDZ);
    } else {
        ternary = mpfr_div_ui(value, value, terms, MPFR_RNDZ);
    }
    real = real_from_mpfr(value, ternary);
    mpfr_clears(value, factor, NULL);
    code = format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    if (!flushes)
        return code;
    real = format_decode(format, code);
    if (real.kind == REAL_FINITE && real.exponent < format->emin) {
        real = (struct real){.kind = REAL_ZERO, .negative = real.negative};
        code = format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    }
    return code;
}

/* One array: where its terms and factors lie, and what comes in. */
struct one_array {
    const struct order_terms *x, *w;
    size_t at;
    uint64_t c;
};

static uint64_t element(const struct order_plan *plan, const struct order_terms *terms,
                        size_t array, int32_t term) {
    return code_load(terms->codes, format_bytes(plan->order->format),
                     array * terms->pitch + (size_t)term * terms->stride);
}

static struct order_term term_of(const struct order_plan *plan, const struct order_node *node,
                                 const struct one_array *array, int32_t term) {
    const struct format *format = plan->order->format;
    uint64_t x = element(plan, array->x, array->at, term);
    if (plan->order->scale >= ORDER_TERMS_DIVIDED) {
        x = order_scaled(plan->order->scale, format, plan->last, x, plan->used->terms);
        format = plan->last;
    }
    format = order_operand(node, format, &x);
    if (!array->w)
        return order_term_of(node, format, x);
    uint64_t w = element(plan, array->w, array->at, term);
    const struct format *other = order_operand(node, plan->order->format, &w);
    return order_term_product(node, format, x, other, w);
}

/* The format and the code of a child that is no term. */
static const struct format *total_of(const struct order_plan *plan, const struct one_array *array,
                                     int32_t child, const struct format *wanted, uint64_t *code) {
    *code = child == ORDER_ZERO ? 0 : child == ORDER_C ? array->c : plan->codes[~child];
    if (child == ORDER_ZERO)
        return wanted;
    return child == ORDER_C ? plan->last
                            : plan->order->nodes[plan->used->additions[~child].node].result;
}

/* Adds by slices. False where there is nothing to cut, or where totals are added. Second factors of a sum are 1. */
static bool slices_code(const struct order_plan *plan, const struct order_addition *addition,
                        const struct one_array *array, uint64_t *code) {
    const struct order_node *node = &plan->order->nodes[addition->node];
    const struct real real_one = real_from_double(1);
    const uint64_t one =
        format_encode(plan->order->format, &real_one, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    struct order_factor *x = calloc(2 * addition->children, sizeof *x), *y = x + addition->children;
    size_t count = 0;
    bool good = x, from_zero = false;
    for (size_t k = 0; good && k < addition->children; k++) {
        const int32_t child = plan->used->children[addition->first + k];
        good = order_is_term(child) || child == ORDER_ZERO;
        from_zero |= !order_is_term(child);
        if (!order_is_term(child))
            continue;
        x[count].code = element(plan, array->x, array->at, child);
        x[count].format = order_operand(node, plan->order->format, &x[count].code);
        y[count].code = array->w ? element(plan, array->w, array->at, child) : one;
        y[count].format = order_operand(node, plan->order->format, &y[count].code);
        count++;
    }
    good = good && order_slices_add(node, x, y, count, from_zero, code);
    free(x);
    return good;
}

static uint64_t addition_code(const struct order_plan *plan, const struct order_addition *addition,
                              const struct one_array *array) {
    const struct order_node *node = &plan->order->nodes[addition->node];
    const int32_t *children = plan->used->children + addition->first;
    const uint64_t *c = NULL;
    uint64_t first;
    size_t count = 0;
    if (node->kind == ORDER_SLICES && slices_code(plan, addition, array, &first))
        return first;
    for (size_t k = 0; k < addition->children; k++) {
        uint64_t code;
        if (order_is_term(children[k])) {
            plan->terms[count++] = term_of(plan, node, array, children[k]);
            continue;
        }
        const struct format *format = total_of(plan, array, children[k], node->result, &code);
        if (k == 0 && format == node->result && addition->children > 1) {
            first = code;
            c = &first;
        } else {
            plan->terms[count++] = order_term_of(node, format, code);
        }
    }
    return order_chain_add(node, plan->terms, count, c);
}

static uint64_t sum_code(const struct order_plan *plan, const struct one_array *array) {
    const struct order *order = plan->order;
    uint64_t code = 0;
    for (size_t i = 0; i < plan->used->count; i++)
        code = plan->codes[i] = addition_code(plan, &plan->used->additions[i], array);
    if (order->scale && order->scale < ORDER_TERMS_DIVIDED)
        code = order_scaled(order->scale, plan->last, plan->last, code, plan->used->terms);
    if (plan->last == order->result)
        return code;
    struct real real = format_decode(plan->last, code);
    return format_encode(order->result, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

bool order_plan_run(struct order_plan *plan, size_t count, const struct order_terms *x,
                    const struct order_terms *w, const void *c, void *results) {
    if (!w == plan->products)
        compile(plan, w);
    if (plan->fast)
        return order_fast_run(plan->fast, count, x, w, c, results);
    if (!make_room(plan))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct one_array array = {x, w, i, c ? code_load(c, format_bytes(plan->last), i) : 0};
        code_store(results, format_bytes(plan->order->result), i, sum_code(plan, &array));
    }
    return true;
}
