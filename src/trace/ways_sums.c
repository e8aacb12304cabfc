/* Running sums and dot products by an order (ways_orders.h), in a format that is accumulated in. */
#include "trace/ways.h"

#include "order/order.h"
#include "order/term.h"

#include <stdlib.h>
#include <string.h>

/* The rule. A loop of fused products begins with one that is rounded; with c there is a row in front that adds the whole to
 * it, or the first row begins with it. */
static struct order_rules rules_of(const struct trace_way *way, bool of_products) {
    struct order_rules rules = way->order->rules;
    for (unsigned i = 0; of_products && !way->rounds_products && i < rules.count; i++)
        rules.rows[i].start = ORDER_START_ALONE;
    if (way->onto == TRACE_ONTO_FIRST)
        rules.rows[0].start = ORDER_START_C;
    if (way->onto != TRACE_ONTO_SUM)
        return rules;
    memmove(&rules.rows[1], &rules.rows[0], rules.count * sizeof *rules.rows);
    for (unsigned i = 1; i <= rules.count; i++) {
        struct order_rule *row = &rules.rows[i];
        uint8_t *const named[] = {&row->inner, &row->outer, &row->rest};
        for (size_t k = 0; k < sizeof named / sizeof *named; k++)
            *named[k] = (uint8_t)(*named[k] + (*named[k] > 0));
    }
    rules.rows[0] =
        (struct order_rule){.kind = ORDER_ONTO, .size = 1, .start = ORDER_START_C, .inner = 1};
    rules.count++;
    return rules;
}

/* c of each line in the format of the sum; NULL with an error. */
static void *addends(const struct trace_call *part, const struct format *format,
                     struct error *why) {
    const struct trace_codes *c = &part->operand[2];
    void *codes = malloc((size_t)c->count * format_bytes(format) + 1);
    if (!codes)
        error_set(why, "out of memory");
    for (size_t i = 0; codes && i < c->count; i++) {
        const struct real real =
            format_decode(c->format, code_load(c->codes, format_bytes(c->format), i));
        code_store(codes, format_bytes(format), i,
                   format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    }
    return codes;
}

/* Adds c to results that are rounded already. */
static void add_to_results(const struct trace_call *part, void *results) {
    const struct format *format = part->result;
    const size_t bytes = format_bytes(format);
    for (size_t i = 0; i < part->results; i++) {
        const struct order_node addition = order_node_plain(format, ROUND_NEAREST_EVEN);
        const struct order_term term =
            order_term_of(&addition, format, code_load(results, bytes, i));
        const uint64_t c = code_load(part->operand[2].codes, bytes, i);
        code_store(results, bytes, i, order_node_add(&addition, &term, 1, &c));
    }
}

/* An order that computes by a way; order_close and free it. NULL without memory. */
static struct order *order_of(const struct trace_way *way, const struct trace_call *part) {
    const bool of_products = part->operands > 1;
    struct order *order = malloc(sizeof *order);
    if (!order)
        return NULL;
    order_open(order, part->operation->name, part->format, part->result);
    order->node_count = 1;
    order->nodes[0] = order_node_plain(way->accumulator, ROUND_NEAREST_EVEN);
    order->nodes[0].product = of_products && way->rounds_products ? way->accumulator : NULL;
    order->rules = rules_of(way, of_products);
    order->scale =
        strcmp(part->operation->name, "mean") == 0 ? ORDER_SUM_DIVIDED : ORDER_SCALE_NONE;
    return order;
}

static bool run(const struct trace_way *way, const struct trace_call *part, struct order_plan *plan,
                void *results, struct error *why) {
    const size_t length = (size_t)part->shape.extents[1];
    const struct order_terms x = {part->operand[0].codes, length, 1},
                             w = {part->operand[1].codes, length, 1};
    const bool takes = way->onto == TRACE_ONTO_FIRST || way->onto == TRACE_ONTO_SUM;
    void *c = takes ? addends(part, order_plan_sum_format(plan), why) : NULL;
    bool good = c || !takes;
    if (good && !order_plan_run(plan, (size_t)part->results, &x, part->operands > 1 ? &w : NULL, c,
                                results))
        good = error_set(why, "out of memory");
    if (good && way->onto == TRACE_ONTO_RESULT)
        add_to_results(part, results);
    free(c);
    return good;
}

bool trace_sums_run(const struct trace_way *way, const struct trace_call *part, void *results,
                    struct error *why) {
    const size_t length = (size_t)part->shape.extents[1];
    struct order *order = NULL;
    struct order_plan *plan = NULL;
    if (way->revealed) {
        const struct order revealed = order_for(way->revealed, part->operation->name);
        plan = way->tree->terms == length ? order_plan_of_tree(&revealed, way->tree, why) : NULL;
        const bool good = plan && run(way, part, plan, results, why);
        order_plan_close(plan);
        return good;
    }
    order = order_of(way, part);
    plan = order ? order_plan_open(order, length, why) : NULL;
    const bool good = plan ? run(way, part, plan, results, why)
                           : order != NULL || error_set(why, "out of memory");
    const bool done = good && plan;
    order_plan_close(plan);
    if (order)
        order_close(order);
    free(order);
    return done;
}
