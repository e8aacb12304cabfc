/* The parts, a row each. */
#include "explain/sum_parts.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef void value_words(const struct order_node *node, char *text, size_t room);

static void say_format(const struct order_node *node, char *text, size_t room) {
    if (node->result_precision)
        snprintf(text, room, "%s of %u bits of precision", node->result->name,
                 node->result_precision);
    else
        snprintf(text, room, "%s", node->result->name);
}

static void say_kind(const struct order_node *node, char *text, size_t room) {
    if (node->kind == ORDER_FIXED_POINT)
        snprintf(text, room, "multiples of 2^%d", node->fixed_exponent);
    else if (node->kind == ORDER_BINS)
        snprintf(text, room, "%u bins of %u bits", node->bins, node->bin_width);
    else
        snprintf(text, room, "%s",
                 node->kind == ORDER_SUM ? "no" : order_node_kind_names[node->kind]);
}

static void say_rounding(const struct order_node *node, char *text, size_t room) {
    snprintf(text, room, "%s", order_rounding_names[node->rounding]);
}

static void say_product(const struct order_node *node, char *text, size_t room) {
    snprintf(text, room, "%s%s%s", node->product ? "rounded to " : "exact",
             node->product ? node->product->name : "",
             node->products_normalised ? ", normalised" : "");
}

static void say_bits(const struct order_node *node, char *text, size_t room) {
    if (node->aligned_bits == ORDER_ALL_BITS)
        snprintf(text, room, "all bits");
    else
        snprintf(text, room, "%d bits", node->aligned_bits);
}

static void say_alignment(const struct order_node *node, char *text, size_t room) {
    snprintf(text, room, "%s%s", order_rounding_names[node->alignment],
             node->sticky ? ", with a sticky bit" : "");
}

static void say_groups(const struct order_node *node, char *text, size_t room) {
    snprintf(text, room, "%u", node->groups ? node->groups : 1);
}

static void say_joins(const struct order_node *node, char *text, size_t room) {
    snprintf(text, room, "%s, %d bits of it, %d of the sum", order_c_names[node->c], node->c_bits,
             node->joined_bits);
}

static void say_flushing(const struct order_node *node, char *text, size_t room) {
    snprintf(text, room, "%s%s%s%s", node->flush_operands ? " operands" : "",
             node->flush_c ? " accumulators" : "", node->flush_products ? " products" : "",
             node->flush_results ? " results" : "");
    if (!*text)
        snprintf(text, room, " none");
    memmove(text, text + 1, strlen(text));
}

static void say_overflow(const struct order_node *node, char *text, size_t room) {
    snprintf(text, room, "%s", node->products_overflow ? "yes" : "no");
}

static void say_zeros(const struct order_node *node, char *text, size_t room) {
    snprintf(text, room, "%s", node->zero_positive ? "+0" : "of its sign");
}

#define MEMBER(NAME)                                                                               \
    { offsetof(struct order_node, NAME), sizeof(((struct order_node *)NULL)->NAME) }

enum { MOST_MEMBERS = 7 };

