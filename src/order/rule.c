/* Rules as rows: making, checking and telling them apart. */
#include "order/sample.h"

const char *const order_rule_names[ORDER_RULE_KINDS] = {
    "sequential", "reversed", "pairs",      "fold",  "lanes",   "blocks", "split", "centred",
    "halves",     "cascade",  "serpentine", "dealt", "shorter", "main",   "onto"};
const char *const order_tail_names[ORDER_TAILS] = {"within", "after", "before", "apart",
                                                   "first",  "last",  "lane",   "dropped"};
const char *const order_start_names[ORDER_STARTS] = {"items", "alone", "zero", "c"};

unsigned order_rules_add(struct order_rules *rules, struct order_rule row) {
    if (rules->count == ORDER_MOST_RULES)
        return 0;
    rules->rows[rules->count] = row;
    return rules->count++;
}

bool order_rules_check(const struct order_rules *rules, unsigned nodes, struct error *error) {
    bool used[ORDER_MOST_RULES] = {false};
    if (rules->count > ORDER_MOST_RULES)
        return error_set(error, "a rule has %d rows at most", ORDER_MOST_RULES);
    for (unsigned i = 0; i < rules->count; i++) {
        const struct order_rule *row = &rules->rows[i];
        const unsigned below[] = {row->inner, row->outer, row->rest};
        bool sized = row->kind >= ORDER_LANES && row->kind <= ORDER_MAIN;
        if (row->kind >= ORDER_RULE_KINDS || row->tail >= ORDER_TAILS || row->start >= ORDER_STARTS)
            return error_set(error, "row %u of the rule has an unknown kind", i);
        if (row->node >= nodes || row->spill >= nodes)
            return error_set(error, "'%s' has node %u, of nodes 0 to %u",
                             order_rule_names[row->kind],
                             row->node >= nodes ? row->node : row->spill, nodes - 1);
        const bool is_size = (sized && !row->size) || row->size > ORDER_MOST_TERMS;
        if (is_size || row->multiple > ORDER_MOST_TERMS)
            return error_set(error, "rule.%s of '%s' should be %d to %d, not %zu",
                             is_size ? "size" : "multiple", order_rule_names[row->kind],
                             is_size && sized, ORDER_MOST_TERMS,
                             (size_t)(is_size ? row->size : row->multiple));
        if (row->kind == ORDER_CASCADE &&
            (!row->multiple || row->multiple > 24 || (row->size & (row->size - 1))))
            return error_set(error,
                             "'cascade' needs a size that is a power of 2, and 1 to 24 levels");
        if (row->kind == ORDER_LANES && row->multiple % row->size)
            return error_set(error, "the multiple of 'lanes' must consist of whole rows of lanes");
        if (row->kind == ORDER_SERPENTINE && row->multiple && row->size % row->multiple)
            return error_set(error,
                             "the size of 'serpentine' must consist of groups of 'multiple' items");
        if (row->kind == ORDER_DEALT && (!row->multiple || row->size % (2 * row->multiple)))
            return error_set(
                error, "the size of 'dealt' must consist of pairs of groups of 'multiple' items");
        for (int k = 0; k < 3; k++) {
            if (below[k] && (below[k] <= i || below[k] >= rules->count || used[below[k]]))
                return error_set(error, "row %u of the rule leads to row %u", i, below[k]);
            used[below[k]] = true;
        }
    }
    return true;
}

static bool same_below(const struct order_rules *a, const struct order_rules *b, unsigned i,
                       unsigned k) {
    const struct order_rule *x = &a->rows[i], *y = &b->rows[k];
    const unsigned mine[] = {x->inner, x->outer, x->rest}, theirs[] = {y->inner, y->outer, y->rest};
    bool same = x->kind == y->kind && x->node == y->node && x->spill == y->spill &&
                x->size == y->size && x->multiple == y->multiple && x->tail == y->tail &&
                x->start == y->start;
    for (int part = 0; same && part < 3; part++)
        same = !mine[part] == !theirs[part] &&
               (!mine[part] || same_below(a, b, mine[part], theirs[part]));
    return same;
}

bool order_rules_same(const struct order_rules *a, const struct order_rules *b) {
    return !a->count == !b->count && (!a->count || same_below(a, b, 0, 0));
}

size_t order_block_size(const struct order_rule *row, size_t count, size_t left, size_t number) {
    size_t size = (size_t)row->size, multiple = (size_t)row->multiple, most = size;
    if (row->kind == ORDER_SPLIT) {
        most = multiple ? (count + size - 1) / size : count / size + (number < count % size);
        most = multiple ? (most + multiple - 1) / multiple * multiple : most;
    } else if (row->kind == ORDER_CENTRED && !number) {
        most = size - (size - 1 - (count - 1) % size) / 2;
    } else if (multiple && left > size && left < 2 * size) {
        most = (left / 2 + multiple - 1) / multiple * multiple;
    }
    return left < most ? left : most;
}

size_t order_lanes_whole(const struct order_rule *row, size_t count) {
    return count - count % (size_t)(row->multiple ? row->multiple : row->size);
}

size_t order_item_at(const struct order_rule *row, size_t count, size_t at) {
    if (row->kind == ORDER_REVERSED)
        return count - 1 - at;
    size_t size = (size_t)row->size, block = at / size, from = block * size, place = at - from;
    if (row->kind == ORDER_SERPENTINE) {
        size_t there = count - from < size ? count - from : size;
        size_t group = row->multiple ? (size_t)row->multiple : 1, groups = there / group;
        bool back = row->multiple ? there == size : block % 2;
        return back ? from + (groups - 1 - place / group) * group + place % group : at;
    }
    size_t multiple = (size_t)row->multiple, half = place / (size / 2), rest = place % (size / 2);
    return from + size > count ? at
                               : from + (rest / multiple * 2 + half) * multiple + rest % multiple;
}
