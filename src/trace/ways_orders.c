/* The rows, and the grid. A combination is a row of a rule with others in its places. */
#include "trace/ways_orders.h"

#include "order/sample.h"
#include "report/text.h"
#include "reveal/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Terms of all trees together, beyond which no more of the grid are made; and of one tree, beyond which none is. */
enum { MOST_TERMS = 1 << 22, LONGEST_TREE = 1 << 16 };

/* A part of a rule, whose first row is the one that is applied. */
struct combination {
    char says[96];
    struct order_rules rules;
};

/* ---- Collecting ---- */

/* Whether an order is another one than all before it. */
static bool is_new(const struct trace_orders *orders, struct trace_order *order) {
    struct order_tree tree;
    struct error unused;
    if (orders->length > LONGEST_TREE)
        return order->is_usual;
    if (!order->is_usual && (orders->count + 1) * orders->length > MOST_TERMS)
        return false;
    if (!order_rules_tree(&order->rules, orders->length, &tree, &unused))
        return false;
    order->hash = order_tree_hash(&tree);
    order_tree_close(&tree);
    for (size_t i = 0; i < orders->count; i++)
        if (orders->items[i].hash == order->hash)
            return false;
    return true;
}

static void add(struct trace_orders *orders, const char *says, const struct order_rules *rules,
                bool is_usual) {
    struct trace_order order = {.rules = *rules, .is_usual = is_usual};
    snprintf(order.says, sizeof order.says, "%s", says);
    if (!is_new(orders, &order))
        return;
    if (orders->count == orders->room) {
        const size_t room = orders->room ? 2 * orders->room : 64;
        struct trace_order *items = realloc(orders->items, room * sizeof *items);
        if (!items) {
            orders->out_of_memory = true;
            return;
        }
        orders->items = items;
        orders->room = room;
    }
    orders->items[orders->count++] = order;
}

/* ---- Combining ---- */

static struct combination one(struct order_rule row, const char *says) {
    struct combination made = {.rules = {1, {row}}};
    snprintf(made.says, sizeof made.says, "%s", says);
    return made;
}

/* Puts the rows of a part behind those that are there; where the first of them is. */
static uint8_t put(struct order_rules *rules, const struct combination *part) {
    const unsigned first = rules->count;
    for (unsigned i = 0; i < part->rules.count && rules->count < ORDER_MOST_RULES; i++) {
        struct order_rule row = part->rules.rows[i];
        uint8_t *const named[] = {&row.inner, &row.outer, &row.rest};
        for (size_t k = 0; k < sizeof named / sizeof *named; k++)
            *named[k] = (uint8_t)(*named[k] + (*named[k] ? first : 0));
        rules->rows[rules->count++] = row;
    }
    return (uint8_t)first;
}

/* A row with its parts; either may be NULL: from the left. */
static struct order_rules with(struct order_rule row, const struct combination *inner,
                               const struct combination *outer) {
    struct order_rules rules = {1, {row}};
    if (inner)
        rules.rows[0].inner = put(&rules, inner);
    if (outer)
        rules.rows[0].outer = put(&rules, outer);
    return rules;
}

/* How totals are put together. */
enum { FROM_LEFT, FOLDED, IN_PAIRS, TOGETHER };
static struct combination together(int how) {
    static const char *const says[] = {"added from the left", "folded", "pairs of them"};
    static const enum order_rule_kind kinds[] = {ORDER_SEQUENTIAL, ORDER_FOLD, ORDER_PAIRS};
    return one((struct order_rule){.kind = kinds[how], .size = how == FROM_LEFT}, says[how]);
}

/* ---- The usual ---- */

static void add_halves(struct trace_orders *orders, uint64_t size, bool is_usual) {
    char says[TRACE_ORDER_TEXT];
    snprintf(says, sizeof says, "adds halves of halves, down to %d", (int)size);
    add(orders, says,
        &(struct order_rules){1, {{.kind = ORDER_HALVES, .size = size, .multiple = 1}}}, is_usual);
}

/* Successive parts; "two halves of 2,048". */
static void add_parts(struct trace_orders *orders, unsigned parts, const struct combination *inner,
                      int how, bool is_usual) {
    char says[TRACE_ORDER_TEXT], each[40] = "", grouped[32];
    const struct combination outer = together(how);
    if (orders->length % parts == 0)
        snprintf(each, sizeof each, " of %s", text_grouped(orders->length / parts, grouped));
    int used = parts == 2 ? snprintf(says, sizeof says, "sums two halves%s", each)
                          : snprintf(says, sizeof says, "sums %u parts%s", parts, each);
    if (how != FROM_LEFT)
        used += snprintf(says + used, sizeof says - (size_t)used, ", %s", outer.says);
    if (inner)
        snprintf(says + used, sizeof says - (size_t)used, ", each %s", inner->says);
    const struct order_rules rules =
        with((struct order_rule){.kind = ORDER_SPLIT, .size = parts}, inner, &outer);
    add(orders, says, &rules, is_usual);
}

