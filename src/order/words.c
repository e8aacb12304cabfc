/* Rules and nodes in words. */
#include "order/order.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text that is being put together; what does not fit is cut. */
struct text {
    char *at;
    size_t room;
};

PRINTF_LIKE(2, 3) static void say(struct text *text, const char *words, ...) {
    va_list list;
    va_start(list, words);
    int length = vsnprintf(text->at, text->room, words, list);
    va_end(list);
    size_t said = length < 0 ? 0 : (size_t)length < text->room ? (size_t)length : text->room - 1;
    text->at += said;
    text->room -= said;
}

static void say_rule(struct text *text, const struct order_rules *rules, unsigned number,
                     uint64_t places);

/* Whether a part goes without saying: from the left, as this row has it. */
static bool is_plain(const struct order_rules *rules, unsigned part, const struct order_rule *row) {
    const struct order_rule *below = &rules->rows[part];
    return !part || (below->kind == ORDER_SEQUENTIAL && below->size == 1 && !below->multiple &&
                     below->node == row->node && below->start == ORDER_START_ITEMS);
}

static void say_node(struct text *text, const struct order_rule *row) {
    if (row->node)
        say(text, " by addition %u", row->node);
}

static void say_start(struct text *text, const struct order_rule *row) {
    static const char *const words[ORDER_STARTS] = {"", ", the first one rounded alone",
                                                    ", from +0", ", from c"};
    say(text, "%s", words[row->start]);
}

static void say_sequential(struct text *text, const struct order_rule *row) {
    if (row->size == 1)
        say(text, "from the left");
    else if (row->size)
        say(text, "from the left, %" PRIu64 " at a time", row->size);
    else
        say(text, "all at once");
    say_node(text, row);
    say_start(text, row);
    if (row->multiple)
        say(text, ", rounded by addition %u after every %" PRIu64, row->spill, row->multiple);
}

/* From the left, by the row's own addition, which stands there already where it is that of the parts. */
static void say_plain(struct text *text, const struct order_rules *rules,
                      const struct order_rule *row) {
    say(text, "from the left");
    if (!is_plain(rules, row->inner, row))
        say_node(text, row);
}

/* How parts come together: "added from the left". */
static void say_outer(struct text *text, const struct order_rules *rules,
                      const struct order_rule *row, const char *what, uint64_t places) {
    const struct order_rule *outer = &rules->rows[row->outer];
    if (row->outer && outer->kind == ORDER_FOLD) {
        say(text, ", ");
        say_rule(text, rules, row->outer, places);
        return;
    }
    if (row->outer && outer->kind > ORDER_FOLD) {
        say(text, ", the %s (", what);
        say_rule(text, rules, row->outer, 0);
        say(text, ")");
        return;
    }
    say(text, ", %s added ", what);
    if (row->outer)
        say_rule(text, rules, row->outer, places);
    else
        say_plain(text, rules, row);
}

static void say_tail(struct text *text, const struct order_rules *rules,
                     const struct order_rule *row) {
    static const char *const words[ORDER_TAILS] = {"",
                                                   ", the rest ",
                                                   ", the rest and then that total ",
                                                   ", the rest apart, ",
                                                   ", the rest in front of the lanes",
                                                   ", the rest behind the lanes",
                                                   ", the rest onto lane 0 ",
                                                   ", the rest dropped"};
    say(text, "%s", words[row->tail]);
    if (row->tail != ORDER_TAIL_AFTER && row->tail != ORDER_TAIL_BEFORE &&
        row->tail != ORDER_TAIL_APART && row->tail != ORDER_TAIL_LANE)
        return;
    if (row->rest)
        say_rule(text, rules, row->rest, 0);
    else
        say_plain(text, rules, row);
}

static void say_inner(struct text *text, const struct order_rules *rules,
                      const struct order_rule *row) {
    if (is_plain(rules, row->inner, row)) {
        say_node(text, row);
        say_start(text, row);
        return;
    }
    say(text, ", each (");
    say_rule(text, rules, row->inner, 0);
    say(text, ")");
}

static void say_part(struct text *text, const struct order_rules *rules, unsigned part) {
    if (part)
        say_rule(text, rules, part, 0);
    else
        say(text, "from the left");
}

/* The same where more follows: in brackets, unless it is a few words. */
static void say_bracketed(struct text *text, const struct order_rules *rules, unsigned part) {
    const bool is_short = !part || rules->rows[part].kind <= ORDER_FOLD;
    say(text, "%s", is_short ? "" : "(");
    say_part(text, rules, part);
    say(text, "%s", is_short ? "" : ")");
}

