/* Other calls in which a query of attention must have the bits that it has in a whole call: alone, among fewer, with keys that
 * lie or are worked on otherwise. */
#include "op/kernels/attention.h"

#include <stdio.h>

/* What another call has of the whole one: from where on and how many. */
struct view {
    uint64_t batch, batches, head, heads, groups, query, queries, key, keys;
    uint64_t rotation; /* column i of the values is column i + rotation of the whole's */
    bool is_repeated;  /* head 0 of the whole has the keys of all heads */
    bool is_alike;     /* all queries are query 0 of the whole */
};

/* The kinds of rows: the view of a turn, and in words what the whole call has in its place. */
struct kind {
    bool (*view)(const struct array_call *whole, uint64_t number, uint64_t turn, struct view *view,
                 char *where);
};

/* Where somebody wants to know. */
#define SAY(...) (void)(where && snprintf(where, ARRAY_WHERE, __VA_ARGS__))
typedef unsigned long long number;

static struct view whole_of(const struct attention_extents *extents) {
    return (struct view){.batches = extents->batches,
                         .heads = extents->heads,
                         .groups = extents->groups,
                         .queries = extents->queries,
                         .keys = extents->keys};
}

/* ---- Batches and heads ---- */

static bool view_sample(const struct array_call *whole, uint64_t unused, uint64_t turn,
                        struct view *view, char where[ARRAY_WHERE]) {
    (void)unused;
    SAY("sample %llu alone, and not of %llu", (number)turn,
        (number)attention_extents(whole).batches);
    view->batch = turn;
    view->batches = 1;
    return true;
}

static bool view_head(const struct array_call *whole, uint64_t unused, uint64_t turn,
                      struct view *view, char where[ARRAY_WHERE]) {
    const struct attention_extents extents = attention_extents(whole);
    (void)unused;
    SAY("head %llu of sample %llu alone, and not of %llu", (number)(turn % extents.heads),
        (number)(turn / extents.heads), (number)extents.heads);
    view->batch = turn / extents.heads;
    view->head = turn % extents.heads;
    view->batches = view->heads = view->groups = 1;
    return true;
}

static uint64_t count_samples(const struct array_call *whole,
                              const struct array_rearrangement *row) {
    (void)row;
    const struct attention_extents extents = attention_extents(whole);
    return extents.batches > 1 ? extents.batches : 0;
}

static uint64_t count_heads(const struct array_call *whole, const struct array_rearrangement *row) {
    const struct attention_extents extents = attention_extents(whole);
    (void)row;
    return extents.heads > 1 ? extents.batches * extents.heads : 0;
}

/* ---- Queries ---- */

/* Of more than so many those are tried that lie so far apart. */
enum { MOST_QUERIES = 32 };

static uint64_t count_queries(const struct array_call *whole,
                              const struct array_rearrangement *row) {
    const uint64_t queries = attention_extents(whole).queries;
    (void)row;
    return queries < 2 ? 0 : queries < MOST_QUERIES ? queries : MOST_QUERIES;
}

static bool view_query(const struct array_call *whole, uint64_t unused, uint64_t turn,
                       struct view *view, char where[ARRAY_WHERE]) {
    const uint64_t queries = attention_extents(whole).queries;
    uint64_t last;
    (void)unused;
    view->query = queries <= MOST_QUERIES ? turn : turn * (queries - 1) / (MOST_QUERIES - 1);
    view->queries = 1;
    attention_keys(whole, view->query, &view->key, &last);
    view->keys = last - view->key;
    SAY("query %llu of %llu alone, with its keys up to %llu", (number)view->query, (number)queries,
        (number)last - 1);
    return view->keys > 0;
}

static uint64_t count_some(const struct array_call *whole, const struct array_rearrangement *row) {
    return attention_extents(whole).queries > row->number;
}

static bool view_last(const struct array_call *whole, uint64_t which, uint64_t turn,
                      struct view *view, char where[ARRAY_WHERE]) {
    const uint64_t queries = attention_extents(whole).queries;
    (void)turn;
    view->queries = which;
    view->query = queries - which;
    SAY("the last %llu queries, and not %llu", (number)view->queries, (number)queries);
    return true;
}

