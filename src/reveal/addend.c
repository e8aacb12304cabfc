/* Each place is a tree of its own: c begins one of the additions, is added to what one of them begins with, or is added behind the
 * last. Those stay that give the result of each call, where c is near the sum, cancels it, or is far from it. */
#include "reveal/addend.h"

#include "order/term.h"
#include "reveal/addend_draw.h"

#include <stdlib.h>
#include <string.h>

/* MOST_CHILDREN: of the trees of all places together. */
enum {
    ARRAYS = 300,
    CALLS = 300,
    SHOWN = 3,
    SPINE = 40,
    LEAST_PLACES = 8,
    MOST_CHILDREN = 1 << 22
};

enum place_kind {
    PLACE_FIRST,  /* of an addition that begins with a term, or with 0 */
    PLACE_ALONE,  /* of an addition: its first child is added to c before, alone */
    PLACE_BEHIND, /* the last: one addition more in its format */
    PLACE_RESULT  /* likewise, once the sum is rounded to the results' format */
};

struct place {
    enum place_kind kind;
    size_t addition;
    bool flushes; /* a subnormal c: which no call without one shows */
    struct order order;
    struct order_tree tree;
    struct order_plan *plan; /* NULL: refuted, or it makes no sense */
};

struct places {
    struct subject *subject;
    const struct model *model;
    struct place *of;
    size_t count, most;
    size_t untried;  /* beyond the most that are */
    uint64_t state;  /* of random numbers */
    void *c, *sums;  /* of the lines of a column */
    uint64_t *codes; /* results of a call */
};

/* ---- Places ---- */

static bool begins_alone(const struct order_tree *tree, size_t addition) {
    const int32_t first = tree->children[tree->additions[addition].first];
    return order_is_term(first) || first == ORDER_ZERO;
}

/* The node by which c is added at that place, where another has the number `node`. */
static unsigned node_of_c(struct place *place, unsigned node, const struct order_node *own) {
    if (!place->flushes && place->kind != PLACE_BEHIND)
        return node;
    struct order_node *made = &place->order.nodes[place->order.node_count];
    *made = *own;
    made->flush_c |= place->flushes;
    if (place->kind == PLACE_BEHIND)
        made->flush_operands = made->flush_results = place->flushes;
    return place->order.node_count++;
}

/* The model's tree with c at that place. */
static bool make_tree(const struct model *model, struct place *place) {
    const struct order_tree *from = &model->tree;
    int32_t *children = malloc((from->child_count + 2) * sizeof *children), last = ORDER_ZERO;
    place->order = model->order;
    order_tree_open(&place->tree, from->terms);
    for (size_t i = 0; children && i < from->count; i++) {
        const struct order_addition *addition = &from->additions[i];
        const bool is_at =
            place->kind != PLACE_BEHIND && place->kind != PLACE_RESULT && i == place->addition;
        const bool is_first = is_at && place->kind == PLACE_FIRST;
        const bool replaces = is_first && from->children[addition->first] == ORDER_ZERO;
        const size_t before = is_first && !replaces;
        const unsigned node =
            is_at ? node_of_c(place, addition->node, &model->order.nodes[addition->node])
                  : addition->node;
        memcpy(children + before, from->children + addition->first,
               addition->children * sizeof *children);
        if (place->kind == PLACE_ALONE) /* the later additions have one more before them */
            for (uint32_t k = 0; k < addition->children; k++)
                children[k] -=
                    order_is_addition(children[k]) && (size_t)~children[k] >= place->addition;
        if (is_first)
            children[0] = ORDER_C;
        else if (is_at)
            children[0] =
                order_tree_add(&place->tree, (const int32_t[]){ORDER_C, children[0]}, 2, node);
        last = order_tree_add(&place->tree, children, addition->children + before,
                              is_first ? node : addition->node);
    }
    if (children && place->kind == PLACE_BEHIND) {
        const struct order_node plain = order_node_plain(
            model->order.nodes[from->additions[from->count - 1].node].result, ROUND_NEAREST_EVEN);
        order_tree_add(&place->tree, (const int32_t[]){ORDER_C, last}, 2,
                       node_of_c(place, 0, &plain));
    }
    free(children);
    return children && !place->tree.out_of_memory;
}