static void say_parts(struct text *text, const struct order_rules *rules,
                      const struct order_rule *row) {
    switch (row->kind) {
    case ORDER_LANES:
        say(text, "%" PRIu64 " lanes, l, l + %" PRIu64 " …", row->size, row->size);
        if (row->multiple)
            say(text, " up to the last multiple of %" PRIu64, row->multiple);
        say_inner(text, rules, row);
        say_outer(text, rules, row, "lanes", row->size);
        say_tail(text, rules, row);
        break;
    case ORDER_BLOCKS:
        say(text, "blocks of %" PRIu64, row->size);
        if (row->multiple)
            say(text, " (the last two of equal length");
        if (row->multiple > 1)
            say(text, ", rounded up to a multiple of %" PRIu64, row->multiple);
        say(text, "%s", row->multiple ? ")" : "");
        say_inner(text, rules, row);
        say_outer(text, rules, row, "blocks", 0);
        break;
    case ORDER_CENTRED:
        say(text, "blocks of %" PRIu64 " (incomplete ones at both ends)", row->size);
        say_inner(text, rules, row);
        say_outer(text, rules, row, "blocks", 0);
        break;
    case ORDER_SPLIT:
        say(text, "%" PRIu64 " successive parts", row->size);
        if (row->multiple > 1)
            say(text, " rounded up to a multiple of %" PRIu64, row->multiple);
        else if (row->multiple)
            say(text, " (the last takes the remaining terms)");
        say_inner(text, rules, row);
        say_outer(text, rules, row, "parts", 0);
        break;
    default: /* ORDER_MAIN */
        say(text, "up to the last multiple of %" PRIu64 " ", row->size);
        say_bracketed(text, rules, row->inner);
        say_tail(text, rules, row);
    }
}

/* What becomes of `least` items and more, but less than `most`: rules by length within rules by length are one row of
 * cases, by the lengths where they end, "n < 8 ...; else n < 64 ...; else ...". */
static void say_cases(struct text *text, const struct order_rules *rules, unsigned number,
                      uint64_t least, uint64_t most) {
    const struct order_rule *row = &rules->rows[number];
    if (!number && (least || most < UINT64_MAX)) /* a part that goes without saying */
        row = NULL;
    if (row && row->kind == ORDER_SHORTER) {
        const uint64_t end = row->size < most ? row->size : most;
        const uint64_t from = row->size > least ? row->size : least;
        if (least < end)
            say_cases(text, rules, row->inner, least, end);
        if (from < most)
            say_cases(text, rules, row->outer, from, most);
        return;
    }
    if (least)
        say(text, "; else ");
    if (most < UINT64_MAX)
        say(text, "n < %" PRIu64 " ", most);
    say_part(text, rules, number);
}

/* Of a fold by how many places it has, where that is known: "folded 4, 2, 1". */
static void say_fold(struct text *text, uint64_t places) {
    say(text, "folded");
    if (!places || places & (places - 1))
        say(text, " in halves");
    for (uint64_t distance = places / 2; distance && !(places & (places - 1)); distance /= 2)
        say(text, "%s %" PRIu64, distance < places / 2 ? "," : "", distance);
}

static void say_rule(struct text *text, const struct order_rules *rules, unsigned number,
                     uint64_t places) {
    const struct order_rule *row = &rules->rows[number];
    switch (row->kind) {
    case ORDER_SEQUENTIAL:
        say_sequential(text, row);
        return;
    case ORDER_REVERSED:
        say(text, row->inner ? "from the right: " : "from the right");
        if (row->inner)
            say_rule(text, rules, row->inner, 0);
        else {
            say_node(text, row);
            say_start(text, row);
        }
        return;
    case ORDER_PAIRS:
        say(text, "in pairs of neighbours");
        say_node(text, row);
        return;
    case ORDER_FOLD:
        say_fold(text, places);
        say_node(text, row);
        return;
    case ORDER_HALVES:
        say_part(text, rules, row->inner);
        say(text, "; above %" PRIu64 " in halves", row->size);
        if (row->multiple > 1)
            say(text, " rounded to a multiple of %" PRIu64, row->multiple);
        say_node(text, row);
        return;
    case ORDER_CASCADE:
        say(text,
            "in %" PRIu64 " levels of totals, of %" PRIu64 " items or a %" PRIu64 "th root of n",
            row->multiple, row->size, row->multiple);
        say_node(text, row);
        say_start(text, row);
        return;
    case ORDER_SERPENTINE:
        say(text, row->multiple ? "whole blocks of %" PRIu64 : "blocks of %" PRIu64, row->size);
        if (row->multiple > 1)
            say(text, ", in groups of %" PRIu64 ",", row->multiple);
        say(text, row->multiple ? " backwards, " : " by turns forwards and backwards, ");
        say_part(text, rules, row->inner);
        return;
    case ORDER_DEALT:
        say(text, "each block of %" PRIu64 " with its odd groups of %" PRIu64 " first, ", row->size,
            row->multiple);
        say_part(text, rules, row->inner);
        return;
    case ORDER_SHORTER:
        say_cases(text, rules, number, 0, UINT64_MAX);
        return;
    case ORDER_ONTO:
        say_part(text, rules, row->inner);
        say(text, "%s", row->start == ORDER_START_ALONE ? ", then rounded" : ", then added to");
        say(text, "%s",
            row->start == ORDER_START_ZERO ? " +0"
            : row->start == ORDER_START_C  ? " c"
                                           : "");
        say_node(text, row);
        return;
    default:
        say_parts(text, rules, row);
    }
}

