/* Rows of numbers, and the terms that are unlike others. */
#include "reveal_terms.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 12 };

void reveal_print_runs(size_t count, bool (*picks)(const void *context, size_t index),
                       const void *context, size_t first, size_t step) {
    const char *comma = "";
    int shown = 0;
    for (size_t i = 0; i < count; i++) {
        size_t end = i;
        if (!picks(context, i))
            continue;
        while (end + 1 < count && picks(context, end + 1))
            end++;
        if (shown++ == SHOWN) {
            printf(", ...");
            return;
        }
        printf("%s%zu", comma, first + i * step);
        if (end > i)
            printf("%s%zu", end == i + 1 ? ", " : " to ", first + end * step);
        comma = ", ";
        i = end;
    }
}

struct weight_is {
    const uint8_t *weights;
    uint8_t weight;
};

static bool has_weight(const void *context, size_t index) {
    const struct weight_is *is = context;
    return is->weights[index] == is->weight;
}

/* Terms below an addition: how many, and the first and last of them. */
struct below {
    size_t count, first, last;
};

static struct below join_below(struct below a, struct below b) {
    if (!a.count || !b.count)
        return a.count ? a : b;
    return (struct below){a.count + b.count, a.first < b.first ? a.first : b.first,
                          a.last > b.last ? a.last : b.last};
}

/* "onto 0 to 16", "onto 5 terms of 1 to 29", "to itself". */
static void print_place(struct below onto, size_t copies) {
    if (copies > 1 && !onto.count)
        printf("to itself");
    else if (onto.count == 1)
        printf("onto %zu", onto.first);
    else if (onto.count == onto.last - onto.first + 1)
        printf("onto %zu to %zu", onto.first, onto.last);
    else
        printf("onto %zu terms of %zu to %zu", onto.count, onto.first, onto.last);
}

static bool is_alone_in(const struct below *below, int32_t child, size_t term) {
    return order_is_addition(child) ? below[~child].count == 1 && below[~child].first == term
                                    : order_is_term(child) && (size_t)child == term;
}

/* Terms that one is added to, each counted once, wherever it was added before. */
static size_t count_terms(const struct order_tree *tree, const struct below *below, size_t top,
                          size_t term) {
    uint8_t *is_below = calloc(top + 1, 1), *is_there = calloc(tree->terms + 1, 1);
    size_t count = 0;
    if (is_below)
        is_below[top] = 1;
    for (size_t v = top + 1; is_below && is_there && v-- > 0;)
        for (uint32_t k = 0; is_below[v] && k < tree->additions[v].children; k++) {
            const int32_t child = tree->children[tree->additions[v].first + k];
            if (v == top && is_alone_in(below, child, term))
                continue;
            if (order_is_addition(child))
                is_below[~child] = 1;
            else if (order_is_term(child) && !is_there[child])
                count += is_there[child] = 1;
        }
    free(is_below);
    free(is_there);
    return count;
}

/* What a term that counts twice is added to at its two places. */
static void print_places(const struct order_tree *tree, size_t term) {
    struct below *below = calloc(tree->count + 1, sizeof *below);
    const char *then = "";
    printf("  %zu is added ", term);
    for (size_t v = 0; below && v < tree->count; v++) {
        const struct order_addition *addition = &tree->additions[v];
        struct below others = {0, 0, 0};
        size_t copies = 0;
        for (uint32_t k = 0; k < addition->children; k++) {
            const int32_t child = tree->children[addition->first + k];
            const struct below one = order_is_addition(child) ? below[~child]
                                     : order_is_term(child)
                                         ? (struct below){1, (size_t)child, (size_t)child}
                                         : (struct below){0, 0, 0};
            const bool is_it = one.count == 1 && one.first == term; /* added to 0 before, too */
            copies += is_it;
            others = is_it ? others : join_below(others, one);
        }
        if (copies && (others.count || copies > 1)) {
            printf("%s", then);
            others.count = others.count ? count_terms(tree, below, v, term) : 0;
            print_place(others, copies);
            then = ", then ";
        }
        const struct below own = {copies, term, term};
        below[v] = join_below(others, own);
    }
    printf("\n");
    free(below);
}

