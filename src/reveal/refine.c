/* Parameters as rows. Samples are the judge: probes have given the values from which the search sets out. */
#include "reveal/refine.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BITS = 40, FLOORS = 14, MOST_VALUES = 64, SWEEPS = 4, NARROW = 11 };

enum value_kind { VALUE_NUMBER, VALUE_YES, VALUE_DIRECTION, VALUE_PLACE };

/* Which nodes have a parameter. */
enum matters {
    MATTERS,
    MATTERS_MANY,
    MATTERS_CUT,
    MATTERS_AFTER,
    MATTERS_JOINED,
    MATTERS_PRODUCTS,
    MATTERS_DIRECTED
};

struct row {
    const char *name;
    size_t offset;
    enum value_kind kind;
    enum matters matters;
};

#define ROW(NAME, KIND, WHERE)                                                                     \
    { #NAME, offsetof(struct order_node, NAME), VALUE_##KIND, WHERE }
/* What aimed probes have found comes last. */
static const struct row rows[] = {
    ROW(rounding, DIRECTION, MATTERS),
    ROW(result_precision, NUMBER, MATTERS),
    ROW(c, PLACE, MATTERS_CUT),
    ROW(joined_bits, NUMBER, MATTERS_AFTER),
    ROW(c_bits, NUMBER, MATTERS_AFTER),
    ROW(joining, DIRECTION, MATTERS_JOINED),
    ROW(groups, NUMBER, MATTERS_CUT),
    ROW(c_reach, NUMBER, MATTERS_AFTER),
    ROW(flush_operands, YES, MATTERS),
    ROW(flush_c, YES, MATTERS),
    ROW(flush_products, YES, MATTERS_PRODUCTS),
    ROW(flush_results, YES, MATTERS),
    ROW(products_overflow, YES, MATTERS_PRODUCTS),
    ROW(overflow_is_infinite, YES, MATTERS_DIRECTED),
    ROW(zero_positive, YES, MATTERS),
    ROW(alignment_floor, NUMBER, MATTERS_CUT),
    ROW(sticky, YES, MATTERS_CUT),
    ROW(zeros_align, YES, MATTERS_CUT),
    ROW(products_normalised, YES, MATTERS_CUT),
    ROW(aligned_bits, NUMBER, MATTERS_MANY),
    ROW(alignment, DIRECTION, MATTERS_CUT),
};
#undef ROW
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- Values ---- */

static int value_of(const struct row *row, const struct order_node *node) {
    const char *at = (const char *)node + row->offset;
    int value;
    if (row->kind == VALUE_YES)
        return *(const bool *)at;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Bits that only one place of c has are set with it. */
static void set_value(const struct row *row, struct order_node *node, int value) {
    char *at = (char *)node + row->offset;
    if (row->kind == VALUE_YES)
        *(bool *)at = value != 0;
    else
        memcpy(at, &value, sizeof value);
    if (row->kind == VALUE_PLACE) {
        const bool after = value == ORDER_C_AFTER_SUM;
        node->joined_bits = node->c_bits = after ? node->aligned_bits : 0;
        node->joining = after ? node->alignment : ORDER_NEAREST_EVEN;
        node->c_reach = 0;
    }
}

static bool row_matters(const struct row *row, const struct finding *finding,
                        const struct order_node *node) {
    const bool many = node->kind == ORDER_SUM && node->terms > 2,
               cut = many && node->aligned_bits != ORDER_ALL_BITS;
    switch (row->matters) {
    case MATTERS_MANY:
        return many;
    case MATTERS_CUT:
        return cut;
    case MATTERS_AFTER:
        return cut && node->c == ORDER_C_AFTER_SUM;
    case MATTERS_JOINED:
        return cut && (node->c == ORDER_C_AFTER_SUM || node->groups > 1);
    case MATTERS_DIRECTED:
        return node->kind == ORDER_SUM && node->rounding != ORDER_NEAREST_EVEN &&
               node->rounding != ORDER_NEAREST_AWAY;
    case MATTERS_PRODUCTS:
        return finding->subject->products;
    default:
        return node->kind == ORDER_SUM;
    }
}

static unsigned add_range(int *values, unsigned count, int from, int to) {
    for (int value = from; value <= to; value++)
        values[count++] = value;
    return count;
}

/* The values that are tried. */
static unsigned values_of(const struct row *row, const struct order_node *node, int *values) {
    static const int groups[] = {0, 2, 4, 8};
    const struct format *result = node->result;
    unsigned count = 0;
    if (row->kind == VALUE_YES || row->kind == VALUE_PLACE)
        return add_range(values, 0, 0, 1);
    if (row->kind == VALUE_DIRECTION)
        return add_range(values, 0, 0, ORDER_ROUNDINGS - 1);
    if (row->offset == offsetof(struct order_node, groups)) {
        memcpy(values, groups, sizeof groups);
        return sizeof groups / sizeof *groups;
    }
    if (row->offset == offsetof(struct order_node, alignment_floor)) {
        values[count++] = ORDER_NO_FLOOR;
        return add_range(values, count, result->emin - FLOORS, result->emin);
    }
    if (row->offset == offsetof(struct order_node, result_precision)) {
        values[count++] = 0;
        return add_range(values, count, 8,
                         result->precision < MOST_BITS ? result->precision - 1 : 8);
    }
    if (row->offset == offsetof(struct order_node, aligned_bits))
        values[count++] = ORDER_ALL_BITS;
    if (row->offset == offsetof(struct order_node, c_reach))
        values[count++] = 0;
    return add_range(values, count, 1, MOST_BITS);
}

/* ---- The search ---- */

struct search {
    const struct finding *finding;
    const struct replay_samples *samples;
    struct model *model;
    struct replay best;
    size_t tried;
    struct error *error;
};

/* Takes a node in place of number `index` if fewer samples differ. */
static bool try_node(struct search *search, unsigned index, const struct order_node *node,
                     bool *better) {
    struct order_node before = search->model->order.nodes[index];
    struct replay replay;
    search->model->order.nodes[index] = *node;
    search->tried++;
    bool good = replay_samples(search->samples, search->model, search->best.different, &replay,
                               search->error);
    if (good && replay.different < search->best.different) {
        search->best = replay;
        *better = true;
        return true;
    }
    search->model->order.nodes[index] = before;
    return good;
}

/* All values of one row, and with each, where there is a second one, all of that. */
static bool try_row(struct search *search, unsigned index, const struct row *row,
                    const struct row *second, bool *better) {
    const struct order_node from = search->model->order.nodes[index];
    int values[MOST_VALUES], others[MOST_VALUES];
    unsigned count = values_of(row, &from, values);
    for (unsigned i = 0; i < count && search->best.different; i++) {
        struct order_node node = from;
        set_value(row, &node, values[i]);
        unsigned more = second ? values_of(second, &node, others) : 1;
        if (second && !row_matters(second, search->finding, &node))
            continue;
        for (unsigned k = 0; k < more && search->best.different; k++) {
            if (second)
                set_value(second, &node, others[k]);
            if (!try_node(search, index, &node, better))
                return false;
        }
    }
    return true;
}

static bool has_few_values(const struct row *row) {
    return row->kind != VALUE_NUMBER || row->offset == offsetof(struct order_node, groups);
}

/* Rows one by one, or in pairs: of what is cut where, in which direction, and in which group, some shows only
 * together. Of two rows one has few values. */
static bool sweep(struct search *search, bool in_pairs, bool *better) {
    for (unsigned index = 0; index < search->model->order.node_count; index++)
        for (unsigned i = 0; i < ROWS && search->best.different; i++) {
            if (!row_matters(&rows[i], search->finding, &search->model->order.nodes[index]))
                continue;
            if (!in_pairs && !try_row(search, index, &rows[i], NULL, better))
                return false;
            for (unsigned k = 0; in_pairs && k < ROWS && has_few_values(&rows[i]); k++)
                if (k != i && (k > i || !has_few_values(&rows[k])) &&
                    !try_row(search, index, &rows[i], &rows[k], better))
                    return false;
        }
    return true;
}

bool refine_provides(const struct finding *finding) {
    const struct subject *subject = finding->subject;
    return !finding->grown.keeps &&
           (finding->aim.has_many ||
            (subject->products && subject->request.format->precision <= NARROW));
}

static bool descend(struct search *search, bool in_pairs) {
    bool good = true, better = true;
    for (int i = 0; good && better && search->best.different && i < SWEEPS; i++) {
        better = false;
        good =
            sweep(search, false, &better) && (better || !in_pairs || sweep(search, true, &better));
    }
    return good;
}

enum {
    START_WITH_TERMS = 1,
    START_TOWARD_ZERO = 2,
    START_IN_GROUPS = 4,
    START_NARROW = 8,
    STARTS = 16
};

/* Nodes from which the search sets out: probes of one group see how groups are joined, too, and where c comes in is a
 * guess; some units sum in as many bits as terms keep. */
static void set_out(const struct model *from, unsigned start, struct model *to) {
    for (unsigned i = 0; i < from->order.node_count; i++) {
        struct order_node *node = &to->order.nodes[i];
        *node = from->order.nodes[i];
        if (node->kind != ORDER_SUM || node->terms <= 2 || node->aligned_bits == ORDER_ALL_BITS)
            continue;
        if (start & START_TOWARD_ZERO)
            node->alignment = ORDER_TOWARD_ZERO;
        if (start & START_IN_GROUPS)
            node->groups = 2;
        if (start & START_NARROW && node->aligned_bits < node->result->precision)
            node->result_precision = (unsigned)node->aligned_bits + 1;
        if (start & START_WITH_TERMS) {
            node->c = ORDER_C_WITH_TERMS;
            node->joined_bits = node->c_bits = 0;
        }
    }
}

/* From one start; what is better than before is kept. */
static bool try_start(struct search *search, const struct model *from, unsigned start,
                      bool in_pairs) {
    struct order_node nodes[ORDER_MOST_NODES];
    const struct replay before = search->best;
    memcpy(nodes, search->model->order.nodes, sizeof nodes);
    set_out(from, start, search->model);
    bool good = replay_samples(search->samples, search->model, 0, &search->best, search->error) &&
                descend(search, in_pairs);
    if (search->best.different >= before.different) {
        search->best = before;
        memcpy(search->model->order.nodes, nodes, sizeof nodes);
    }
    return good;
}

bool refine(const struct finding *finding, const struct replay_samples *samples,
            struct model *model, struct replay *replay, size_t *tried, struct error *error) {
    const struct model from = *model;
    struct search search = {finding, samples, model, *replay, 0, error};
    const unsigned starts = finding->aim.has_many ? STARTS : 1;
    bool good = true;
    for (unsigned i = 0; good && search.best.different && i < starts; i++)
        good = try_start(&search, &from, i, false);
    if (good && search.best.different)
        good = descend(&search, true);
    *replay = search.best;
    *tried += search.tried;
    return good;
}

/* ---- What is open ---- */

static void value_text(const struct row *row, int value, char *text, size_t room) {
    if (row->kind == VALUE_DIRECTION)
        snprintf(text, room, "%s", order_rounding_names[value]);
    else if (row->kind == VALUE_PLACE)
        snprintf(text, room, "%s", order_c_names[value]);
    else if (row->kind == VALUE_YES)
        snprintf(text, room, "%s", value ? "yes" : "no");
    else if (value == ORDER_NO_FLOOR)
        snprintf(text, room, "none");
    else if (row->matters == MATTERS_MANY && value == ORDER_ALL_BITS)
        snprintf(text, room, "all");
    else
        snprintf(text, room, "%d", value);
}

/* "aligned_bits: 24 to 26 or all" */
static void line_of(const struct row *row, const int *values, unsigned count, unsigned node,
                    bool several, char line[REFINE_TEXT]) {
    char from[32], to[32];
    int length = several ? snprintf(line, REFINE_TEXT, "addition %u, ", node) : 0;
    length += snprintf(line + length, (size_t)(REFINE_TEXT - length), "%s:", row->name);
    for (unsigned i = 0, end; i < count && length < REFINE_TEXT; i = end + 1) {
        for (end = i; end + 1 < count && row->kind == VALUE_NUMBER &&
                      values[end] != ORDER_NO_FLOOR && values[end + 1] == values[end] + 1;
             end++)
            ;
        value_text(row, values[i], from, sizeof from);
        value_text(row, values[end], to, sizeof to);
        length += snprintf(line + length, (size_t)(REFINE_TEXT - length), "%s %s%s%s",
                           i ? " or" : "", from, end > i ? " to " : "", end > i ? to : "");
    }
}

/* The values of a row by which no sample differs. */
static bool open_row(struct search *search, unsigned index, const struct row *row, int *left,
                     unsigned *left_count) {
    struct order_node *node = &search->model->order.nodes[index];
    const struct order_node chosen = *node;
    int values[MOST_VALUES];
    unsigned count = values_of(row, &chosen, values);
    bool good = true;
    *left_count = 0;
    for (unsigned i = 0; good && i < count; i++) {
        struct replay replay = {0};
        *node = chosen;
        if (values[i] != value_of(row, &chosen)) {
            set_value(row, node, values[i]);
            good = replay_samples(search->samples, search->model, 1, &replay, search->error);
        }
        if (good && !replay.different)
            left[(*left_count)++] = values[i];
    }
    *node = chosen;
    return good;
}

bool refine_open(const struct finding *finding, const struct replay_samples *samples,
                 struct model *model, void (*say)(void *context, const char *line), void *context,
                 struct error *error) {
    struct search search = {finding, samples, model, {0}, 0, error};
    for (unsigned index = 0; index < model->order.node_count; index++)
        for (unsigned i = 0; i < ROWS; i++) {
            int left[MOST_VALUES];
            unsigned count = 0;
            char line[REFINE_TEXT];
            if (!row_matters(&rows[i], finding, &model->order.nodes[index]))
                continue;
            if (!open_row(&search, index, &rows[i], left, &count))
                return false;
            line_of(&rows[i], left, count, index, model->order.node_count > 1, line);
            if (count > 1)
                say(context, line);
        }
    return true;
}