void order_rules_words(const struct order_rules *rules, char *text, size_t room) {
    struct text words = {text, room};
    *text = '\0';
    if (rules->count)
        say_rule(&words, rules, 0, 0);
}

static void say_flushed(struct text *text, const struct order_node *node) {
    const struct {
        bool is_flushed;
        const char *name;
    } parts[] = {{node->flush_operands, "operands"},
                 {node->flush_c, "c"},
                 {node->flush_products, "products"},
                 {node->flush_results, "results"}};
    enum { PARTS = sizeof parts / sizeof *parts };
    size_t left = 0, said = 0;
    for (size_t i = 0; i < PARTS; i++)
        left += parts[i].is_flushed;
    for (size_t i = 0; i < PARTS; i++)
        if (parts[i].is_flushed)
            say(text, "%s%s",
                !said++      ? ", subnormal "
                : --left > 1 ? ", "
                             : " and ",
                parts[i].name);
    say(text, "%s", said ? " flushed" : "");
}

void order_node_words(const struct order_node *node, char *text, size_t room) {
    const struct order_node plain = order_node_plain(node->result, ROUND_NEAREST_EVEN);
    struct text words = {text, room};
    say(&words, "%s, %s", node->result->name, order_rounding_names[node->rounding]);
    if (node->kind != ORDER_SUM)
        say(&words, ", %s", order_node_kind_names[node->kind]);
    if (node->terms != plain.terms)
        say(&words, ", %u terms at once", node->terms);
    if (node->result_precision)
        say(&words, ", %u bits of precision", node->result_precision);
    if (node->aligned_bits != ORDER_ALL_BITS)
        say(&words, ", terms aligned to %d bits%s, cut %s", node->aligned_bits,
            node->sticky ? " and a sticky one" : "", order_rounding_names[node->alignment]);
    if (node->product)
        say(&words, ", products rounded to %s", node->product->name);
    if (node->products_normalised)
        say(&words, ", products normalised");
    if (node->groups > 1)
        say(&words, ", in %u groups", node->groups);
    if (node->c != ORDER_C_WITH_TERMS)
        say(&words, ", c added after the sum");
    if (node->kind == ORDER_FIXED_POINT)
        say(&words, ", in multiples of 2^%d", node->fixed_exponent);
    if (node->kind == ORDER_BINS) {
        say(&words, ", %u of %u bits, slices %s, ", node->bins, node->bin_width,
            order_rounding_names[node->alignment]);
        say(&words,
            node->bin_ends == ORDER_BINS_ABSOLUTE ? "ends at multiples of %u bits, %d over"
                                                  : "ends above the largest term",
            node->bin_width, node->bin_base);
        if (node->bin_ends == ORDER_BINS_FROM_LARGEST && node->bin_base)
            say(&words, " by %d bits", node->bin_base);
        say(&words, ", totals %s%s", node->totals == ORDER_TOTALS_ONCE ? "rounded " : "added ",
            order_totals_names[node->totals]);
    }
    if (node->kind == ORDER_SLICES)
        say(&words, ", of both factors: %u of %u bits, cut %s%s, totals %s%s", node->bins,
            node->bin_width, order_rounding_names[node->alignment],
            node->all_products ? ", all products" : "",
            node->totals == ORDER_TOTALS_ONCE ? "rounded " : "added ",
            order_totals_names[node->totals]);
    if (node->bin_bare)
        say(&words, ", negative terms cut one bit lower");
    if (node->operands)
        say(&words, ", operands rounded to %s", node->operands->name);
    if (node->operands && node->operand_rounding != ORDER_NEAREST_EVEN)
        say(&words, " %s", order_rounding_names[node->operand_rounding]);
    say_flushed(&words, node);
    if (node->zero_positive)
        say(&words, ", zeros positive");
}
