/* Shape by shape, the longest first, since a short one leaves more open. */
#include "explain/sum_reveal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arrays that are replayed of each shape; how many shapes are probed; terms as far as which they are, among others and
 * alone. */
enum { ARRAYS = 600, MOST_PROBED = 4, MOST_TERMS = 600, MOST_TERMS_ALONE = 16384 };

/* What is known of a side so far: trees that have been found, and the rule of these. */
struct found {
    struct order_tree trees[MOST_PROBED]; /* of models that stay theirs */
    size_t count;
    struct order order;
    bool has_rule;
};

static bool find_shapes(struct sum_shapes *shapes, struct error *error) {
    const struct sum_results *results = shapes->results;
    const struct binding_request *computed = &results->request->computed;
    const struct cases *cases = &results->request->domain->cases;
    for (uint64_t call = 0; call < results->calls; call++) {
        struct sum_shape *shape = &shapes->shapes[sum_shape_number(shapes, call)];
        struct array_call planned = {.parameters = &computed->parameters,
                                     .rounding = computed->rounding,
                                     .overflow = computed->overflow};
        if (!shape->terms && !array_call_plan(&planned, computed->operation->array,
                                              computed->format, case_shape(cases, call), error))
            return false;
        shape->terms = shape->terms ? shape->terms : sum_line_length(&planned);
        for (size_t i = 0; results->answered[call] && i < sum_elements_of(results, call); i++)
            shape->differ += sum_results_differ(results, results->first[call] + i);
    }
    return true;
}

static struct reveal_request request_for(const struct sum_shapes *shapes, size_t number, int side) {
    const struct explain_request *request = shapes->results->request;
    return (struct reveal_request){.implementation = request->sides[side],
                                   .computed = request->computed,
                                   .shape = request->domain->cases.shapes[number],
                                   .arrays = ARRAYS,
                                   .seed = request->seed};
}

/* Trees are folded whatever a sum begins with: the start by which a rule gives the very additions of a tree. */
static bool choose_start(struct order_rules *rules, const struct order_tree *tree) {
    static const enum order_start starts[] = {ORDER_START_ITEMS, ORDER_START_ALONE,
                                              ORDER_START_ZERO};
    const struct order_rules folded = *rules;
    bool found = false;
    for (size_t i = 0; i < sizeof starts / sizeof *starts && !found; i++) {
        struct order_tree made;
        struct error unused;
        *rules = folded;
        for (unsigned row = 0; row < rules->count; row++)
            if (folded.rows[row].start == ORDER_START_ITEMS)
                rules->rows[row].start = starts[i];
        if (!order_rules_tree(rules, tree->terms, &made, &unused))
            continue;
        found = made.count == tree->count && made.child_count == tree->child_count &&
                order_tree_hash(&made) == order_tree_hash(tree);
        order_tree_close(&made);
    }
    return found;
}

/* Keeps the tree, and finds the rule anew. */
static void learn(struct found *found, const struct revealed *revealed) {
    bool breaks[MOST_PROBED];
    const struct order *order = &revealed->model.order;
    const bool goes_on =
        !found->count || (found->has_rule && found->order.nodes[0].kind == order->nodes[0].kind);
    if (!goes_on || order->node_count > 1 || found->count == MOST_PROBED) {
        found->has_rule = false;
        return;
    }
    if (!found->count)
        found->order = *order;
    found->trees[found->count++] = revealed->model.tree;
    const size_t broken = order_fold(found->trees, found->count, &found->order.rules, breaks);
    found->order.least = 1;
    found->order.most = ORDER_MOST_TERMS;
    found->has_rule = broken == 0 && choose_start(&found->order.rules, &revealed->model.tree);
}

