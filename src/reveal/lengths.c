/* Folding what single lengths have into one order. */
#include "reveal/lengths.h"

#include "reveal/known.h"
#include "reveal/lengths_fold.h"
#include "reveal/lengths_nodes.h"
#include "reveal/spills.h"

#include <stdlib.h>
#include <string.h>

/* Whose order all trees are. */
static bool find_known(struct lengths *lengths, bool prefixes, struct error *error) {
    const struct order_tree **trees = calloc(lengths->count + 1, sizeof *trees);
    size_t count = 0;
    if (!trees)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < lengths->count; i++)
        if (lengths_have(lengths, i))
            trees[count++] = &lengths->revealed[i].model.tree;
    lengths->known = count ? known_order(trees, count, prefixes) : NULL;
    free(trees);
    return true;
}

/* Keeps the tree of a length in the order. */
static bool keep_tree(struct lengths *lengths, const struct order_tree *tree, struct error *error) {
    struct order_tree copy;
    return (order_tree_copy(tree, &copy) && order_add_tree(&lengths->order, &copy)) ||
           error_set(error, "out of memory");
}

/* The longest row of lengths that follow each other and are revealed, from *first on; returns how many there are. */
static size_t find_range(const struct lengths *lengths, size_t *first) {
    size_t longest = 0, row = 0;
    for (size_t i = 0; i < lengths->count; i++) {
        const struct revealed *revealed = &lengths->revealed[i];
        row = revealed->state == REVEALED ? row + 1 : 0;
        if (row > longest) {
            longest = row;
            *first = i + 1 - row;
        }
    }
    return longest;
}

/* The order as it may be written: it says nothing of lengths that were not tried, or not revealed. */
static bool finish_order(struct lengths *lengths, struct error *error) {
    struct order *order = &lengths->order;
    size_t first = 0, range = find_range(lengths, &first);
    lengths->rules = order->rules;
    if (!lengths->has_rule || (range == 1 && lengths->count > 1)) {
        order->rules.count = 0;
        range = 0;
    }
    order->least = range ? lengths->revealed[first].terms : ORDER_MOST_TERMS;
    order->most = range ? lengths->revealed[first + range - 1].terms : 1;
    if (range > 1 && lengths->revealed[1].terms > lengths->revealed[0].terms + 1)
        order->step = lengths->revealed[1].terms - lengths->revealed[0].terms;
    for (size_t i = 0; i < lengths->count; i++) {
        const struct revealed *revealed = &lengths->revealed[i];
        if (revealed->state != REVEALED)
            continue;
        bool by_rule = range && i >= first && i < first + range && !lengths->breaks[i];
        order->replayed += by_rule ? lengths->held[i] : revealed->replay.arrays;
        order->different += by_rule ? 0 : revealed->replay.different;
        if (!range && revealed->terms < order->least)
            order->least = revealed->terms;
        if (!range && revealed->terms > order->most)
            order->most = revealed->terms;
        if (!by_rule && !revealed->model.sorting.sorts &&
            !keep_tree(lengths, &revealed->model.tree, error))
            return false;
    }
    return true;
}

static bool begin_order(struct lengths *lengths, const struct reveal_request *request,
                        const struct revealed *first) {
    struct order *order = &lengths->order;
    order_open(order, first->model.order.operation, first->model.order.format,
               first->model.order.result);
    order->node_count = 0;
    order->scale = first->model.order.scale;
    strncpy(order->source, request->implementation->name, sizeof order->source - 1);
    return true;
}

/* What no probe of a length decided is open of them all. */
static void add_open(struct order *order, const struct revealed *revealed) {
    for (unsigned i = 0; i < revealed->open_count; i++) {
        unsigned at = 0;
        while (at < order->open_count && strcmp(order->open[at], revealed->open[i]) != 0)
            at++;
        if (at == order->open_count && at < ORDER_MOST_OPEN)
            memcpy(order->open[order->open_count++], revealed->open[i], sizeof *order->open);
    }
}