static bool view_alike(const struct array_call *whole, uint64_t unused, uint64_t turn,
                       struct view *view, char where[ARRAY_WHERE]) {
    (void)unused;
    (void)turn;
    SAY("all of %llu queries like query 0, which all have its results",
        (number)attention_extents(whole).queries);
    view->is_alike = true;
    return true;
}

static uint64_t count_alike(const struct array_call *whole, const struct array_rearrangement *row) {
    (void)row;
    return attention_extents(whole).queries > 1;
}

/* ---- Columns of values ---- */

static bool view_rotated(const struct array_call *whole, uint64_t which, uint64_t turn,
                         struct view *view, char where[ARRAY_WHERE]) {
    (void)turn;
    SAY("column %llu of %llu of the values first, and the others after it", (number)which,
        (number)attention_extents(whole).width);
    view->rotation = which;
    return true;
}

static uint64_t count_wider(const struct array_call *whole, const struct array_rearrangement *row) {
    return attention_extents(whole).width > row->number;
}

/* ---- Keys ---- */

static uint64_t count_once(const struct array_call *whole, const struct array_rearrangement *row) {
    (void)whole;
    (void)row;
    return 1;
}

static uint64_t count_longer(const struct array_call *whole,
                             const struct array_rearrangement *row) {
    return attention_extents(whole).keys > row->number;
}

static bool view_parts(const struct array_call *whole, uint64_t which, uint64_t turn,
                       struct view *view, char where[ARRAY_WHERE]) {
    (void)turn;
    (void)view;
    SAY("keys in parts of %llu that are merged, and not %llu at once", (number)which,
        (number)attention_extents(whole).keys);
    return true;
}

static bool view_pages(const struct array_call *whole, uint64_t which, uint64_t turn,
                       struct view *view, char where[ARRAY_WHERE]) {
    (void)whole;
    (void)turn;
    (void)view;
    SAY("keys in pages of %llu, and not one after the other", (number)which);
    return true;
}

static bool view_padded(const struct array_call *whole, uint64_t which, uint64_t turn,
                        struct view *view, char where[ARRAY_WHERE]) {
    (void)turn;
    SAY("%llu keys, of which a mask leaves out those from %llu on",
        (number)(attention_extents(whole).keys + which), (number)attention_extents(whole).keys);
    view->keys += which;
    return true;
}

/* ---- Groups ---- */

static uint64_t count_shared(const struct array_call *whole,
                             const struct array_rearrangement *row) {
    const struct attention_extents extents = attention_extents(whole);
    (void)row;
    return extents.heads > 1 && (extents.groups == extents.heads || !row->is_reference);
}

static bool view_shared(const struct array_call *whole, uint64_t unused, uint64_t turn,
                        struct view *view, char where[ARRAY_WHERE]) {
    (void)whole;
    (void)unused;
    (void)turn;
    SAY("keys of head 0 for all");
    view->groups = 1;
    view->is_repeated = true;
    return true;
}

static bool view_repeated(const struct array_call *whole, uint64_t unused, uint64_t turn,
                          struct view *view, char where[ARRAY_WHERE]) {
    const struct attention_extents extents = attention_extents(whole);
    (void)unused;
    (void)turn;
    view->is_repeated = extents.groups == extents.heads;
    view->groups = view->heads;
    SAY("keys repeated for each of %llu heads, and not shared by %llu", (number)view->heads,
        (number)(view->is_repeated ? view->heads : view->heads / extents.groups));
    return true;
}

/* ---- Parameters ---- */

static void put_integer(struct parameters *parameters, enum parameter_number which,
                        uint64_t integer) {
    parameters->values[which] =
        (struct parameter_value){.present = integer > 0, .integer = (int64_t)integer};
}

static bool set_ungrouped(struct parameters *parameters, const struct array_rearrangement *row,
                          struct error *why) {
    (void)row;
    (void)why;
    put_integer(parameters, PARAMETER_GROUPS, 0);
    return true;
}

