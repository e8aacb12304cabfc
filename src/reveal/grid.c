/* The axes, value by value. */
#include "reveal/grid.h"

#include <stdio.h>
#include <string.h>

/* Sums of products of formats with more exponents than that have no room in a term. */
enum { EXACT_JOIN = 60, MOST_EXPONENTS = 6 };
enum { ALIGNMENTS = 4, STICKY = 3, FLUSH_OPERANDS = 1, FLUSH_RESULTS = 2 };

const char *const grid_axis_names[GRID_AXES] = {
    "overflow",     "products a call", "products that meet their scales together",
    "aligned bits", "alignment",       "groups",
    "result bits",  "products",        "c",
    "rounding",     "subnormal"};

static const enum order_rounding roundings[] = {ORDER_TOWARD_ZERO, ORDER_NEAREST_EVEN, ORDER_DOWN,
                                                ORDER_NEAREST_AWAY, ORDER_TO_ODD};
enum { ROUNDINGS = sizeof roundings / sizeof *roundings };

enum { WRAPS, STOPS, OVERFLOWS };

/* Values of the axes that have the same ones at each point. */
static const char *const overflow_words[] = {"wraps", "stops at the ends"};
static const char *const alignment_words[] = {"toward-zero", "nearest-even", "down",
                                              "toward-zero with a sticky bit"};
static const char *const group_words[] = {"1", "2"};
static const char *const precision_words[] = {"all", "as many as aligned"};
static const char *const normalised_words[] = {"as they are", "normalised"};
static const char *const c_words[] = {"with the products", "after their sum, before rounding",
                                      "added to the rounded sum", "left out"};
static const char *const flushing_words[] = {"kept", "operands and c flushed", "results flushed",
                                             "all flushed"};

void grid_open(struct grid *grid, const struct unit_cases *cases) {
    *grid = (struct grid){.result = cases->result,
                          .has_c = cases->has_c,
                          .products = cases->products,
                          .block = cases->scales ? cases->block : 0,
                          .together = 1,
                          .most_bits = cases->scales ? GRID_MOST_SCALED_BITS : GRID_MOST_BITS};
    if (cases->format->emax - cases->format->emin <= MOST_EXPONENTS)
        for (size_t both = 2; both <= grid->block; both *= 2)
            grid->together++;
    grid->calls[grid->call_count++] = (unsigned)cases->products;
    for (unsigned call = 1; call < cases->products; call *= 2)
        grid->calls[grid->call_count++] = call;
    grid->whole = cases->format->is_integer;
    if (grid->whole)
        return;
    if (!cases->scales && cases->products >= 4 && cases->products % 4 == 0)
        grid->calls[grid->call_count++] = 0;
    for (size_t i = 0; i < cases->count; i++) {
        for (size_t k = i * cases->products; k < (i + 1) * cases->products; k++)
            grid->tiny_operands |= format_classify(cases->format, cases->a[k]) == CLASS_SUBNORMAL ||
                                   format_classify(cases->format, cases->b[k]) == CLASS_SUBNORMAL;
        grid->tiny_operands |=
            cases->has_c && format_classify(cases->result, cases->c[i]) == CLASS_SUBNORMAL;
        grid->tiny_results |= format_classify(cases->result, cases->d[i]) == CLASS_SUBNORMAL ||
                              (!cases->scales && format_is_zero(cases->result, cases->d[i]));
    }
}

static unsigned bits_values(const struct grid *grid) {
    return grid->most_bits - GRID_LEAST_BITS + 2;
}

static unsigned bits_of(const struct grid_point *point) {
    return GRID_LEAST_BITS + point->at[GRID_BITS];
}

unsigned grid_values(const struct grid *grid, const struct grid_point *point, enum grid_axis axis) {
    bool exact = grid->whole || point->at[GRID_BITS] == bits_values(grid) - 1;
    unsigned call = grid->calls[point->at[GRID_CALL]];
    switch (axis) {
    case GRID_OVERFLOW:
        return grid->whole ? OVERFLOWS : 1;
    case GRID_CALL:
        return grid->call_count;
    case GRID_TOGETHER: {
        unsigned count = grid->together;
        while (count > 1 && 1U << (count - 1) > call)
            count--;
        return count;
    }
    case GRID_BITS:
        return grid->whole ? 1 : bits_values(grid);
    case GRID_ALIGNMENT:
        return exact ? 1 : ALIGNMENTS;
    case GRID_GROUPS:
        return exact || grid->block || (call && call < 4) ? 1 : 2;
    case GRID_PRECISION:
        return exact || bits_of(point) + 1 >= (unsigned)grid->result->precision ? 1 : 2;
    case GRID_NORMALISED:
        return exact || point->at[GRID_TOGETHER] ? 1 : 2;
    case GRID_C:
        return grid->has_c                            ? GRID_C_UNUSED + 1
               : grid->block && call < grid->products ? GRID_C_LAST + 1
                                                      : 1;
    case GRID_ROUNDING:
        return grid->whole ? 1 : ROUNDINGS;
    default:
        return grid->tiny_results ? 4 : grid->tiny_operands ? 2 : 1;
    }
}

