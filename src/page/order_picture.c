/* A tree of additions as a picture: a row for each term, or for terms that are alike, and columns of additions. */
#include "page/order_picture.h"

#include "order/order.h"

#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 16, /* terms that are drawn one by one */
    CHAIN = 4,  /* terms added one after the other that become one row */
    MOST_ROWS = 400,
    MOST_DEPTH = 1000, /* of additions within each other that are no chain of one kind */
    ROW = 20,
    LABELS = 250, /* where the columns begin */
    WIDTH = 760,
    TITLED = 64, /* terms that a title names */
    LABEL_TEXT = 64
};

/* Where what comes out of a child is, in columns and rows. */
struct place {
    size_t row, column;
};

struct picture {
    const struct order_tree *tree;
    const char (*words)[PICTURE_WORDS];
    FILE *stream;     /* NULL: rows and columns are counted */
    uint64_t *shapes; /* of each addition, whatever its terms */
    size_t *terms;    /* of each addition, how many are in it */
    size_t rows, columns;
    double step; /* of a column */
    bool folds, is_too_deep;
    size_t depth;
};

static uint64_t mix(uint64_t h, uint64_t value) {
    h = (h ^ value) * UINT64_C(0xff51afd7ed558ccd);
    return h ^ h >> 32;
}

static void find_shapes(struct picture *picture) {
    const struct order_tree *tree = picture->tree;
    for (size_t v = 0; v < tree->count; v++) {
        const struct order_addition *addition = &tree->additions[v];
        uint64_t h = mix(1, addition->node);
        for (uint32_t k = 0; k < addition->children; k++) {
            const int32_t child = tree->children[addition->first + k];
            const bool is_addition = order_is_addition(child);
            h = mix(h, is_addition ? picture->shapes[~child] : order_is_term(child) ? 2 : 3);
            picture->terms[v] += is_addition ? picture->terms[~child] : order_is_term(child);
        }
        picture->shapes[v] = h;
    }
}

/* ---- Rows ---- */

/* Whether there are so many additions within each other that nothing below is looked at. */
static bool is_deep(struct picture *picture) {
    picture->is_too_deep |= picture->depth == MOST_DEPTH;
    return picture->is_too_deep;
}

/* The terms below a child, up to `room`; returns how many there are. */
static size_t list_terms(struct picture *picture, int32_t child, size_t *list, size_t room,
                         size_t count) {
    const struct order_tree *tree = picture->tree;
    if (order_is_term(child) && count < room)
        list[count] = (size_t)child;
    if (!order_is_addition(child))
        return count + order_is_term(child);
    const struct order_addition *addition = &tree->additions[~child];
    if (is_deep(picture))
        return count;
    picture->depth++;
    for (uint32_t k = 0; k < addition->children; k++)
        count = list_terms(picture, tree->children[addition->first + k], list, room, count);
    picture->depth--;
    return count;
}

static double x_of(const struct picture *picture, size_t column) {
    return LABELS + picture->step * ((double)column + 0.5);
}

static double y_of(size_t row) {
    return ROW * ((double)row + 1);
}

/* A row of terms that are listed, which have the number `count`; the first few and the last are named. */
static struct place add_row(struct picture *picture, const char *before, const size_t *list,
                            size_t count) {
    const struct place place = {picture->rows++, 0};
    FILE *stream = picture->stream;
    if (!stream)
        return place;
    const size_t known = count < TITLED ? count : TITLED;
    fprintf(stream, "<g><title>%zu term%s:", count, count == 1 ? "" : "s");
    for (size_t i = 0; i < known; i++)
        fprintf(stream, "%s %zu", i ? "," : "", list[i]);
    fprintf(stream, "%s</title><text class=\"e\" x=\"%d\" y=\"%.0f\">%s",
            count > known ? ", …" : "", LABELS - 8, y_of(place.row) + 4, before);
    for (size_t i = 0; i < known && i < 3; i++)
        fprintf(stream, "%s%zu", i ? ", " : "", list[i]);
    if (count > 3)
        fprintf(stream, count > 4 ? " … (%zu)" : ", … (%zu)", count);
    fprintf(stream, "</text><path class=\"g\" d=\"M%d %.0fh6\"/></g>\n", LABELS - 5,
            y_of(place.row));
    return place;
}

