/* What a part is on either side, in words. */
#include "explain/sum_mix.h"

#include "base/memory.h"
#include "reveal/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULE_TEXT = 100 };

/* A copy all of whose additions are by one node: false, no memory. */
static bool copy_plain(const struct order_tree *from, struct order_tree *tree) {
    if (!order_tree_copy(from, tree))
        return false;
    for (size_t v = 0; v < tree->count; v++)
        tree->additions[v].node = 0;
    return true;
}

/* Whose order of additions it is, or as a rule, whatever the nodes are; "" where that is long, or there is none. */
static void rule_words(const struct sum_model *side, char text[RULE_TEXT]) {
    const struct order_tree *const trees[] = {&side->model->tree};
    const char *known = known_order(trees, 1, false);
    struct order_rules rules = {.count = 0};
    struct order_tree tree;
    bool breaks;
    char words[512];
    snprintf(text, RULE_TEXT, "%s", known ? known : "");
    if (known || !copy_plain(&side->tree, &tree))
        return;
    if (!order_fold(&tree, 1, &rules, &breaks) && !breaks) {
        order_rules_words(&rules, words, sizeof words);
        if (strlen(words) < RULE_TEXT)
            strcpy(text, words);
    }
    order_tree_close(&tree);
}

/* "64 terms: A adds x[0] and x[1]; B adds x[0] and x[32]": the first addition that only one of both has, by whatever node:
 * nobody has said which number a node has. */
static void parting_words(const struct sum_pair *pair, char *text, size_t room) {
    struct order orders[2];
    struct order_tree trees[2];
    struct order_compared compared;
    struct error unused;
    char *lines = NULL, *line = NULL, *rest = NULL;
    size_t size;
    FILE *stream = memory_stream(&lines, &size);
    *text = '\0';
    if (!stream)
        return;
    bool good = true;
    for (int side = 0; side < 2; side++) {
        orders[side] = pair->sides[side].model->order;
        good = copy_plain(&pair->sides[side].model->tree, &trees[side]) && good;
        orders[side].trees = &trees[side];
        orders[side].tree_count = orders[side].node_count = 1;
        orders[side].rules.count = 0;
    }
    if (good)
        order_compare(&orders[0], &orders[1], stream, &compared, &unused);
    fclose(stream);
    for (int side = 0; side < 2; side++)
        order_tree_close(&trees[side]);
    for (line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (strstr(line, " terms: "))
            snprintf(text, room, "%s", line);
    free(lines);
}

/* Terms that are in one of both less often than in the other. */
static size_t terms_less(const struct order_tree *a, const struct order_tree *b) {
    unsigned *counts = calloc(2 * a->terms + 1, sizeof *counts);
    size_t less = 0;
    if (counts) {
        order_tree_uses(a, counts);
        order_tree_uses(b, counts + a->terms);
    }
    for (size_t i = 0; counts && i < a->terms; i++)
        less += counts[i] < counts[a->terms + i];
    free(counts);
    return less;
}

static void order_words(const struct sum_pair *pair, char text[SUM_PART_TEXT]) {
    const struct sum_model *a = &pair->sides[0], *b = &pair->sides[1];
    char rules[2][RULE_TEXT], parting[200];
    int length;
    rule_words(a, rules[0]);
    rule_words(b, rules[1]);
    *parting = '\0';
    if (a->most_terms == b->most_terms)
        parting_words(pair, parting, sizeof parting);
    const size_t less = terms_less(&b->tree, &a->tree), more = terms_less(&a->tree, &b->tree);
    if (less && more)
        length = snprintf(text, SUM_PART_TEXT,
                          "adds %zu terms less often than A, and %zu more often", less, more);
    else if (less || more)
        length = snprintf(text, SUM_PART_TEXT, "adds %zu of the terms %s often than A", less + more,
                          less ? "less" : "more");
    else if (a->most_terms != b->most_terms)
        length = snprintf(text, SUM_PART_TEXT, "adds %zu terms at once (A: %zu)", b->most_terms,
                          a->most_terms);
    else
        length = snprintf(text, SUM_PART_TEXT, "adds in another order");
    if (*rules[0] && *rules[1])
        length += snprintf(text + length, SUM_PART_TEXT - (size_t)length, ", %s (A: %s)", rules[1],
                           rules[0]);
    if (*parting)
        snprintf(text + length, SUM_PART_TEXT - (size_t)length, "; %s", parting);
}

/* Of the side that has the addition that differs: B where it has one. */
static void node_words(const struct sum_pair *pair, size_t part, char text[SUM_PART_TEXT]) {
    const struct sum_others of_b = sum_count_others(pair, 1, part);
    const int side = of_b.count ? 1 : 0;
    const struct sum_others others = side ? of_b : sum_count_others(pair, 0, part);
    const struct order_node *const nodes[2] = {sum_node_there(pair, side, others.first),
                                               sum_node_of(pair, side, others.first)};
    char a[80], b[80];
    sum_part_value(nodes[!side], part, a, sizeof a);
    sum_part_value(nodes[side], part, b, sizeof b);
    const int length = snprintf(text, SUM_PART_TEXT, "%s %s (A: %s)", sum_part_verb(part), b, a);
    if (others.count < others.all)
        snprintf(text + length, SUM_PART_TEXT - (size_t)length, " in %zu of %zu additions",
                 others.count, others.all);
}

void sum_part_words(const struct sum_pair *pair, size_t part, char text[SUM_PART_TEXT]) {
    if (part == SUM_PART_ORDER)
        order_words(pair, text);
    else if (part == SUM_PART_SCALE)
        snprintf(text, SUM_PART_TEXT, "divides a mean by %s (A: by %s)",
                 order_scale_names[pair->sides[1].model->order.scale],
                 order_scale_names[pair->sides[0].model->order.scale]);
    else if (part == SUM_PART_SPILLS)
        snprintf(text, SUM_PART_TEXT, "%s", sum_part(part).says);
    else
        node_words(pair, part, text);
}