/* The next length: by the rule, or by probes, which may change the rule. */
static bool take_length(struct lengths *lengths, const struct reveal_request *request, size_t terms,
                        struct error *error) {
    struct revealed *revealed =
        &lengths->revealed[lengths->count++]; /* closed where it fails, too */
    bool fits = false;
    enum {
        TRUSTED = 3
    }; /* the last lengths that a rule gives, before it is tried on the next one */
    if (lengths->has_rule && lengths->given >= TRUSTED && !lengths->is_extended &&
        !lengths->is_sorted) {
        if (!reveal_by(request, terms, &lengths->order, &lengths->through, revealed, &fits, error))
            return false;
        uint64_t calls = revealed->calls;
        if (!fits && revealed->state != NOT_REPEATABLE) {
            revealed_close(revealed);
            if (!reveal_length(request, terms, revealed, error))
                return false;
            revealed->calls += calls;
        }
    } else if (!reveal_length(request, terms, revealed, error)) {
        return false;
    }
    if (fits) {
        lengths->proven++;
        lengths->given++;
        return true;
    }
    lengths->given = 0;
    if (revealed->state != REVEALED)
        return true;
    if (!lengths->order.format)
        begin_order(lengths, request, revealed);
    lengths->through = revealed->model.through;
    lengths->order.scale = revealed->model.order.scale;
    lengths->is_extended |= revealed->model.extended;
    lengths->is_sorted |= revealed->model.sorting.sorts;
    add_open(&lengths->order, revealed);
    if (!lengths_share_nodes(&lengths->order, &revealed->model))
        return error_set(error, "more than %d kinds of additions", ORDER_MOST_NODES);
    lengths->is_folded = false;
    if (lengths->count < lengths->next_fold)
        return true;
    lengths->next_fold = lengths->count + lengths->count / 2 + 1;
    return lengths_fold(lengths, request, error);
}

enum {
    CHECKED = 120
}; /* arrays by which a rule is held to a length that has been replayed by its own tree */

/* What was replayed by one of two such trees holds of the other. */
static bool have_same_additions(const struct order_tree *a, const struct order_tree *b) {
    return a->count == b->count && a->child_count == b->child_count &&
           order_tree_hash(a) == order_tree_hash(b);
}

/* A length of which two calls differ is not revealed, whatever was found of it before. */
static void take_unrepeatable(struct lengths *lengths, size_t index, const struct revealed *again) {
    struct revealed *before = &lengths->revealed[index];
    const uint64_t calls = before->calls;
    lengths->proven -= before->state == REVEALED;
    lengths->breaks[index] = false;
    revealed_close(before);
    *before = *again;
    before->calls += calls;
}

static bool rule_fits(struct lengths *lengths, const struct reveal_request *request, size_t index,
                      bool *fits, struct error *error) {
    struct reveal_request few = *request;
    struct revealed again;
    few.arrays = CHECKED;
    const struct revealed *own = &lengths->revealed[index];
    *fits = lengths_gives(lengths, own, order_tree_roundings);
    if (!*fits && order_tree_roundings(&own->model.tree))
        return true;
    if (!*fits) /* a single addition that rounds to less may be two */
        few.arrays = request->arrays;
    bool good =
        reveal_by(&few, own->terms, &lengths->order, &lengths->through, &again, fits, error);
    if (good && again.state == NOT_REPEATABLE) {
        take_unrepeatable(lengths, index, &again);
        return true;
    }
    lengths->held[index] = again.replay.arrays;
    if (good && *fits && own->replay.arrays > again.replay.arrays &&
        have_same_additions(&own->model.tree, &again.model.tree))
        lengths->held[index] = own->replay.arrays;
    revealed_close(&again);
    return good;
}

/* Trees are folded whatever a sum begins with, and whatever is rounded alone: both are tried at a length. */
static bool choose_start(struct lengths *lengths, const struct reveal_request *request,
                         size_t index, struct error *error) {
    static const enum order_start starts[] = {ORDER_START_ITEMS, ORDER_START_ALONE,
                                              ORDER_START_ZERO};
    const struct order_rules folded = lengths->order.rules;
    struct order_rules spilled;
    bool fits = false;
    for (unsigned number = 0;
         !fits && spilled_rules(&folded, &lengths->revealed[index].model.tree, number, &spilled);
         number++)
        for (size_t i = 0; i < sizeof starts / sizeof *starts && !fits; i++) {
            lengths->order.rules = spilled;
            for (unsigned row = 0; row < spilled.count; row++)
                if (spilled.rows[row].start == ORDER_START_ITEMS)
                    lengths->order.rules.rows[row].start = starts[i];
            if (!rule_fits(lengths, request, index, &fits, error))
                return false;
        }
    if (!fits)
        lengths->order.rules = folded;
    return true;
}