static bool set_grouped(struct parameters *parameters, const struct array_rearrangement *row,
                        struct error *why) {
    (void)why;
    put_integer(parameters, PARAMETER_GROUPS, row->number);
    return true;
}

static bool set_same(struct parameters *parameters, const struct array_rearrangement *row,
                     struct error *why) {
    (void)parameters;
    (void)row;
    (void)why;
    return true;
}

static bool has_alibi(const struct parameters *parameters) {
    return parameter_integer(parameters, PARAMETER_BIAS, 0) == ATTENTION_ALIBI;
}

/* A query has the keys of its own alone, and stands at the place of the last one. */
static bool set_alone(struct parameters *parameters, const struct array_rearrangement *row,
                      struct error *why) {
    (void)row;
    if (has_alibi(parameters) && !parameter_flag(parameters, PARAMETER_CAUSAL))
        return error_set(why,
                         "a single query stands at the last key, at other distances from the keys");
    put_integer(parameters, PARAMETER_CAUSAL, 0);
    put_integer(parameters, PARAMETER_WINDOW, 0);
    return true;
}

static bool set_split(struct parameters *parameters, const struct array_rearrangement *row,
                      struct error *why) {
    if (parameters->values[PARAMETER_SPLIT].present || parameters->values[PARAMETER_PAGE].present)
        return error_set(why, "--split and --page already say how it is computed");
    put_integer(parameters, PARAMETER_SPLIT, row->number);
    return true;
}

static bool set_pages(struct parameters *parameters, const struct array_rearrangement *row,
                      struct error *why) {
    if (!set_split(parameters, row, why))
        return false;
    put_integer(parameters, PARAMETER_SPLIT, 0);
    put_integer(parameters, PARAMETER_PAGE, row->number);
    return true;
}

static bool set_padded(struct parameters *parameters, const struct array_rearrangement *row,
                       struct error *why) {
    (void)row;
    if (has_alibi(parameters) || parameter_flag(parameters, PARAMETER_CAUSAL) ||
        parameters->values[PARAMETER_WINDOW].present)
        return error_set(why, "padding with keys would move the positions of the queries");
    put_integer(parameters, PARAMETER_BIAS, ATTENTION_MASK);
    return true;
}

/* Queries at other places have the same keys and biases. */
static bool set_alike(struct parameters *parameters, const struct array_rearrangement *row,
                      struct error *why) {
    (void)row;
    return (!parameter_flag(parameters, PARAMETER_CAUSAL) &&
            !parameters->values[PARAMETER_WINDOW].present &&
            parameter_integer(parameters, PARAMETER_BIAS, ATTENTION_NO_BIAS) ==
                ATTENTION_NO_BIAS) ||
           error_set(why, "a query at another place sees other keys, or has another bias");
}

/* ---- The calls of all kinds ---- */

static struct view view_of(const struct array_call *whole, const struct array_rearrangement *row,
                           uint64_t turn) {
    const struct attention_extents extents = attention_extents(whole);
    const struct kind *kind = row->data;
    struct view view = whole_of(&extents);
    kind->view(whole, row->number, turn, &view, NULL);
    return view;
}

static bool plan(const struct array_call *whole, const struct array_rearrangement *row,
                 uint64_t turn, struct shape *shape, char where[ARRAY_WHERE]) {
    const struct attention_extents extents = attention_extents(whole);
    const struct kind *kind = row->data;
    struct view view = whole_of(&extents);
    if (!kind->view(whole, row->number, turn, &view, where))
        return false;
    *shape = (struct shape){5, {view.batches, view.heads, view.queries, view.keys, extents.width}};
    return true;
}

static uint64_t code_of_bias(const struct array_call *whole, const struct view *view,
                             uint64_t element) {
    const struct format *format = whole->operands[ATTENTION_Q].format;
    const struct attention_extents extents = attention_extents(whole);
    const uint64_t place = view->query + element / view->keys,
                   key = view->key + element % view->keys;
    if (parameter_integer(whole->parameters, PARAMETER_BIAS, 0) == ATTENTION_ALIBI)
        return array_code(&whole->operands[ATTENTION_BIAS], view->head + element);
    if (key >= extents.keys)
        return format_with_sign(format, format_greatest(format), true);
    if (parameter_integer(whole->parameters, PARAMETER_BIAS, 0) == ATTENTION_MASK)
        return array_code(&whole->operands[ATTENTION_BIAS], place * extents.keys + key);
    return 0;
}

