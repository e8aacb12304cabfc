/* The steps of a formula as nodes of its tree: arithmetic, comparisons, select(), round(), and the arguments of calls. */
#include "op/formula/parse_parts.h"

#include "op/formula/functions.h"

#include <stdio.h>

int parse_add_leaf(struct parser *parser, enum formula_kind kind) {
    return parse_add_node(parser, (struct formula_node){.kind = kind});
}

/* The row by which an implementation takes a step; NULL where it needs none. */
static const struct operation *row_of(enum formula_kind kind) {
    static const char *const names[] = {
        [FORMULA_ADD] = "add",         [FORMULA_SUBTRACT] = "sub",    [FORMULA_MULTIPLY] = "mul",
        [FORMULA_DIVIDE] = "div",      [FORMULA_FUSED] = "fma",       [FORMULA_POWER] = "pow",
        [FORMULA_LESSER] = "fminimum", [FORMULA_GREATER] = "fmaximum"};
    bool known = kind >= FORMULA_ADD && kind <= FORMULA_GREATER;
    return known ? operation_row(names[kind]) : NULL;
}

int parse_add_step(struct parser *parser, enum formula_kind kind, int count, const int *nodes) {
    struct formula_node node = {.kind = kind, .count = count, .operation = row_of(kind)};
    for (int i = 0; i < count; i++)
        node.arguments[i] = nodes[i];
    return parse_add_node(parser, node);
}

int parse_add_binary(struct parser *parser, enum formula_kind kind, int a, int b) {
    return parse_add_step(parser, kind, 2, (const int[]){a, b});
}

/* Comparisons such as a < b, which stand in place of a condition. */
static enum formula_relation parse_relation(struct parser *parser) {
    static const struct {
        const char *word;
        enum formula_relation relation;
    } words[] = {{"<=", RELATION_NOT_GREATER}, {">=", RELATION_NOT_LESS}, {"==", RELATION_EQUAL},
                 {"!=", RELATION_DIFFERENT},   {"<", RELATION_LESS},      {">", RELATION_GREATER}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (parse_accept(parser, words[i].word))
            return words[i].relation;
    parse_fail(parser, parser->at,
               "a comparison should stand here: <, <=, >, >=, == or !=, as in "
               "select(x < 0, -x, x)");
    return RELATION_LESS;
}

int parse_select(struct parser *parser) {
    struct formula_node node = {.kind = FORMULA_SELECT, .count = 4};
    parse_expect(parser, "(");
    node.arguments[0] = parser->expression(parser);
    node.relation = parse_relation(parser);
    for (int i = 1; i < 4; i++) {
        if (i > 1)
            parse_expect(parser, ",");
        node.arguments[i] = parser->expression(parser);
    }
    parse_expect(parser, ")");
    return parse_add_node(parser, node);
}

bool parse_round(struct parser *parser, int *node) {
    const char *begin = parser->at;
    if (!parse_accept(parser, "("))
        return false;
    size_t length = parse_word_length(parser);
    char name[FORMULA_NAME];
    struct error why;
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), parser->at);
    const char *place = parser->at;
    const struct format *format = length ? format_find(name, &why) : NULL;
    parser->at += length;
    if (!format && !(length && parse_accept(parser, ","))) {
        parser->at = begin;
        return false;
    }
    if (!format) {
        parse_fail(parser, place, "%.300s", why.text);
        return true;
    }
    if (format->is_integer || format->is_element || !format->has_zero) {
        parse_fail(parser, place, "%s is not a format of real numbers to round to", format->name);
        return true;
    }
    parse_expect(parser, ",");
    struct formula_node round = {.kind = FORMULA_ROUND, .count = 1, .format = format};
    round.arguments[0] = parser->expression(parser);
    parse_expect(parser, ")");
    *node = parse_add_node(parser, round);
    return true;
}

int parse_arguments(struct parser *parser, int wanted, const char *name, int *nodes) {
    int count = 0;
    parse_expect(parser, "(");
    do {
        int node = parser->expression(parser);
        if (count < MAX_OPERANDS)
            nodes[count] = node;
        count++;
    } while (!parser->failed && parse_accept(parser, ","));
    parse_expect(parser, ")");
    if (count != wanted)
        parse_fail(parser, parser->before, "%.31s takes %d operand%s, not %d", name, wanted,
                   wanted > 1 ? "s" : "", count);
    return count;
}
