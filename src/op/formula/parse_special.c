/* Special values behind a formula: "silu(x) = x/(1 + exp(-x)); silu(-inf) = -0". They become choices in the tree, so
 * that whatever knows select knows them. */
#include "op/formula/parse_parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SPECIAL_VALUES = 16 };

/* What a special value holds for, and what it is: nodes. */
struct special_value {
    int operands[MAX_OPERANDS], value;
};

static const struct formula_node *node_at(const struct parser *parser, int node) {
    return &parser->formula->nodes[node];
}

static int add_number(struct parser *parser, int number) {
    mpq_ptr q = malloc(sizeof *q);
    if (!q)
        return parse_fail(parser, parser->at, "out of memory");
    mpq_init(q);
    mpq_set_si(q, number, 1);
    struct formula_node node = {.kind = FORMULA_NUMBER, .number = q};
    int known = parser->formula->count, at = parse_add_node(parser, node);
    if (parser->failed || at < known) {
        mpq_clear(q);
        free(q);
    }
    return at;
}

/* u, or `other` where the relation does not hold between a and b. */
static int add_choice(struct parser *parser, int a, enum formula_relation relation, int b, int u,
                      int other) {
    return parse_add_node(parser, (struct formula_node){.kind = FORMULA_SELECT,
                                                        .count = 4,
                                                        .arguments = {a, b, u, other},
                                                        .relation = relation});
}

/* What the operand of that number is to be: a number, inf, nan, or its own name, which anything fits. */
static int parse_wanted(struct parser *parser, int operand) {
    parse_blanks(parser);
    const char *place = parser->at;
    int node = parser->expression(parser);
    if (parser->failed)
        return 0;
    const struct formula_node *at = node_at(parser, node);
    const struct formula_node *under =
        at->kind == FORMULA_NEGATE ? node_at(parser, at->arguments[0]) : at;
    bool number =
        under->kind == FORMULA_NUMBER || under->kind == FORMULA_INFINITY || at->kind == FORMULA_NAN;
    if (!number && !(at->kind == FORMULA_OPERAND && at->arguments[0] == operand))
        parse_fail(parser, place, "a number, inf, nan or the operand's own name should stand here");
    return node;
}

static struct special_value parse_one(struct parser *parser) {
    struct special_value special = {{0}, 0};
    size_t length = parse_word_length(parser);
    int count = 0;
    if (!parser->declared || strlen(parser->formula->name) != length ||
        strncmp(parser->at, parser->formula->name, length) != 0) {
        parse_fail(parser, parser->at,
                   "a special value of the formula should stand here, as in "
                   "f(x) = sin(x)/x; f(0) = 1");
        return special;
    }
    parser->at += length;
    parse_expect(parser, "(");
    do {
        parse_blanks(parser);
        if (count == parser->formula->operands)
            parse_fail(parser, parser->at, "the formula has %d operand%s",
                       parser->formula->operands, parser->formula->operands > 1 ? "s" : "");
        else
            special.operands[count] = parse_wanted(parser, count);
        count++;
    } while (!parser->failed && parse_accept(parser, ","));
    if (count < parser->formula->operands)
        parse_fail(parser, parser->at, "the formula has %d operands", parser->formula->operands);
    parse_expect(parser, ")");
    parse_expect(parser, "=");
    special.value = parser->expression(parser);
    return special;
}

/* The value where all operands are what is wanted, else `other`. 0 fits both zeros, -0 the one. */
static int add_special(struct parser *parser, const struct special_value *special, int other) {
    int node = special->value;
    for (int i = parser->formula->operands - 1; i >= 0 && !parser->failed; i--) {
        struct formula_node operand = {.kind = FORMULA_OPERAND, .arguments = {i}};
        const struct formula_node *wanted = node_at(parser, special->operands[i]);
        int x = parse_add_node(parser, operand);
        if (wanted->kind == FORMULA_OPERAND)
            continue;
        if (wanted->kind == FORMULA_NAN) {
            node = add_choice(parser, x, RELATION_DIFFERENT, x, node, other);
            continue;
        }
        const struct formula_node *under =
            wanted->kind == FORMULA_NEGATE ? node_at(parser, wanted->arguments[0]) : wanted;
        if (wanted != under && under->kind == FORMULA_NUMBER && mpq_sgn(under->number) == 0) {
            int one = add_number(parser, 1), zero = special->operands[i];
            int nodes[] = {one, x};
            struct formula_node inverse = {.kind = FORMULA_DIVIDE, .count = 2};
            memcpy(inverse.arguments, nodes, sizeof nodes);
            inverse.operation = operation_row("div");
            node = add_choice(parser, parse_add_node(parser, inverse), RELATION_LESS, zero, node,
                              other);
        }
        node = add_choice(parser, x, RELATION_EQUAL, special->operands[i], node, other);
    }
    return node;
}

int parse_special_values(struct parser *parser, int whole) {
    struct special_value values[MOST_SPECIAL_VALUES];
    int count = 0;
    while (!parser->failed && parse_accept(parser, ";")) {
        if (count == MOST_SPECIAL_VALUES)
            return parse_fail(parser, parser->before, "more than %d special values",
                              MOST_SPECIAL_VALUES);
        values[count++] = parse_one(parser);
    }
    while (count > 0 && !parser->failed) /* the first that fits is to be chosen first */
        whole = add_special(parser, &values[--count], whole);
    return whole;
}