static void add_lanes(struct trace_orders *orders, unsigned lanes, int how, enum order_tail tail,
                      bool is_usual) {
    char says[TRACE_ORDER_TEXT];
    const struct combination outer = together(how);
    snprintf(says, sizeof says, "sums in %u lanes, %s%s", lanes,
             lanes == 2 && how == FROM_LEFT ? "added" : outer.says,
             tail == ORDER_TAIL_AFTER   ? ", the rest behind"
             : tail == ORDER_TAIL_APART ? ", the rest apart"
                                        : "");
    const struct order_rules rules =
        with((struct order_rule){.kind = ORDER_LANES, .size = lanes, .tail = tail}, NULL, &outer);
    add(orders, says, &rules, is_usual);
}

/* ", the last two of 384 and 376": of blocks whose last ones are shared out anew; empty where they are not. */
static void say_last_two(uint64_t length, const struct order_rule *row, char text[64]) {
    char one[32], other[32];
    const size_t count = (size_t)length;
    size_t last[2] = {0, 0}, size;
    for (size_t at = 0, number = 0; at < count; at += size, number++) {
        size = order_block_size(row, count, count - at, number);
        last[0] = last[1];
        last[1] = size;
    }
    *text = '\0';
    if (last[1] > row->size)
        snprintf(text, 64, ", the last of %s", text_grouped(last[1], one));
    else if (last[0] && last[0] != row->size)
        snprintf(text, 64, ", the last two of %s and %s", text_grouped(last[0], one),
                 text_grouped(last[1], other));
}

/* Blocks; with `multiple` the last two of about one length, up to that. */
static void add_blocks(struct trace_orders *orders, uint64_t size, uint64_t multiple,
                       const struct combination *inner, bool from_right, bool is_usual) {
    char says[TRACE_ORDER_TEXT], alike[64];
    const struct combination right = one((struct order_rule){.kind = ORDER_REVERSED}, "");
    const struct order_rules rules =
        with((struct order_rule){.kind = ORDER_BLOCKS, .size = size, .multiple = multiple}, inner,
             from_right ? &right : NULL);
    say_last_two(orders->length, &rules.rows[0], alike);
    snprintf(says, sizeof says, "sums blocks of %d%s, each %.40s%s", (int)size, alike,
             inner ? inner->says : "from the left",
             from_right ? ", the blocks from the right" : "");
    add(orders, says, &rules, is_usual);
}

static void add_usual(struct trace_orders *orders) {
    static const unsigned parts[] = {2, 3, 4, 8, 16}, lanes[] = {4, 8, 16, 32};
    static const uint64_t blocks[] = {32, 64, 128, 192, 256, 320, 336, 384, 512, 1024},
                          alike[] = {128, 192, 256, 320, 384, 512};
    const struct combination left = together(FROM_LEFT), pairs = together(IN_PAIRS),
                             right = one((struct order_rule){.kind = ORDER_REVERSED}, "");
    add(orders, "makes one sum from the left", &left.rules, true);
    add(orders, "makes one sum from the right", &right.rules, true);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        add_parts(orders, parts[i], NULL, FROM_LEFT, true);
    add_lanes(orders, 2, FROM_LEFT, ORDER_TAIL_WITHIN, true);
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        for (int how = FOLDED; how < FOLDED + TOGETHER; how++)
            add_lanes(orders, lanes[i], how % TOGETHER, ORDER_TAIL_WITHIN, true);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        add_blocks(orders, blocks[i], 0, NULL, false, true);
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        add_blocks(orders, alike[i], 1, NULL, false, true);
    add(orders, "adds pairs, then pairs of these", &pairs.rules, true);
    add_halves(orders, 8, true);
}

/* ---- The grid ---- */

static void add_known(struct trace_orders *orders) {
    const char *name;
    const struct order_rules *rules;
    for (size_t i = 0; (rules = known_order_at(i, &name)) || name; i++) {
        char says[TRACE_ORDER_TEXT];
        snprintf(says, sizeof says, "adds by %s", name);
        if (rules)
            add(orders, says, rules, false);
    }
}

/* Vectors of lanes: the vectors put together lane by lane, then the lanes; alone, and in blocks and parts. */
static void add_vectors(struct trace_orders *orders, unsigned vectors, unsigned lanes, int how,
                        int lanes_how) {
    char says[TRACE_ORDER_TEXT];
    const struct combination vectors_together = together(how), outer = together(lanes_how);
    struct combination folded = {.rules =
                                     with((struct order_rule){.kind = ORDER_LANES, .size = lanes},
                                          &vectors_together, &outer)};
    snprintf(says, sizeof says,
             "sums in %u vectors of %u lanes, the vectors %.40s, the lanes %.40s", vectors, lanes,
             vectors_together.says, outer.says);
    const struct order_rules rules = with(
        (struct order_rule){.kind = ORDER_LANES, .size = (uint64_t)vectors * lanes}, NULL, &folded);
    add(orders, says, &rules, false);
}