/* Reveals a side by the rule of the lengths before, or by probes. False where neither does; *why says what probes found. */
static bool reveal_side(const struct sum_shapes *shapes, size_t number, int side,
                        struct found *found, bool probes, struct revealed *revealed,
                        struct error *why) {
    const size_t terms = shapes->shapes[number].terms;
    const struct reveal_request wanted = request_for(shapes, number, side);
    const struct through_choice none = {0};
    bool fits = false;
    struct error unused;
    if (found->has_rule) {
        if (reveal_by(&wanted, terms, &found->order, &none, revealed, &fits, &unused) && fits)
            return true;
        revealed_close(revealed);
        memset(revealed, 0, sizeof *revealed);
    }
    if (!probes || !reveal_length(&wanted, terms, revealed, why))
        return false;
    const bool is_plain = !revealed->model.sorting.sorts && !revealed->model.extended;
    if (revealed->state != REVEALED || !is_plain) {
        error_set(why, "%.200s",
                  *revealed->why                ? revealed->why
                  : revealed->state == REVEALED ? "it is none of plain additions"
                                                : reveal_state_names[revealed->state]);
        return false;
    }
    learn(found, revealed);
    return true;
}

/* Both sides of a shape. */
static bool reveal_shape(struct sum_shapes *shapes, size_t number, struct found found[2],
                         bool probes, char why[SUM_NOTE_TEXT], struct error *error) {
    struct sum_shape *shape = &shapes->shapes[number];
    for (int side = 0; side < 2; side++) {
        struct error reason = {{0}};
        if (reveal_side(shapes, number, side, &found[side], probes, &shape->revealed[side],
                        &reason))
            continue;
        if (probes && !*why)
            snprintf(why, SUM_NOTE_TEXT, "%c's order of %zu terms was not revealed (%.200s)",
                     "AB"[side], shape -> terms, reason.text);
        return true;
    }
    if (!sum_pair_open(&shape->pair, &shape->revealed[0].model, &shape->revealed[1].model, error))
        return false;
    shape->known = true;
    shapes->known++;
    shapes->parts |= shape->pair.parts;
    return true;
}

/* The longest shape whose results differ and that has not been tried, of at most or of more than so many terms. */
static size_t next_shape(const struct sum_shapes *shapes, const bool *tried, size_t most,
                         bool longer) {
    size_t next = MOST_SHAPES;
    for (size_t i = 0; i < MOST_SHAPES; i++) {
        const struct sum_shape *shape = &shapes->shapes[i];
        if (shape->differ && !tried[i] && (shape->terms > most) == longer &&
            (next == MOST_SHAPES || shape->terms > shapes->shapes[next].terms))
            next = i;
    }
    return next;
}

bool sum_shapes_reveal(struct sum_shapes *shapes, const struct sum_results *results,
                       char why[SUM_NOTE_TEXT], struct error *error) {
    const struct explain_request *request = results->request;
    const size_t most = request->domain->cases.shape_count == 1 ? MOST_TERMS_ALONE : MOST_TERMS;
    bool tried[MOST_SHAPES] = {false};
    struct found *found = calloc(2, sizeof *found);
    size_t probed = 0;
    shapes->results = results;
    *why = '\0';
    bool good = found ? find_shapes(shapes, error) : error_set(error, "out of memory");
    for (int longer = 0; longer < 2; longer++)
        for (;;) {
            const size_t next = good ? next_shape(shapes, tried, most, longer) : MOST_SHAPES;
            if (next == MOST_SHAPES)
                break;
            tried[next] = true;
            if (request->stop && *request->stop) {
                good = error_set(error, "interrupted; nothing is explained");
                break;
            }
            const bool has_rules = found[0].has_rule && found[1].has_rule;
            const bool probes = !longer && probed < MOST_PROBED;
            if (!probes && !has_rules)
                continue;
            const size_t before = found[0].count + found[1].count;
            good = reveal_shape(shapes, next, found, probes, why, error);
            probed += probes && (!has_rules || found[0].count + found[1].count > before ||
                                 !shapes->shapes[next].known);
        }
    if (good && !shapes->known && !*why)
        snprintf(why, SUM_NOTE_TEXT,
                 "orders are looked for as far as %d terms, or %d where --shape is the only one",
                 MOST_TERMS, MOST_TERMS_ALONE);
    free(found);
    return good;
}

void sum_shapes_close(struct sum_shapes *shapes) {
    for (size_t i = 0; i < MOST_SHAPES; i++) {
        sum_pair_close(&shapes->shapes[i].pair);
        for (int side = 0; side < 2; side++)
            revealed_close(&shapes->shapes[i].revealed[side]);
    }
}
