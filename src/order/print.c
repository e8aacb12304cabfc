/* Orders as text for people: trees in block characters, and the whole. */
#include "order/order.h"

#include "base/foreign.h"
#include "order/folded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A tree on lines: a line for each term, and two characters for each height. An addition ends on the line of its last
 * child. A cell is a string, of one character. */
enum { CELL = 4, MOST_LINES = 4 * ORDER_DRAWN, MOST_ADDITIONS = 8 * ORDER_DRAWN };
struct drawing {
    const struct order_tree *tree;
    const struct order_folded *folded; /* whose labels name the lines; NULL: terms are lines */
    size_t lines, width;
    int32_t begins[MOST_LINES];
    size_t heights[MOST_ADDITIONS];
    char *cells;
};

static char *cell(const struct drawing *drawing, size_t line, size_t column) {
    return drawing->cells + (line * drawing->width + column) * CELL;
}

static void draw_to(const struct drawing *drawing, size_t line, size_t column) {
    for (size_t i = 0; i < column; i++)
        if (!*cell(drawing, line, i))
            strcpy(cell(drawing, line, i), "─");
}

/* Returns the line on which it ends. */
static size_t draw_child(struct drawing *drawing, int32_t child) {
    if (!order_is_addition(child)) {
        drawing->begins[drawing->lines] = child;
        return drawing->lines++;
    }
    const struct order_addition *addition = &drawing->tree->additions[~child];
    const size_t column = 2 * drawing->heights[~child] - 2;
    size_t line = 0;
    for (size_t k = 0, before = 0; k < addition->children; k++, before = line) {
        line = draw_child(drawing, drawing->tree->children[addition->first + k]);
        draw_to(drawing, line, column);
        for (size_t i = before + 1; k && i < line; i++)
            strcpy(cell(drawing, i, column), "│");
        bool last = k + 1 == addition->children;
        strcpy(cell(drawing, line, column), last ? (k ? "┴" : "○") : k ? "┤" : "┐");
    }
    if (addition->node)
        snprintf(cell(drawing, line, column + 1), CELL, "%x", addition->node & 15u);
    return line;
}

static void measure(struct drawing *drawing) {
    const struct order_tree *tree = drawing->tree;
    for (size_t i = 0; i < tree->count; i++) {
        size_t most = 0;
        for (size_t k = 0; k < tree->additions[i].children; k++) {
            int32_t child = tree->children[tree->additions[i].first + k];
            if (order_is_addition(child) && drawing->heights[~child] > most)
                most = drawing->heights[~child];
        }
        drawing->heights[i] = most + 1;
    }
    drawing->width = 2 * drawing->heights[tree->count - 1];
}

/* Characters of a label, whose "…" has three bytes. */
static int width_of(const char *label) {
    return (int)strlen(label) - (strstr(label, "…") ? 2 : 0);
}

static void print_label(const char *label, int width, FILE *stream) {
    fprintf(stream, "  %*s%s ", width - width_of(label), "", label);
}

static void print_lines(const struct drawing *drawing, FILE *stream) {
    int longest = 2;
    for (size_t i = 0; drawing->folded && i < drawing->folded->lines; i++)
        if (width_of(drawing->folded->labels[i]) > longest)
            longest = width_of(drawing->folded->labels[i]);
    for (size_t line = 0; line < drawing->lines; line++) {
        int32_t begins = drawing->begins[line];
        if (drawing->folded && order_is_term(begins))
            print_label(drawing->folded->labels[begins], longest, stream);
        else if (drawing->folded)
            print_label(begins == ORDER_C ? "c" : "+0", longest, stream);
        else if (order_is_term(begins))
            fprintf(stream, "  %3d ", (int)begins);
        else
            fprintf(stream, "  %3s ", begins == ORDER_C ? "c" : "+0");
        size_t end = drawing->width;
        while (end && !*cell(drawing, line, end - 1))
            end--;
        for (size_t column = 0; column < end; column++)
            fputs(*cell(drawing, line, column) ? cell(drawing, line, column) : " ", stream);
        fputs("\n", stream);
    }
}

/* Of a tree of a few lines. */
static void draw(const struct order_tree *tree, const struct order_folded *folded, FILE *stream) {
    struct drawing drawing = {.tree = tree, .folded = folded};
    measure(&drawing);
    drawing.cells = calloc(tree->child_count * drawing.width, CELL);
    if (!drawing.cells)
        return;
    draw_child(&drawing, ~(int32_t)(tree->count - 1));
    print_lines(&drawing, stream);
    free(drawing.cells);
}