/* Holds the rule to each length; those that it does not give keep their trees. */
static bool check_rule(struct lengths *lengths, const struct reveal_request *request,
                       struct error *error) {
    size_t longest = 0;
    if (!lengths->has_rule || lengths->is_extended || lengths->is_sorted)
        return true;
    for (size_t i = 0; i < lengths->count; i++)
        if (lengths_have(lengths, i) &&
            lengths_gives(lengths, &lengths->revealed[i], order_tree_hash))
            longest = i;
    if (!choose_start(lengths, request, longest, error))
        return false;
    lengths->broken = 0;
    for (size_t i = 0; i < lengths->count; i++) {
        bool fits = true;
        if (lengths->revealed[i].state != REVEALED)
            continue;
        if (!rule_fits(lengths, request, i, &fits, error))
            return false;
        if (lengths->revealed[i].state != REVEALED)
            continue;
        lengths->breaks[i] = !fits;
        lengths->broken += !fits;
    }
    if (2 * lengths->broken > lengths->proven) {
        lengths->has_rule = false;
        lengths->order.rules.count = 0;
        for (size_t i = 0; i < lengths->count; i++)
            lengths->breaks[i] = lengths->revealed[i].state == REVEALED;
    }
    return true;
}

/* A length that was not revealed by itself, as a single addition may not be, by the rule of all others. */
static bool take_again(struct lengths *lengths, const struct reveal_request *request, size_t index,
                       struct error *error) {
    struct revealed *before = &lengths->revealed[index], again;
    bool fits;
    if ((before->state != BEST_FIT && before->state != NO_TREE) || !lengths->has_rule ||
        lengths->is_extended || lengths->is_sorted)
        return true;
    if (!reveal_by(request, before->terms, &lengths->order, &lengths->through, &again, &fits,
                   error)) {
        revealed_close(&again);
        return false;
    }
    if (again.state == NOT_REPEATABLE) {
        take_unrepeatable(lengths, index, &again);
        return true;
    }
    again.calls += before->calls;
    revealed_close(fits ? before : &again);
    if (fits) {
        *before = again;
        lengths->held[index] = again.replay.arrays;
        lengths->proven++;
    }
    return true;
}

/* A length of several that cannot be told, since a call crashed or its results are no numbers, is not all of them, unless
 * none of the first ones can. */
static bool lose_length(struct lengths *lengths, size_t *lost, const struct error *why) {
    enum { MOST_AT_FIRST = 3 };
    struct revealed *revealed = &lengths->revealed[lengths->count - 1];
    const size_t length = strnlen(why->text, sizeof revealed->why - 1);
    revealed_close(revealed);
    revealed->has_model = false;
    revealed->state = NOT_TOLD;
    memcpy(revealed->why, why->text, length);
    revealed->why[length] = 0;
    return ++*lost < lengths->count || *lost < MOST_AT_FIRST;
}

static bool is_stopped(const struct reveal_request *request) {
    return request->stop && *request->stop;
}

bool reveal_lengths(const struct reveal_request *request, size_t least, size_t most, size_t step,
                    struct lengths *lengths, struct error *error) {
    size_t room = (most - least) / step + 1;
    *lengths = (struct lengths){.revealed = calloc(room, sizeof *lengths->revealed),
                                .held = calloc(room, sizeof *lengths->held),
                                .tried = calloc(room, sizeof *lengths->tried),
                                .breaks = calloc(room, sizeof *lengths->breaks)};
    if (!lengths->revealed || !lengths->held || !lengths->tried || !lengths->breaks)
        return error_set(error, "out of memory");
    size_t lost = 0;
    for (size_t i = 0; i < room && !is_stopped(request); i++)
        if (!take_length(lengths, request, least + i * step, error) &&
            (room == 1 || is_stopped(request) || !lose_length(lengths, &lost, error)))
            return false;
    if (lost == room)
        return false;
    if (is_stopped(request))
        return error_set(error, "interrupted");
    if (!lengths->order.format)
        return true;
    if (!lengths->is_folded && !lengths_fold(lengths, request, error))
        return false;
    lengths_drop_nodes(lengths);
    if (!check_rule(lengths, request, error))
        return false;
    for (size_t i = 0; i < lengths->count; i++)
        if (!take_again(lengths, request, i, error))
            return false;
    for (size_t i = 0; i < lengths->count; i++)
        lengths->calls += lengths->revealed[i].calls;
    return find_known(lengths, request->whole != 0, error) && finish_order(lengths, error);
}

void lengths_close(struct lengths *lengths) {
    for (size_t i = 0; i < lengths->count; i++)
        revealed_close(&lengths->revealed[i]);
    free(lengths->revealed);
    free(lengths->held);
    free(lengths->tried);
    free(lengths->breaks);
    order_close(&lengths->order);
    *lengths = (struct lengths){0};
}
