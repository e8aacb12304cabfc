/* A page of orders: what is added to what, in words and as a picture. */
#include "page/figure.h"
#include "page/order_picture.h"

#include "base/json_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REVEAL_SCHEMA "detcheck/reveal/1"

enum { WORDS = 4096, SHOWN = 64, MOST_PICTURES = 3 };

static void print_title(const struct page *page) {
    fputs("detcheck: orders of additions", page->stream);
}

static void print_line(const struct page *page, const char *name, const char *text) {
    if (!*text)
        return;
    fprintf(page->stream, "<p><strong>%s:</strong> ", name);
    page_text(page, text);
    fputs("</p>\n", page->stream);
}

/* What the colours of the additions stand for. */
static void print_legend(const struct page *page, const char (*words)[PICTURE_WORDS],
                         unsigned count) {
    fputs("<p class=\"legend\">", page->stream);
    for (unsigned i = 0; i < count; i++)
        fprintf(
            page->stream,
            "<span><svg viewBox=\"0 0 36 10\" class=\"key\" aria-hidden=\"true\"><path class=\"l "
            "c%u\" d=\"M0 5h36\"/></svg>%s</span> ",
            i % 8, words[i]);
    fputs("</p>\n", page->stream);
}

/* Words in which no markup is read. */
static void set_words(const struct page *page, const char *text, char words[PICTURE_WORDS]) {
    char *safe = NULL;
    size_t size = 0;
    struct page to = *page;
    to.stream = open_memstream(&safe, &size);
    *words = 0;
    if (!to.stream)
        return;
    page_text(&to, text);
    if (fclose(to.stream) == 0 && size < PICTURE_WORDS)
        strcpy(words, safe);
    free(safe);
}

static void print_picture(const struct page *page, const struct order_tree *tree,
                          const char (*words)[PICTURE_WORDS]) {
    fprintf(page->stream, "<h3>%zu term%s</h3>\n", tree->terms, tree->terms == 1 ? "" : "s");
    if (!order_picture(page->stream, tree, words))
        fputs("<p>Too irregular for a picture.</p>\n", page->stream);
}

/* ---- Orders ---- */

static bool print_lengths(const struct page *page, const struct order *order,
                          const char (*words)[PICTURE_WORDS], struct error *error) {
    const size_t lengths[2] = {order_known_up_to(order, SHOWN), order->most};
    for (size_t i = 0; i < 2 && order->rules.count; i++) {
        struct order_tree tree;
        if (i && lengths[1] == lengths[0])
            break;
        if (!order_tree_of(order, lengths[i], &tree, error))
            return false;
        print_picture(page, &tree, words);
        order_tree_close(&tree);
    }
    for (size_t i = 0; i < order->tree_count && i < MOST_PICTURES; i++)
        print_picture(page, &order->trees[i], words);
    if (order->tree_count > MOST_PICTURES)
        fprintf(page->stream, "<p>Trees of %zu other lengths are not drawn.</p>\n",
                order->tree_count - MOST_PICTURES);
    return true;
}

static bool print_order(const struct page *page, const struct order *order, struct error *error) {
    static char words[ORDER_MOST_NODES][PICTURE_WORDS];
    char text[WORDS];
    fputs("<section><h2>", page->stream);
    page_text(page, *order->name ? order->name : order->operation);
    fputs(" <small>", page->stream);
    page_text(page, order->operation);
    fprintf(page->stream, " in %s, results in %s</small></h2>\n", order->format->name,
            order->result->name);
    print_line(page, "Found in", order->source);
    order_rules_words(&order->rules, text, sizeof text);
    print_line(page, "Order", text);
    fprintf(page->stream, "<p><strong>Known for</strong> %zu to %zu terms", order->least,
            order->most);
    if (order->step)
        fprintf(page->stream, " in steps of %zu", order->step);
    fprintf(page->stream, "; %" PRIu64 " of %" PRIu64 " arrays that were replayed differ.</p>\n",
            order->different, order->replayed);
    for (unsigned i = 0; i < order->open_count; i++)
        print_line(page, "Open", order->open[i]);
    for (unsigned i = 0; i < order->node_count; i++) {
        order_node_words(&order->nodes[i], text, sizeof text);
        set_words(page, text, words[i]);
    }
    print_legend(page, (const char(*)[PICTURE_WORDS])words, order->node_count);
    const bool good = print_lengths(page, order, (const char(*)[PICTURE_WORDS])words, error);
    fputs("</section>\n", page->stream);
    return good;
}