static uint64_t code(const struct array_call *whole, const struct array_rearrangement *row,
                     uint64_t turn, int operand, uint64_t element) {
    const struct attention_extents extents = attention_extents(whole);
    const struct view view = view_of(whole, row, turn);
    const uint64_t at = element % extents.width, line = element / extents.width;
    if (operand == ATTENTION_BIAS)
        return code_of_bias(whole, &view, element);
    if (operand == ATTENTION_Q) {
        const uint64_t head = view.head + line / view.queries % view.heads,
                       batch = view.batch + line / view.queries / view.heads,
                       query = view.is_alike ? 0 : view.query + line % view.queries;
        return array_code(
            &whole->operands[operand],
            ((batch * extents.heads + head) * extents.queries + query) * extents.width + at);
    }
    const uint64_t head = view.head + line / view.keys % view.groups * view.heads / view.groups,
                   batch = view.batch + line / view.keys / view.groups,
                   group = view.is_repeated ? 0 : head * extents.groups / extents.heads,
                   key = (view.key + line % view.keys) % extents.keys,
                   column = operand == ATTENTION_V ? (at + view.rotation) % extents.width : at;
    return array_code(&whole->operands[operand],
                      ((batch * extents.groups + group) * extents.keys + key) * extents.width +
                          column);
}

static uint64_t element_of(const struct array_call *whole, const struct array_rearrangement *row,
                           uint64_t turn, uint64_t element) {
    const struct attention_extents extents = attention_extents(whole);
    const struct view view = view_of(whole, row, turn);
    const uint64_t line = element / extents.width;
    const uint64_t head = view.head + line / view.queries % view.heads,
                   batch = view.batch + line / view.queries / view.heads,
                   query = view.is_alike ? 0 : view.query + line % view.queries;
    return ((batch * extents.heads + head) * extents.queries + query) * extents.width +
           (element + view.rotation) % extents.width;
}

#define ROW(PROPERTY, SET, TURNS, VIEW, NUMBER, IS_REFERENCE)                                      \
    {                                                                                              \
        .property = PROPERTY, .is_reference = IS_REFERENCE, .set = SET, .turns = TURNS,            \
        .plan = plan, .code = code, .element = element_of, .data = &(const struct kind){VIEW},     \
        .number = NUMBER                                                                           \
    }

/* Lengths of parts are whole branches of det's tree; those of pages divide its blocks, or do not. */
const struct array_rearrangement attention_rearrangements[] = {
    ROW("batch", set_same, count_samples, view_sample, 0, false),
    ROW("batch", set_ungrouped, count_heads, view_head, 0, false),
    ROW("decode", set_alone, count_queries, view_query, 0, false),
    ROW("decode", set_same, count_some, view_last, 2, false),
    ROW("decode", set_same, count_some, view_last, 7, false),
    ROW("split", set_split, count_longer, view_parts, 64, false),
    ROW("split", set_split, count_longer, view_parts, 128, false),
    ROW("split", set_split, count_longer, view_parts, 1024, false),
    ROW("pages", set_pages, count_once, view_pages, 1, false),
    ROW("pages", set_pages, count_once, view_pages, 16, false),
    ROW("pages", set_pages, count_once, view_pages, 100, false),
    ROW("groups", set_grouped, count_shared, view_shared, 1, true),
    ROW("groups", set_ungrouped, count_shared, view_repeated, 0, false),
    ROW("padding", set_padded, count_once, view_padded, 1, false),
    ROW("padding", set_padded, count_once, view_padded, 70, false),
    ROW("blocking", set_same, count_wider, view_rotated, 1, false),
    ROW("blocking", set_same, count_wider, view_rotated, 7, false),
    ROW("blocking", set_same, count_wider, view_rotated, 16, false),
    ROW("equal-elements", set_alike, count_alike, view_alike, 0, false),
    {0}};