void reveal_print_twice(const struct revealed *revealed) {
    enum { MOST = 4 };
    for (size_t i = 0, shown = 0; revealed->weight && i < revealed->terms && shown < MOST; i++)
        if (revealed->weight[i] == 2) {
            print_places(&revealed->model.tree, i);
            shown++;
        }
}

void reveal_print_weights(const struct revealed *revealed) {
    static const char *const words[] = {"dropped", NULL, "added twice", "not counted as 0, 1 or 2"};
    for (uint8_t weight = 0; weight < 4 && revealed->weight; weight++) {
        const struct weight_is is = {revealed->weight, weight};
        size_t count = 0;
        for (size_t i = 0; i < revealed->terms; i++)
            count += has_weight(&is, i);
        if (!words[weight] || !count)
            continue;
        printf("  %s: %zu of %zu terms: ", words[weight], count, revealed->terms);
        reveal_print_runs(revealed->terms, has_weight, &is, 0, 1);
        printf("\n");
    }
}

/* Whether an addition rounds one term, or adds it to 0; which. */
static bool is_alone(const struct order_tree *tree, int32_t child, size_t *term) {
    if (!order_is_addition(child))
        return false;
    const struct order_addition *addition = &tree->additions[~child];
    const int32_t *children = tree->children + addition->first;
    const int32_t last = children[addition->children - 1];
    *term = order_is_term(last) ? (size_t)last : 0;
    return order_is_term(last) &&
           (addition->children == 1 || (addition->children == 2 && children[0] == ORDER_ZERO));
}

/* Marks products that an addition rounds, and those that come to it rounded alone beside another total. */
static void mark_rounded(const struct model *model, const struct order_addition *addition,
                         uint8_t *rounded) {
    const int32_t *children = model->tree.children + addition->first;
    uint32_t totals = 0;
    size_t term;
    for (uint32_t k = 0; k < addition->children; k++)
        totals += order_is_addition(children[k]);
    for (uint32_t k = 0; k < addition->children; k++)
        if (order_is_term(children[k]))
            rounded[children[k]] |= model->order.nodes[addition->node].product != NULL;
        else if (totals > 1 && is_alone(&model->tree, children[k], &term))
            rounded[term] = 1;
}

void reveal_print_rounded(const struct revealed *revealed) {
    uint8_t *rounded = calloc(revealed->terms + 1, 1);
    const struct weight_is is = {rounded, 1};
    const struct model *model = &revealed->model;
    size_t count = 0;
    for (size_t v = 0; rounded && v < model->tree.count; v++)
        mark_rounded(model, &model->tree.additions[v], rounded);
    for (size_t i = 0; rounded && i < revealed->terms; i++)
        count += has_weight(&is, i);
    if (count && count < revealed->terms) {
        printf("  of %zu terms, products that are rounded before they are added: ",
               revealed->terms);
        reveal_print_runs(revealed->terms, has_weight, &is, 0, 1);
        printf("; the others are fused\n");
    }
    free(rounded);
}

void reveal_print_addends(const struct lengths *lengths) {
    enum { KINDS = 3 };
    const char *said[KINDS];
    size_t kinds = 0, of[KINDS] = {0}, others = 0;
    for (size_t i = 0; i < lengths->count; i++) {
        const char *words = lengths->revealed[i].addend.words;
        size_t k = 0;
        while (k < kinds && strcmp(said[k], words) != 0)
            k++;
        if (!*words || k == KINDS) {
            others += *words != '\0';
            continue;
        }
        said[k] = words;
        kinds += k == kinds;
        of[k]++;
    }
    for (size_t k = 0; k < kinds; k++)
        if (of[k] == lengths->proven)
            printf("  c: %s\n", said[k]);
        else
            printf("  c: %s, at %zu of %zu lengths\n", said[k], of[k], lengths->proven);
    if (others)
        printf("  c: at other places at %zu of %zu lengths\n", others, lengths->proven);
}