/* ---- Reports of reveal ---- */

/* The tree of a length: an array for each addition. */
static bool read_tree(const cJSON *additions, size_t terms, unsigned nodes, struct order_tree *tree,
                      struct error *error) {
    const cJSON *one, *child;
    bool good = true;
    order_tree_open(tree, terms);
    cJSON_ArrayForEach(one, additions) {
        const int count = cJSON_GetArraySize(one);
        int32_t *children = calloc((size_t)count + 1, sizeof *children);
        const cJSON *node = cJSON_GetArrayItem(one, 0);
        size_t k = 0;
        good = good && children && cJSON_IsNumber(node) && node->valuedouble >= 0 &&
               node->valuedouble < nodes;
        child = node ? node->next : NULL;
        for (; good && child; child = child->next) {
            good = !cJSON_IsNumber(child) || fabs(child->valuedouble) < ORDER_MOST_TERMS;
            children[k++] =
                good && cJSON_IsNumber(child) ? (int32_t)child->valuedouble : ORDER_ZERO;
        }
        if (good)
            order_tree_add(tree, children, k, (unsigned)node->valuedouble);
        free(children);
    }
    return (good && !tree->out_of_memory && order_tree_check(tree, nodes, error)) ||
           error_set(error, "a tree is not a tree of additions");
}

static bool print_length(const struct page *page, const cJSON *length,
                         const char (*words)[PICTURE_WORDS], unsigned nodes, struct error *error) {
    const cJSON *tree_json = json_get(length, "tree"), *line;
    const double terms = json_number(length, "terms");
    struct order_tree tree;
    fprintf(page->stream, "<p><strong>%.0f terms:</strong> ", terms);
    page_text(page, report_string(length, "state"));
    if (json_get(length, "replayed"))
        fprintf(page->stream, "; %.0f of %.0f arrays differ", json_number(length, "different"),
                json_number(length, "replayed"));
    fputs("</p>\n", page->stream);
    print_line(page, "Why", report_string(length, "why"));
    cJSON_ArrayForEach(line, json_get(length, "open"))
        print_line(page, "Open", cJSON_IsString(line) ? line->valuestring : "");
    if (!tree_json || !nodes)
        return true;
    if (!(terms >= 1 && terms <= ORDER_MOST_TERMS))
        return error_set(error, "a length has no number of terms");
    bool good = read_tree(tree_json, (size_t)terms, nodes, &tree, error);
    if (good)
        print_picture(page, &tree, words);
    order_tree_close(&tree);
    return good;
}

/* What a document may leave out is empty. */
static const char *optional_text(const cJSON *object, const char *name) {
    const cJSON *found = json_get(object, name);
    return cJSON_IsString(found) ? found->valuestring : "";
}

/* The verdict, as pages of other reports have it. */
static void print_verdict(const struct page *page, double revealed, int lengths) {
    const bool all = !(revealed < lengths);
    fprintf(page->stream, "<p class=\"%s\"><strong>", all ? "good" : "bad");
    if (all && lengths == 1)
        fputs("The order is revealed.", page->stream);
    else if (all)
        fprintf(page->stream, "All %d lengths are revealed.", lengths);
    else
        fprintf(page->stream, "%.0f of %d length%s %s revealed.", revealed, lengths,
                lengths == 1 ? "" : "s", revealed > 1 ? "are" : "is");
    fputs("</strong></p>\n", page->stream);
}