static struct place add_folded(struct picture *picture, const char *before, int32_t child) {
    size_t list[TITLED] = {0};
    const size_t count = list_terms(picture, child, list, TITLED, 0);
    return add_row(picture, before, list, count);
}

/* ---- Additions ---- */

static void draw_addition(struct picture *picture, const struct order_addition *addition,
                          const struct place *from, size_t count, struct place to,
                          bool marks_chain) {
    FILE *stream = picture->stream;
    if (to.column + 1 > picture->columns)
        picture->columns = to.column + 1;
    if (!stream)
        return;
    const double x = x_of(picture, to.column);
    fprintf(stream, "<path class=\"l c%u\" d=\"", addition->node % 8);
    for (size_t k = 0; k < count; k++)
        fprintf(stream, "M%.1f %.0fH%.1f",
                from[k].column ? x_of(picture, from[k].column - 1) : LABELS, y_of(from[k].row), x);
    fprintf(stream, "M%.1f %.0fV%.0f\"/>", x, y_of(from[0].row), y_of(to.row));
    fprintf(stream,
            "<circle class=\"mark c%u\" cx=\"%.1f\" cy=\"%.0f\" "
            "r=\"%d\"><title>%s%s</title></circle>\n",
            addition->node % 8, x, y_of(to.row), marks_chain ? 5 : 3,
            marks_chain ? "one after the other; each: " : "", picture->words[addition->node]);
}

static uint64_t shape_of(const struct picture *picture, int32_t child) {
    return order_is_addition(child) ? picture->shapes[~child] : order_is_term(child) ? 2 : 3;
}

/* How many additions from this one down add something of one shape to what is there. */
static size_t chain_of(const struct picture *picture, size_t v) {
    const struct order_tree *tree = picture->tree;
    const struct order_addition *top = &tree->additions[v], *addition = top;
    size_t length = 0;
    while (addition->children == 2 && addition->node == top->node &&
           shape_of(picture, tree->children[addition->first + 1]) ==
               shape_of(picture, tree->children[top->first + 1])) {
        length++;
        const int32_t below = tree->children[addition->first];
        if (!order_is_addition(below))
            break;
        addition = &tree->additions[~below];
    }
    return length;
}

static struct place draw_child(struct picture *picture, int32_t child);

/* Terms one after the other, or parts that are alike: what is there before them, and one row for them all. */
static struct place draw_chain(struct picture *picture, size_t v, size_t length) {
    const struct order_tree *tree = picture->tree;
    int32_t *joined = calloc(length, sizeof *joined), below = ~(int32_t)v;
    size_t list[TITLED] = {0}, count = 0, parts = 0, first = 0;
    struct place from[3], to = {0, 0};
    if (!joined)
        return to;
    for (size_t i = length; i-- > 0;) {
        const int32_t *children = tree->children + tree->additions[~below].first;
        joined[i] = children[1];
        below = children[0];
    }
    const bool has_terms = order_is_term(joined[0]);
    if (order_is_addition(below) || !has_terms)
        from[parts++] = draw_child(picture, below);
    else
        count = list_terms(picture, below, list, TITLED, 0);
    if (!has_terms && shape_of(picture, below) != shape_of(picture, joined[0]))
        from[parts++] = draw_child(picture, joined[first++]);
    for (size_t i = first; i < length; i++)
        count = list_terms(picture, joined[i], list, TITLED, count);
    from[parts++] = add_row(picture, has_terms ? "" : "likewise ", list, count);
    free(joined);
    to.row = picture->rows - 1;
    for (size_t k = 0; k < parts; k++)
        to.column = from[k].column > to.column ? from[k].column : to.column;
    draw_addition(picture, &tree->additions[v], from, parts, to, true);
    to.column++;
    return to;
}

