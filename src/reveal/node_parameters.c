/* Where each parameter is in a node, and which values are tried. */
#include "reveal/node_parameters.h"

#include "reveal/axes.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BITS = 40, FLOORS = 14 };

enum value_kind { VALUE_NUMBER, VALUE_YES, VALUE_DIRECTION, VALUE_PLACE, VALUE_PRODUCT };

/* Which nodes have a parameter. */
enum matters {
    MATTERS,
    MATTERS_MANY,
    MATTERS_CUT,
    MATTERS_AFTER,
    MATTERS_JOINED,
    MATTERS_PRODUCTS,
    MATTERS_LEAST_PRODUCTS,
    MATTERS_ALIGNED,
    MATTERS_DIRECTED
};

struct row {
    const char *says; /* what is open */
    size_t offset;
    enum value_kind kind;
    enum matters matters;
    const char *words[2]; /* of no and yes; of numbers: of the one that is none */
};

#define ROW(NAME, KIND, WHERE, SAYS, ...)                                                          \
    {                                                                                              \
        SAYS, offsetof(struct order_node, NAME), VALUE_##KIND, WHERE, {                            \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
/* What aimed probes have found comes last. */
static const struct row rows[] = {
    ROW(rounding, DIRECTION, MATTERS, "sums are rounded", NULL),
    ROW(result_precision, NUMBER, MATTERS, "bits that sums have", "all of their format"),
    ROW(c, PLACE, MATTERS_CUT, "c comes in", NULL),
    ROW(joined_bits, NUMBER, MATTERS_AFTER, "bits that the terms' sum keeps where it meets c",
        NULL),
    ROW(c_bits, NUMBER, MATTERS_AFTER, "bits that c keeps where it meets the terms' sum", NULL),
    ROW(joining, DIRECTION, MATTERS_JOINED, "sums of terms that meet are cut", NULL),
    ROW(groups, NUMBER, MATTERS_CUT, "groups in which terms are added apart", "none"),
    ROW(c_reach, NUMBER, MATTERS_AFTER, "bits below the terms' sum at which c is left out",
        "never"),
    ROW(flush_operands, YES, MATTERS, "subnormal operands are", "kept", "flushed"),
    ROW(flush_c, YES, MATTERS, "a subnormal c is", "kept", "flushed"),
    ROW(product, PRODUCT, MATTERS_LEAST_PRODUCTS, "products are", "fused", "rounded to fp32"),
    ROW(flush_products, YES, MATTERS_PRODUCTS, "subnormal products are", "kept", "flushed"),
    ROW(flush_results, YES, MATTERS, "subnormal sums are", "kept", "flushed"),
    ROW(products_overflow, YES, MATTERS_PRODUCTS, "products beyond the format of sums are", "kept",
        "infinite"),
    ROW(overflow_is_infinite, YES, MATTERS_DIRECTED, "sums beyond the largest number are",
        "that number", "infinite"),
    ROW(zero_positive, YES, MATTERS, "sums that are 0 have", "the sign of IEEE 754", "no sign"),
    ROW(alignment_floor, NUMBER, MATTERS_CUT, "the least exponent to which terms are aligned is",
        "none"),
    ROW(sticky, YES, MATTERS_CUT, "what is cut from terms is", "lost", "kept in a sticky bit"),
    ROW(zeros_align, YES, MATTERS_CUT, "terms that are 0 are, where others are aligned",
        "passed over", "counted by their exponents"),
    ROW(products_normalised, YES, MATTERS_ALIGNED, "exponents of products are",
        "the sums of their factors'", "their own"),
    ROW(aligned_bits, NUMBER, MATTERS_MANY, "bits that aligned terms keep", "all"),
    ROW(alignment, DIRECTION, MATTERS_CUT, "aligned terms are cut", NULL),
};
#undef ROW
_Static_assert(sizeof rows / sizeof *rows == NODE_PARAMETERS, "each parameter has a row");

/* ---- Values ---- */

int node_parameter_value(unsigned parameter, const struct order_node *node) {
    const struct row *row = &rows[parameter];
    const char *at = (const char *)node + row->offset;
    int value;
    if (row->kind == VALUE_YES)
        return *(const bool *)at;
    if (row->kind == VALUE_PRODUCT)
        return node->product != NULL;
    memcpy(&value, at, sizeof value);
    return value;
}

void node_parameter_set(unsigned parameter, struct order_node *node, int value) {
    const struct row *row = &rows[parameter];
    char *at = (char *)node + row->offset;
    if (row->kind == VALUE_YES)
        *(bool *)at = value != 0;
    else if (row->kind == VALUE_PRODUCT)
        node->product = value ? axis_least_product() : NULL;
    else
        memcpy(at, &value, sizeof value);
    if (row->kind == VALUE_PLACE) {
        const bool after = value == ORDER_C_AFTER_SUM;
        node->joined_bits = node->c_bits = after ? node->aligned_bits : 0;
        node->joining = after ? node->alignment : ORDER_NEAREST_EVEN;
        node->c_reach = 0;
    }
}

bool node_parameter_matters(unsigned parameter, const struct finding *finding,
                            const struct order_node *node) {
    const bool many = node->kind == ORDER_SUM && node->terms > 2,
               cut = many && node->aligned_bits != ORDER_ALL_BITS;
    switch (rows[parameter].matters) {
    case MATTERS_MANY:
        return many;
    case MATTERS_CUT:
        return cut;
    case MATTERS_ALIGNED:
        return cut && finding->subject->products;
    case MATTERS_AFTER:
        return cut && node->c == ORDER_C_AFTER_SUM;
    case MATTERS_JOINED:
        return cut && (node->c == ORDER_C_AFTER_SUM || node->groups > 1);
    case MATTERS_DIRECTED:
        return node->kind == ORDER_SUM && node->rounding != ORDER_NEAREST_EVEN &&
               node->rounding != ORDER_NEAREST_AWAY;
    case MATTERS_PRODUCTS:
        return finding->subject->products;
    case MATTERS_LEAST_PRODUCTS:
        return has_least_products(finding);
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
unsigned node_parameter_values(unsigned parameter, const struct order_node *node,
                               int values[NODE_PARAMETER_VALUES]) {
    const struct row *row = &rows[parameter];
    static const int groups[] = {0, 2, 4, 8};
    const struct format *result = node->result;
    unsigned count = 0;
    if (row->kind == VALUE_YES || row->kind == VALUE_PLACE || row->kind == VALUE_PRODUCT)
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

bool node_parameter_has_few_values(unsigned parameter) {
    const struct row *row = &rows[parameter];
    return row->kind != VALUE_NUMBER || row->offset == offsetof(struct order_node, groups);
}

/* ---- Text ---- */

static void value_text(const struct row *row, int value, char *text, size_t room) {
    const bool is_number = row->kind == VALUE_NUMBER,
               is_none = value == ORDER_NO_FLOOR || value == ORDER_ALL_BITS || value == 0;
    if (row->kind == VALUE_DIRECTION)
        snprintf(text, room, "%s", order_rounding_names[value]);
    else if (row->kind == VALUE_PLACE)
        snprintf(text, room, "%s", value ? "after their sum" : "with the terms");
    else if (!is_number || (is_none && row->words[0]))
        snprintf(text, room, "%s", row->words[!is_number && value]);
    else
        snprintf(text, room, "%d", value);
}

void node_parameter_line(unsigned parameter, const int *values, unsigned count, unsigned node,
                         bool several, char line[NODE_PARAMETER_TEXT]) {
    const struct row *row = &rows[parameter];
    char from[32], to[32];
    int length = several ? snprintf(line, NODE_PARAMETER_TEXT, "addition %u, ", node) : 0;
    length += snprintf(line + length, (size_t)(NODE_PARAMETER_TEXT - length), "%s:", row->says);
    for (unsigned i = 0, end; i < count && length < NODE_PARAMETER_TEXT; i = end + 1) {
        for (end = i; end + 1 < count && row->kind == VALUE_NUMBER &&
                      values[end] != ORDER_NO_FLOOR && values[end] != ORDER_ALL_BITS &&
                      values[end] != 0 && values[end + 1] == values[end] + 1;
             end++)
            ;
        value_text(row, values[i], from, sizeof from);
        value_text(row, values[end], to, sizeof to);
        length += snprintf(line + length, (size_t)(NODE_PARAMETER_TEXT - length), "%s %s%s%s",
                           i ? " or" : "", from, end > i ? " to " : "", end > i ? to : "");
    }
}