static bool print_revealed(const struct page *page, const cJSON *result, struct error *error) {
    static char words[ORDER_MOST_NODES][PICTURE_WORDS];
    const cJSON *one, *lengths = json_get(result, "lengths");
    unsigned nodes = 0;
    bool good = true;
    size_t shown = 0;
    fputs("<section><h2>", page->stream);
    const char *sum = optional_text(json_get(result, "parameters"), "sum");
    page_text(page, report_string(result, "operation"));
    fputs(*sum ? ", " : "", page->stream);
    page_text(page, sum);
    fputs(" <small>", page->stream);
    page_text(page, report_string(result, "format"));
    fputs(", ", page->stream);
    page_text(page, report_string(json_get(result, "implementation"), "name"));
    fputs("</small></h2>\n", page->stream);
    print_verdict(page, json_number(result, "revealed"), cJSON_GetArraySize(lengths));
    print_line(page, "Known", optional_text(result, "known"));
    print_line(page, "Order", optional_text(result, "rule"));
    cJSON_ArrayForEach(one, json_get(result, "additions")) {
        if (nodes < ORDER_MOST_NODES && cJSON_IsString(one))
            set_words(page, one->valuestring, words[nodes++]);
    }
    print_legend(page, (const char(*)[PICTURE_WORDS])words, nodes);
    cJSON_ArrayForEach(one, lengths) {
        const bool is_revealed = strcmp(report_string(one, "state"), "revealed") == 0;
        if (good && (cJSON_GetArraySize(lengths) == 1 || (!is_revealed && shown++ < SHOWN)))
            good = print_length(page, one, (const char(*)[PICTURE_WORDS])words, nodes, error);
    }
    fputs("</section>\n", page->stream);
    return good;
}

/* ---- All of it ---- */

bool page_is_of_orders(const char *text) {
    const char *at = strstr(text, "\"" REVEAL_SCHEMA "\"");
    return order_is(text) || (at && at - text < 64);
}

static bool print_text(const struct page *page, const char *path, const char *text, size_t length,
                       struct error *error) {
    char *copy = malloc(length + 1); /* which is taken over */
    if (!copy)
        return error_set(error, "out of memory for %.200s", path);
    memcpy(copy, text, length + 1);
    cJSON *document = json_parse(copy, length, path, "order", error);
    const cJSON *one;
    bool good = document;
    struct order order;
    if (!good)
        return false;
    if (strcmp(report_string(document, "schema"), REVEAL_SCHEMA) == 0) {
        cJSON_ArrayForEach(one, json_get(document, "results")) good =
            good && print_revealed(page, one, error);
    } else {
        good = order_read_text(text, length, path, &order, error);
        good = good && print_order(page, &order, error);
        if (good)
            order_close(&order);
    }
    json_tree_free(document);
    return good;
}

static bool print_file(const struct page *page, const char *path, struct error *error) {
    size_t length;
    char *text = file_read(path, ORDER_MOST_BYTES, "order", &length, error);
    const bool good = text && print_text(page, path, text, length, error);
    free(text);
    return good;
}

bool page_write_orders(const char *const *paths, size_t count, const char *first, size_t length,
                       FILE *stream, struct error *error) {
    const struct page page = {.stream = stream};
    page_head(&page, print_title);
    fputs("<main>\n<h1>Orders of additions</h1>\n", stream);
    for (size_t i = 0; i < count; i++)
        if (!(i ? print_file(&page, paths[i], error)
                : print_text(&page, *paths, first, length, error)))
            return false;
    fputs(
        "<footer><p>A row is a term, or terms that are added one after the other, and a bigger dot "
        "adds them; likewise marks other terms that are added in the same way as those above. "
        "Titles name terms, and say the arithmetic of an addition. detcheck-order(7) defines "
        "every word.</p></footer>\n</main>\n</html>\n",
        stream);
    return true;
}