/* How many successive children are terms. */
static size_t run_of(const int32_t *children, size_t count) {
    size_t length = 0;
    while (length < count && order_is_term(children[length]))
        length++;
    return length;
}

static struct place add_together(struct picture *picture, const int32_t *children, size_t count) {
    size_t list[TITLED] = {0};
    for (size_t i = 0; i < count && i < TITLED; i++)
        list[i] = (size_t)children[i];
    return add_row(picture, "at once ", list, count);
}

static struct place draw_child(struct picture *picture, int32_t child) {
    const struct order_tree *tree = picture->tree;
    if (!order_is_addition(child)) {
        const size_t term = (size_t)child;
        return order_is_term(child) ? add_row(picture, "", &term, 1)
                                    : add_row(picture, "0", NULL, 0);
    }
    const size_t v = (size_t)~child;
    if (is_deep(picture))
        return (struct place){0, 0};
    const struct order_addition *addition = &tree->additions[v];
    const size_t length = picture->folds ? chain_of(picture, v) : 0;
    struct place *from = calloc(addition->children, sizeof *from), to = {0, 0};
    picture->depth++;
    if (length >= CHAIN) {
        free(from);
        to = draw_chain(picture, v, length);
        picture->depth--;
        return to;
    }
    size_t parts = 0;
    for (uint32_t k = 0; from && k < addition->children; k++) {
        const int32_t *at = tree->children + addition->first + k;
        const size_t together = picture->folds ? run_of(at, addition->children - k) : 0;
        if (together >= CHAIN) {
            from[parts++] = add_together(picture, at, together);
            k += (uint32_t)together - 1;
        } else if (picture->folds && k && order_is_addition(*at) && order_is_addition(at[-1]) &&
                   shape_of(picture, *at) == shape_of(picture, at[-1]) &&
                   picture->terms[~*at] > 2) {
            from[parts++] = add_folded(picture, "likewise ", *at);
        } else {
            from[parts++] = draw_child(picture, *at);
        }
    }
    for (size_t k = 0; k < parts; k++)
        to.column = from[k].column > to.column ? from[k].column : to.column;
    to.row = picture->rows ? picture->rows - 1 : 0;
    if (from && parts)
        draw_addition(picture, addition, from, parts, to, false);
    free(from);
    picture->depth--;
    to.column++;
    return to;
}

bool order_picture(FILE *stream, const struct order_tree *tree,
                   const char (*words)[PICTURE_WORDS]) {
    struct picture picture = {.tree = tree, .words = words, .folds = tree->terms > SMALL};
    const int32_t root = tree->count ? ~(int32_t)(tree->count - 1) : 0;
    picture.shapes = calloc(tree->count + 1, sizeof *picture.shapes);
    picture.terms = calloc(tree->count + 1, sizeof *picture.terms);
    bool drawn = picture.shapes && picture.terms && tree->count;
    if (drawn) {
        find_shapes(&picture);
        draw_child(&picture, root); /* counts */
        drawn = picture.rows <= MOST_ROWS && !picture.is_too_deep;
    }
    if (drawn) {
        const double room = WIDTH - LABELS - 10;
        picture.step = room / (double)picture.columns > 60 ? 60 : room / (double)picture.columns;
        picture.stream = stream;
        fprintf(stream,
                "<svg viewBox=\"0 0 %d %zu\" role=\"img\"><title>The additions of %zu term%s; the "
                "total is the last one, at the right</title>\n",
                WIDTH, ROW * (picture.rows + 1), tree->terms, tree->terms == 1 ? "" : "s");
        picture.rows = 0;
        draw_child(&picture, root);
        fputs("</svg>\n", stream);
    }
    free(picture.shapes);
    free(picture.terms);
    return drawn;
}