bool grid_next(const struct grid *grid, struct grid_point *point) {
    for (unsigned axis = GRID_AXES; axis--;) {
        if (point->at[axis] + 1U < grid_values(grid, point, axis)) {
            point->at[axis]++;
            return true;
        }
        point->at[axis] = 0;
    }
    return false;
}

void grid_model(const struct grid *grid, const struct grid_point *point, struct grid_model *model) {
    const uint8_t *at = point->at;
    unsigned call = grid->calls[at[GRID_CALL]];
    bool exact = grid->whole || at[GRID_BITS] == bits_values(grid) - 1,
         sticky = at[GRID_ALIGNMENT] == STICKY;
    unsigned bits = bits_of(point);
    struct order_node node = {
        .kind = ORDER_SUM,
        .result = grid->result,
        .rounding = roundings[at[GRID_ROUNDING]],
        .result_precision = at[GRID_PRECISION] ? bits + 1 : 0,
        .overflow_is_infinite = at[GRID_OVERFLOW] == WRAPS,
        .aligned_bits = exact ? ORDER_ALL_BITS : (int)bits,
        .alignment = sticky ? ORDER_TOWARD_ZERO : roundings[at[GRID_ALIGNMENT]],
        .sticky = sticky,
        .alignment_floor = ORDER_NO_FLOOR,
        .products_normalised = at[GRID_NORMALISED],
        .groups = at[GRID_GROUPS] + 1U,
        .c = at[GRID_C] == GRID_C_AFTER_SUM ? ORDER_C_AFTER_SUM : ORDER_C_WITH_TERMS,
        .joined_bits = EXACT_JOIN,
        .c_bits = EXACT_JOIN,
        .flush_operands = at[GRID_FLUSHING] & FLUSH_OPERANDS,
        .flush_c = at[GRID_FLUSHING] & FLUSH_OPERANDS,
        .flush_results = at[GRID_FLUSHING] & FLUSH_RESULTS,
        .nan = grid->result->nan};
    node.joining = node.alignment;
    *model = (struct grid_model){.node = node,
                                 .last = order_node_plain(grid->result, ROUND_NEAREST_EVEN),
                                 .call = call ? call : (unsigned)grid->products / 2,
                                 .together = 1U << at[GRID_TOGETHER],
                                 .halves = !call,
                                 .c = (enum grid_c)at[GRID_C]};
    if (grid->whole)
        model->last.overflow_is_infinite = node.overflow_is_infinite;
    model->last.flush_c = node.flush_c;
    model->last.flush_results = node.flush_results;
}

void grid_note(const struct grid *grid, const struct grid_point *point, struct grid_sets *sets) {
    for (unsigned axis = 0; axis < GRID_AXES; axis++)
        if (grid_values(grid, point, axis) > 1)
            sets->of[axis] |= (uint64_t)1 << point->at[axis];
}

int grid_least_bits(const struct grid *grid, uint64_t set) {
    unsigned value = 0;
    while (value < bits_values(grid) - 1 && !(set >> value & 1))
        value++;
    return value == bits_values(grid) - 1 ? 0 : GRID_LEAST_BITS + (int)value;
}

static const char *value_words(const struct grid *grid, enum grid_axis axis, unsigned value,
                               char text[GRID_TEXT]) {
    static const char *const *const words[GRID_AXES] = {
        [GRID_OVERFLOW] = overflow_words,     [GRID_ALIGNMENT] = alignment_words,
        [GRID_GROUPS] = group_words,          [GRID_PRECISION] = precision_words,
        [GRID_NORMALISED] = normalised_words, [GRID_C] = c_words,
        [GRID_FLUSHING] = flushing_words};
    if (words[axis])
        return words[axis][value];
    if (axis == GRID_ROUNDING)
        return order_rounding_names[roundings[value]];
    if (axis == GRID_BITS && value == bits_values(grid) - 1)
        return "all";
    unsigned number = axis == GRID_BITS       ? GRID_LEAST_BITS + value
                      : axis == GRID_TOGETHER ? 1U << value
                                              : grid->calls[value];
    if (!number)
        return "halves of registers";
    snprintf(text, GRID_TEXT, "%u", number);
    return text;
}

const char *grid_words(const struct grid *grid, enum grid_axis axis, uint64_t set,
                       char text[GRID_TEXT]) {
    size_t length = 0;
    text[0] = '\0';
    for (unsigned value = 0; value < 64; value++) {
        char word[GRID_TEXT];
        if (!(set >> value & 1) || length >= GRID_TEXT - 1)
            continue;
        unsigned end = value;
        while (axis == GRID_BITS && end + 1 < bits_values(grid) - 1 && set >> (end + 1) & 1)
            end++;
        const char *first = value_words(grid, axis, value, word);
        length += (size_t)snprintf(text + length, GRID_TEXT - length, "%s%.60s", length ? "; " : "",
                                   first);
        if (end > value && length < GRID_TEXT - 1)
            length += (size_t)snprintf(text + length, GRID_TEXT - length, " to %.60s",
                                       value_words(grid, axis, end, word));
        value = end;
    }
    return text;
}