static bool is_small(const struct order_tree *tree) {
    return tree->count && tree->count <= MOST_ADDITIONS && tree->child_count <= MOST_LINES;
}

void order_draw(const struct order_tree *tree, FILE *stream) {
    struct order_folded folded;
    if (tree->terms <= ORDER_DRAWN && is_small(tree)) {
        draw(tree, NULL, stream);
        return;
    }
    fprintf(stream, "  %zu terms in %zu addition%s", tree->terms, tree->count,
            tree->count == 1 ? "" : "s");
    if (tree->count > 1)
        fprintf(stream, ", up to %zu of them one after the other", order_tree_depth(tree));
    fprintf(stream, "\n");
    if (!order_fold_lines(tree, &folded))
        return;
    if (is_small(&folded.tree) && folded.lines > 1)
        draw(&folded.tree, &folded, stream);
    order_tree_close(&folded.tree);
}

static void print_uses(const struct order_tree *tree, FILE *stream) {
    unsigned *counts = calloc(tree->terms, sizeof *counts);
    if (counts)
        order_tree_uses(tree, counts);
    for (size_t i = 0; counts && i < tree->terms; i++)
        if (counts[i] != 1)
            fprintf(stream, "  term %zu is %s\n", i,
                    counts[i] ? "added more than once" : "in no addition");
    free(counts);
}

/* Of which length a person sees a drawing: the longest tree that is short enough, or one that the rule makes. */
static size_t drawn_length(const struct order *order) {
    size_t length = 0;
    for (size_t i = 0; i < order->tree_count; i++)
        if (order->trees[i].terms <= ORDER_DRAWN && order->trees[i].terms > length)
            length = order->trees[i].terms;
    if (!length && order->rules.count && order->least <= ORDER_DRAWN)
        length = order_known_up_to(order, ORDER_DRAWN / 2);
    return length;
}

static void print_trees(const struct order *order, FILE *stream) {
    struct order_tree tree;
    struct error error;
    size_t length = drawn_length(order);
    for (size_t i = 0; i < order->tree_count; i++) {
        fprintf(stream, "%s %zu", i ? "," : "trees of", order->trees[i].terms);
        if (i + 1 == order->tree_count)
            fprintf(stream, " terms\n");
    }
    if (!length || !order_tree_of(order, length, &tree, &error))
        return;
    fprintf(stream, "with %zu terms:\n", length);
    order_draw(&tree, stream);
    print_uses(&tree, stream);
    order_tree_close(&tree);
}

void order_print(const struct order *order, FILE *stream) {
    static const char *const scales[ORDER_SCALES] = {
        "",
        "the sum is divided by n",
        "the sum is multiplied by 1/n, rounded",
        "the sum is divided by n, and a subnormal mean flushed",
        "the sum is multiplied by 1/n, rounded, and a subnormal mean flushed",
        "each term is divided by n",
        "each term is multiplied by 1/n, rounded"};
    char words[1024];
    fprintf(stream, "%s: %s, %s", FOREIGN(*order->name ? order->name : "an order"),
            FOREIGN(order->operation), order->format->name);
    fprintf(stream, order->result == order->format ? "\n" : " to %s\n", order->result->name);
    order_rules_words(&order->rules, words, sizeof words);
    if (*words)
        fprintf(stream,
                order->step ? "n = %zu to %zu in steps of %zu: " : "n = %zu to %zu: ", order->least,
                order->most, order->step);
    if (*words)
        fprintf(stream, "%s\n", words);
    for (unsigned i = 0; i < order->node_count; i++) {
        order_node_words(&order->nodes[i], words, sizeof words);
        if (order->node_count > 1)
            fprintf(stream, "addition %u: %s\n", i, words);
        else
            fprintf(stream, "additions: %s\n", words);
    }
    if (order->scale)
        fprintf(stream, "%s\n", scales[order->scale]);
    print_trees(order, stream);
    for (unsigned i = 0; i < order->open_count; i++)
        fprintf(stream, "open: %s\n", FOREIGN(order->open[i]));
    if (order->replayed)
        fprintf(stream, "replayed: %" PRIu64 " array%s, %" PRIu64 " different\n", order->replayed,
                order->replayed == 1 ? "" : "s", order->different);
}