static bool open_one(struct places *places, const struct place *wanted) {
    struct error unused;
    if (places->count == places->most) {
        places->untried++;
        return true;
    }
    struct place *place = &places->of[places->count++];
    *place = *wanted;
    if (!make_tree(places->model, place))
        return false;
    place->plan = order_plan_of_tree(&place->order, &place->tree, &unused);
    return true;
}

static bool open_place(struct places *places, enum place_kind kind, size_t addition) {
    const struct order *order = &places->model->order;
    const struct order_node *node = &order->nodes[places->model->tree.additions[addition].node];
    const struct format *c = array_addend(&places->subject->call)->format;
    const bool is_ever_subnormal = c->emin - c->precision + 1 < node->result->emin;
    const bool may_flush = is_ever_subnormal && order->node_count < ORDER_MOST_NODES &&
                           kind != PLACE_RESULT,
               flushes = kind != PLACE_BEHIND && node->flush_c;
    struct place place = {.kind = kind, .addition = addition};
    if (!open_one(places, &place))
        return false;
    place.flushes = true;
    return !may_flush || flushes || open_one(places, &place);
}

static void close_place(struct place *place) {
    order_plan_close(place->plan);
    place->plan = NULL;
}

/* c may come to what each of the additions begins with that lead from the result to where the sum begins: those nearest to
 * its beginning are tried. */
static bool open_spine(struct places *places) {
    const struct order_tree *tree = &places->model->tree;
    size_t spine[SPINE], depth = 0;
    bool good = true;
    for (int32_t at = ~(int32_t)(tree->count - 1); order_is_addition(at);
         at = tree->children[tree->additions[~at].first])
        spine[depth++ % SPINE] = (size_t)~at;
    for (size_t i = depth; good && i-- > 0 && depth - i <= SPINE;) {
        const struct order_addition *addition = &tree->additions[spine[i % SPINE]];
        const int32_t first = tree->children[addition->first];
        if (order_is_addition(first) || (order_is_term(first) && addition->children == 2))
            good = open_place(places, PLACE_ALONE, spine[i % SPINE]);
    }
    return good;
}

static bool open_places(struct places *places, struct error *error) {
    const struct order_tree *tree = &places->model->tree;
    const struct order *order = &places->model->order;
    const struct subject *subject = places->subject;
    const struct format *last = order->nodes[tree->additions[tree->count - 1].node].result;
    const size_t lines = subject->lines, all = lines * subject->columns;
    places->most = MOST_CHILDREN / (tree->child_count + 1);
    places->most = places->most < LEAST_PLACES ? LEAST_PLACES : places->most;
    const size_t room = 2 * (tree->count + SPINE + 2); /* two for each place */
    places->of = calloc(places->most < room ? places->most : room, sizeof *places->of);
    places->c = calloc(lines, sizeof(uint64_t));
    places->sums = calloc(lines, sizeof(uint64_t));
    places->codes = calloc(all, sizeof *places->codes);
    bool good = places->of && places->c && places->sums && places->codes;
    if (good && order->node_count < ORDER_MOST_NODES)
        good = open_place(places, PLACE_BEHIND, 0);
    if (good && last != order->result)
        good = open_place(places, PLACE_RESULT, 0);
    good = good && open_spine(places);
    for (size_t i = 0; good && i < tree->count; i++)
        if (begins_alone(tree, i))
            good = open_place(places, PLACE_FIRST, i);
    return good || error_set(error, "out of memory");
}

static void close_places(struct places *places) {
    for (size_t i = 0; i < places->count; i++) {
        close_place(&places->of[i]);
        order_tree_close(&places->of[i].tree);
    }
    free(places->of);
    free(places->c);
    free(places->sums);
    free(places->codes);
}

/* ---- Calls ---- */