static void add_in_lanes(struct trace_orders *orders) {
    static const unsigned sizes[] = {2, 3, 4, 8, 12, 16, 24, 32, 64, 128};
    static const enum order_tail tails[] = {ORDER_TAIL_WITHIN, ORDER_TAIL_AFTER, ORDER_TAIL_APART};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t t = 0; t < sizeof tails / sizeof *tails; t++)
            for (int how = 0; how < TOGETHER; how++)
                add_lanes(orders, sizes[i], how, tails[t], false);
    for (unsigned vectors = 2; vectors <= 8; vectors *= 2)
        for (unsigned lanes = 2; lanes <= 16; lanes *= 2)
            for (int how = 0; how < TOGETHER * TOGETHER; how++)
                add_vectors(orders, vectors, lanes, how / TOGETHER, how % TOGETHER);
}

/* A loop that is unrolled, and what is left of it: lanes as far as the last multiple of a number of terms. */
static void add_unrolled(struct trace_orders *orders) {
    static const struct {
        enum order_tail tail;
        const char *says;
    } rests[] = {{ORDER_TAIL_LANE, "the rest onto the first"},
                 {ORDER_TAIL_AFTER, "the rest behind"},
                 {ORDER_TAIL_APART, "the rest apart"}};
    char says[TRACE_ORDER_TEXT];
    for (uint64_t multiple = 4; multiple <= 32; multiple *= 2)
        for (uint64_t lanes = 2; lanes <= 16 && lanes <= multiple; lanes *= 2)
            for (size_t i = 0; i < sizeof rests / sizeof *rests; i++)
                for (int how = 0; how < TOGETHER; how++) {
                    const struct combination outer = together(how);
                    snprintf(says, sizeof says,
                             "sums in %d lanes up to a multiple of %d terms, %s, %.40s", (int)lanes,
                             (int)multiple, rests[i].says, outer.says);
                    const struct order_rules rules =
                        with((struct order_rule){.kind = ORDER_LANES,
                                                 .size = lanes,
                                                 .multiple = multiple,
                                                 .tail = rests[i].tail},
                             NULL, &outer);
                    add(orders, says, &rules, false);
                }
}

/* One loop over terms, unrolled: lanes within a block or a part. */
static struct combination lanes_within(unsigned lanes, int how) {
    const struct combination outer = together(how);
    struct combination made = {
        .rules = with((struct order_rule){.kind = ORDER_LANES, .size = lanes}, NULL, &outer)};
    snprintf(made.says, sizeof made.says, "in %u lanes, %.60s", lanes, outer.says);
    return made;
}

static void add_in_blocks(struct trace_orders *orders) {
    static const uint64_t sizes[] = {4,   8,   16,   24,   32,   48,   64,   80,  96,  112,
                                     128, 144, 160,  176,  192,  208,  224,  240, 256, 288,
                                     320, 336, 344,  352,  368,  371,  384,  448, 512, 640,
                                     768, 896, 1024, 1280, 1536, 2048, 3072, 4096};
    static const uint64_t multiples[] = {1, 2, 4, 8, 16};
    const struct combination pairs = one((struct order_rule){.kind = ORDER_PAIRS}, "in pairs");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] < orders->length; i++) {
        add_blocks(orders, sizes[i], 0, NULL, false, false);
        add_blocks(orders, sizes[i], 0, NULL, true, false);
        for (size_t k = 0; k < sizeof multiples / sizeof *multiples; k++)
            add_blocks(orders, sizes[i], multiples[k], NULL, false, false);
        add_blocks(orders, sizes[i], 0, &pairs, false, false);
        for (unsigned lanes = 2; lanes <= 16; lanes *= 2)
            for (int how = 0; how < TOGETHER; how++) {
                const struct combination inner = lanes_within(lanes, how);
                add_blocks(orders, sizes[i], 0, &inner, false, false);
            }
    }
}

static void add_in_parts(struct trace_orders *orders) {
    static const unsigned parts[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 24, 32, 48, 64, 128};
    for (size_t i = 0; i < sizeof parts / sizeof *parts && parts[i] < orders->length; i++)
        for (int how = 0; how < TOGETHER; how++) {
            add_parts(orders, parts[i], NULL, how, false);
            for (unsigned lanes = 2; lanes <= 16; lanes *= 2) {
                const struct combination inner = lanes_within(lanes, how);
                add_parts(orders, parts[i], &inner, FROM_LEFT, false);
            }
        }
    for (uint64_t size = 1; size <= 1024; size *= 2)
        add_halves(orders, size, false);
}

bool trace_orders_open(struct trace_orders *orders, size_t length) {
    *orders = (struct trace_orders){.length = length};
    add_usual(orders);
    add_known(orders);
    add_in_lanes(orders);
    add_unrolled(orders);
    add_in_parts(orders);
    add_in_blocks(orders);
    return !orders->out_of_memory;
}

void trace_orders_close(struct trace_orders *orders) {
    free(orders->items);
    *orders = (struct trace_orders){.count = 0};
}