static const struct row {
    struct hypothesis hypothesis;
    const char *verb;
    value_words *value;
    struct {
        size_t offset, size;
    } members[MOST_MEMBERS];
} rows[] = {
    [SUM_PART_ORDER] = {.hypothesis = {.name = "sum-order", .says = "adds in another order"}},
    [SUM_PART_SPILLS] = {.hypothesis = {.name = "sum-spills",
                                        .says = "rounds sums once more between additions"}},
    [SUM_PART_SCALE] = {.hypothesis = {.name = "sum-scaling",
                                       .says = "divides a mean at another step"}},
    {{.name = "sum-accumulator", .says = "adds in another format"},
     "adds in",
     say_format,
     {MEMBER(result), MEMBER(result_precision), MEMBER(nan)}},
    {{.name = "sum-compensation", .says = "compensates rounding errors, or does not"},
     "compensates rounding errors:",
     say_kind,
     {MEMBER(kind), MEMBER(fixed_exponent), MEMBER(bins), MEMBER(bin_width), MEMBER(bin_ends),
      MEMBER(bin_base), MEMBER(totals)}},
    {{.name = "sum-rounding", .says = "rounds sums in another direction"},
     "rounds sums",
     say_rounding,
     {MEMBER(rounding), MEMBER(overflow_is_infinite)}},
    {{.name = "sum-products", .says = "rounds products before they are added, or does not"},
     "adds products",
     say_product,
     {MEMBER(product), MEMBER(products_normalised)}},
    [SUM_PART_ALIGNED_BITS] = {{.name = "sum-aligned-bits",
                                .says = "keeps more or fewer bits of terms that are aligned"},
                               "aligns terms and keeps",
                               say_bits,
                               {MEMBER(aligned_bits), MEMBER(alignment_floor),
                                MEMBER(zeros_align)}},
    [SUM_PART_ALIGNMENT] = {{.name = "sum-alignment",
                             .says = "cuts or rounds aligned terms in another way"},
                            "cuts what lies below these bits",
                            say_alignment,
                            {MEMBER(alignment), MEMBER(sticky)}},
    {{.name = "sum-groups", .says = "aligns and adds terms in other groups"},
     "groups of terms that are aligned apart:",
     say_groups,
     {MEMBER(groups)}},
    {{.name = "sum-accumulator-joins", .says = "aligns the accumulator in another way"},
     "takes the accumulator",
     say_joins,
     {MEMBER(c), MEMBER(joined_bits), MEMBER(c_bits), MEMBER(c_reach), MEMBER(joining)}},
    {{.name = "sum-flushing", .says = "flushes subnormal numbers, or does not"},
     "flushes of subnormal numbers",
     say_flushing,
     {MEMBER(flush_operands), MEMBER(flush_c), MEMBER(flush_products), MEMBER(flush_results)}},
    {{.name = "sum-overflow", .says = "treats more or fewer products as infinite"},
     "takes products beyond the largest number as infinite:",
     say_overflow,
     {MEMBER(products_overflow)}},
    {{.name = "sum-zeros", .says = "returns zeros of another sign"},
     "gives zeros",
     say_zeros,
     {MEMBER(zero_positive)}},
};
_Static_assert(sizeof rows / sizeof *rows == SUM_PARTS, "a row for each part");

struct hypothesis sum_part(size_t index) {
    return index < SUM_PARTS ? rows[index].hypothesis : (struct hypothesis){.name = NULL};
}

/* Where one of two keeps all bits, how the other cuts goes with how many it keeps. */
static bool cuts_with_bits(const struct order_node *a, const struct order_node *b) {
    return a->aligned_bits == ORDER_ALL_BITS || b->aligned_bits == ORDER_ALL_BITS;
}

bool sum_part_same(const struct order_node *a, const struct order_node *b, size_t part) {
    bool same = true;
    if (part == SUM_PART_ALIGNMENT && cuts_with_bits(a, b))
        return true;
    for (int i = 0; i < MOST_MEMBERS && rows[part].members[i].size; i++)
        same = same && memcmp((const char *)a + rows[part].members[i].offset,
                              (const char *)b + rows[part].members[i].offset,
                              rows[part].members[i].size) == 0;
    return same;
}

void sum_part_take(struct order_node *node, const struct order_node *from, size_t part) {
    if (part == SUM_PART_ALIGNMENT && cuts_with_bits(node, from))
        return;
    if (part == SUM_PART_ALIGNED_BITS && cuts_with_bits(node, from)) {
        node->alignment = from->alignment;
        node->sticky = from->sticky;
    }
    for (int i = 0; i < MOST_MEMBERS && rows[part].members[i].size; i++)
        memcpy((char *)node + rows[part].members[i].offset,
               (const char *)from + rows[part].members[i].offset, rows[part].members[i].size);
}

const char *sum_part_verb(size_t part) {
    return rows[part].verb;
}

void sum_part_value(const struct order_node *node, size_t part, char *text, size_t room) {
    rows[part].value(node, text, room);
}