static void take_codes(struct places *places) {
    const struct subject *subject = places->subject;
    for (size_t line = 0; line < subject->lines; line++)
        for (size_t column = 0; column < subject->columns; column++)
            places->codes[line * subject->columns + column] = subject_code(subject, line, column);
}

/* A call whose c goes by the results of the same call without one. */
static bool call_with_c(struct places *places, uint64_t seed, uint64_t number,
                        struct error *error) {
    struct subject *subject = places->subject;
    const struct array *c = array_addend(&subject->call);
    const size_t all = (size_t)shape_elements(&c->shape);
    replay_draw(subject, seed, number);
    subject_leave_c(subject);
    if (!subject_call(subject, error))
        return false;
    take_codes(places);
    for (size_t i = 0; i < all; i++)
        array_set_code(c, i, addend_draw(&places->state, c->format, places->codes[i]));
    if (!subject_call(subject, error))
        return false;
    take_codes(places);
    return true;
}

static uint64_t convert(const struct format *from, const struct format *to, uint64_t code) {
    const struct real number = format_decode(from, code);
    return from == to ? code : format_encode(to, &number, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

/* What the place makes of the lines of a column, into sums; false: no memory. */
static bool compute(struct places *places, const struct place *place, size_t column) {
    const struct subject *subject = places->subject;
    const struct array *c = array_addend(&subject->call);
    const struct format *sum = order_plan_sum_format(place->plan), *result = c->format;
    const bool is_behind = place->kind == PLACE_RESULT;
    const struct order_node addition = order_node_plain(result, ROUND_NEAREST_EVEN);
    struct order_terms x, w;
    subject_terms_of(subject, column, &x, &w);
    for (size_t line = 0; line < subject->lines; line++)
        code_store(places->c, format_bytes(sum), line,
                   convert(result, sum, array_code(c, line * subject->columns + column)));
    if (!order_plan_run(place->plan, subject->lines, &x, &w, is_behind ? NULL : places->c,
                        places->sums))
        return false;
    for (size_t line = 0; is_behind && line < subject->lines; line++) {
        const uint64_t onto = array_code(c, line * subject->columns + column);
        const struct order_term term =
            order_term_of(&addition, result, code_load(places->sums, format_bytes(result), line));
        code_store(places->sums, format_bytes(result), line,
                   order_node_add(&addition, &term, 1, &onto));
    }
    return true;
}

static bool hold(struct places *places, struct place *place, struct error *error) {
    const struct subject *subject = places->subject;
    const size_t bytes = format_bytes(subject->call.results[0].format);
    for (size_t column = 0; place->plan && column < subject->columns; column++) {
        if (!compute(places, place, column))
            return error_set(error, "out of memory");
        for (size_t line = 0; place->plan && line < subject->lines; line++)
            if (!replay_is_same(subject, code_load(places->sums, bytes, line),
                                places->codes[line * subject->columns + column]))
                close_place(place);
    }
    return true;
}

/* ---- Words ---- */

static void say(const struct places *places, const struct place *place, char text[ADDEND_TEXT]) {
    const struct order_tree *tree = &places->model->tree;
    const char *flushed = place->flushes ? ", a subnormal one flushed" : "";
    const char *last = order_plan_sum_format(place->plan)->name;
    if (place->kind == PLACE_BEHIND)
        snprintf(text, ADDEND_TEXT, "added to the sum, in %s%s", last, flushed);
    else if (place->kind == PLACE_RESULT)
        snprintf(text, ADDEND_TEXT, "added to the result, once that is rounded to %s",
                 places->model->order.result->name);
    else {
        const struct order_addition *addition = &tree->additions[place->addition];
        size_t k = 0;
        while (k + 1 < addition->children && !order_is_term(tree->children[addition->first + k]))
            k++;
        const int32_t child = tree->children[addition->first + k];
        snprintf(text, ADDEND_TEXT,
                 order_is_term(child) ? "begins the addition of term %d%s"
                                      : "begins addition %d, of sums%s",
                 order_is_term(child) ? (int)child : (int)place->addition + 1, flushed);
    }
}

static size_t count_places(const struct places *places) {
    size_t count = 0;
    for (size_t i = 0; i < places->count; i++)
        count += places->of[i].plan != NULL;
    return count;
}

/* Each wording once: two kinds of place have the same. */
static void say_all(const struct places *places, size_t tried, struct addend *found) {
    char *const words = found->words;
    char before[ADDEND_TEXT] = "";
    size_t count = 0;
    int length = 0;
    for (size_t i = 0; i < places->count; i++) {
        char text[ADDEND_TEXT];
        if (!places->of[i].plan)
            continue;
        say(places, &places->of[i], text);
        if (strcmp(text, before) == 0 || ++count > SHOWN)
            continue;
        memcpy(before, text, sizeof before);
        length += snprintf(words + length, ADDEND_TEXT - (size_t)length, "%s%.80s",
                           count > 1 ? " or " : "", text);
    }
    if (count > SHOWN)
        length += snprintf(words + length, ADDEND_TEXT - (size_t)length, " or at %zu other place%s",
                           count - SHOWN, count - SHOWN == 1 ? "" : "s");
    found->is_found = count;
    if (!count)
        snprintf(words, ADDEND_TEXT,
                 "without c no array differs, but %zu arrays with c show that c is at none of the "
                 "%zu places %s",
                 found->arrays, tried,
                 places->untried ? "that were tried, of more that these additions have"
                                 : "that these additions have");
    else if (places->untried && (size_t)length < ADDEND_TEXT)
        snprintf(words + length, ADDEND_TEXT - (size_t)length, "; %zu places were not tried",
                 places->untried);
}

/* The first of the places that are left, as an order of its own; or that a plain addition to the result does it. */
static bool keep_place(const struct places *places, struct addend *found) {
    const struct format *result = array_addend(&places->subject->call)->format;
    struct place *first = NULL;
    for (size_t i = places->count; i-- > 0;) {
        struct place *place = &places->of[i];
        found->is_outside |= place->plan && (place->kind == PLACE_RESULT ||
                                             (place->kind == PLACE_BEHIND && !place->flushes &&
                                              order_plan_sum_format(place->plan) == result));
        first = place->plan ? place : first;
    }
    if (!first || found->is_outside)
        return true;
    found->inside = malloc(sizeof *found->inside);
    if (!found->inside)
        return false;
    *found->inside = first->order;
    found->inside->trees = NULL;
    found->inside->tree_count = found->inside->rules.count = 0;
    found->adds_node = first->order.node_count > places->model->order.node_count;
    struct order_tree tree;
    return order_tree_copy(&first->tree, &tree) && order_add_tree(found->inside, &tree);
}

void addend_close(struct addend *addend) {
    if (addend->inside)
        order_close(addend->inside);
    free(addend->inside);
    addend->inside = NULL;
}

bool addend_find(struct subject *subject, const struct model *model, uint64_t seed,
                 struct addend *found, struct error *error) {
    struct places places = {.subject = subject, .model = model, .state = seed};
    const struct array *c = array_addend(&subject->call);
    *found = (struct addend){.words = ""};
    if (!c)
        return true;
    if (model->extended || model->sorting.sorts || !model->tree.count) {
        snprintf(found->words, sizeof found->words,
                 "the place of c was not tried: this needs additions in formats, in an order that "
                 "does not depend on the terms");
        return true;
    }
    bool good = open_places(&places, error);
    const size_t tried = count_places(&places);
    for (uint64_t call = 0; good && count_places(&places) && found->arrays < ARRAYS && call < CALLS;
         call++) {
        good = call_with_c(&places, seed, call, error);
        for (size_t i = 0; good && i < places.count; i++)
            good = hold(&places, &places.of[i], error);
        found->arrays += subject->lines * subject->columns;
    }
    if (good)
        say_all(&places, tried, found);
    if (good && !keep_place(&places, found))
        good = error_set(error, "out of memory");
    close_places(&places);
    subject_leave_c(subject);
    return good;
}
