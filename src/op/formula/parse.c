/* A parser by descent. */
#include "op/formula/parse_parts.h"

#include "base/names.h"
#include "op/formula/functions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse_expression(struct parser *parser);

/* The operations that have a kind of their own; with these, `abs`, `min` and `max` are names too. */
static const struct {
    const char *name;
    enum formula_kind kind;
    int operands;
} own_kinds[] = {
    {"abs", FORMULA_MAGNITUDE, 1},   {"min", FORMULA_LESSER, 2},       {"max", FORMULA_GREATER, 2},
    {"fminimum", FORMULA_LESSER, 2}, {"fmaximum", FORMULA_GREATER, 2}, {"add", FORMULA_ADD, 2},
    {"sub", FORMULA_SUBTRACT, 2},    {"mul", FORMULA_MULTIPLY, 2},     {"div", FORMULA_DIVIDE, 2},
    {"fma", FORMULA_FUSED, 3},       {"pow", FORMULA_POWER, 2}};

static void unknown(struct parser *parser, const char *place, const char *name) {
    enum { MOST_KNOWN = 256 };
    const char *names[MOST_KNOWN];
    size_t count = 0;
    for (size_t i = 0; operation_at(i) && count < MOST_KNOWN - 16; i++)
        if (formula_takes(operation_at(i)))
            names[count++] = operation_at(i)->name;
    for (size_t i = 0; i < 3; i++)
        names[count++] = own_kinds[i].name;
    names[count++] = "select";
    const char *nearest = name_nearest(name, names, count);
    const struct operation *row = operation_row(name);
    if (row)
        parse_fail(parser, place,
                   "%s has no place in a formula: a function from numbers to a number "
                   "should stand here",
                   row->name);
    else if (nearest)
        parse_fail(parser, place, "'%s' is unknown; did you mean %s?", name, nearest);
    else
        parse_fail(parser, place, "'%s' is unknown; %s", name,
                   parser->declared
                       ? "there are the operands in the formula's head, pi, e and the "
                         "operations of 'detcheck list operations'"
                       : "there are x, y, z, pi, e and the operations of 'detcheck list "
                         "operations'");
}

/* An operand of a function that only a binary fraction or an operand may be. */
static bool is_point(const struct formula *formula, int node) {
    const struct formula_node *at = &formula->nodes[node];
    if (at->kind == FORMULA_NUMBER) {
        mpz_srcptr denominator = mpq_denref(at->number);
        return mpz_scan1(denominator, 0) + 1 == mpz_sizeinbase(denominator, 2);
    }
    return at->kind == FORMULA_OPERAND ||
           (at->kind == FORMULA_NEGATE && is_point(formula, at->arguments[0]));
}

/* The row's rewriting as a tree. Where its two arguments are one node, y is x. */
static struct formula *read_rewriting(const char *text, bool same, struct error *error) {
    char whole[512]; /* texts of rows are shorter */
    snprintf(whole, sizeof whole, "%s%s", same ? "let y = x in " : "", text);
    return formula_parse(whole, error);
}

static int parse_call(struct parser *parser, const char *name, const char *place) {
    int nodes[MAX_OPERANDS] = {0};
    for (size_t i = 0; i < sizeof own_kinds / sizeof *own_kinds; i++)
        if (strcmp(name, own_kinds[i].name) == 0) {
            parse_arguments(parser, own_kinds[i].operands, name, nodes);
            parser->before = place;
            return parse_add_step(parser, own_kinds[i].kind, own_kinds[i].operands, nodes);
        }
    const struct operation *row = operation_row(strcmp(name, "rcp") == 0 ? "recip" : name);
    if (!row || !formula_takes(row)) {
        unknown(parser, place, name);
        return 0;
    }
    parse_arguments(parser, row->operands, row->name, nodes);
    struct formula_node node = {.kind = FORMULA_FUNCTION, .count = row->operands, .operation = row};
    for (int i = 0; i < row->operands; i++) {
        node.arguments[i] = nodes[i];
        if (formula_wants_points(row) && !parser->failed && !is_point(parser->formula, nodes[i]))
            parse_fail(parser, place,
                       "%s takes operands and binary fractions only, nothing computed", row->name);
    }
    parser->before = place;
    int known = parser->formula->count, at = parse_add_node(parser, node);
    const struct function_rule *rule = function_rule(row);
    if (!parser->failed && at == known && rule && rule->rewriting) {
        struct formula *rewriting = read_rewriting(
            rule->rewriting, row->operands == 2 && nodes[0] == nodes[1], parser->error);
        parser->formula->nodes[at].rewriting = rewriting;
        parser->failed = !rewriting;
    }
    return at;
}

static const struct binding_of_name *find_name(const struct parser *parser, const char *at,
                                               size_t length) {
    for (int i = parser->name_count - 1; i >= 0; i--)
        if (parser->names[i].length == length && strncmp(parser->names[i].word, at, length) == 0)
            return &parser->names[i];
    return NULL;
}

static int add_operand(struct parser *parser, int number) {
    struct formula_node node = {.kind = FORMULA_OPERAND};
    node.arguments[0] = number;
    if (number >= parser->formula->operands)
        parser->formula->operands = number + 1;
    return parse_add_node(parser, node);
}

static int parse_name(struct parser *parser, size_t length) {
    static const struct {
        const char *name;
        enum formula_kind kind;
    } constants[] = {
        {"pi", FORMULA_PI}, {"e", FORMULA_E}, {"inf", FORMULA_INFINITY}, {"nan", FORMULA_NAN}};
    const char *place = parser->at;
    char name[64];
    int node = 0;
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), place);
    parser->at += length;
    parser->before = place;
    const struct binding_of_name *known = find_name(parser, place, length);
    if (known)
        return known->node;
    for (int i = 0; i < MAX_OPERANDS && !parser->declared; i++)
        if (length == 1 && *place == "xyz"[i])
            return add_operand(parser, i);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (strcmp(name, constants[i].name) == 0)
            return parse_add_leaf(parser, constants[i].kind);
    if (strcmp(name, "select") == 0)
        return parse_select(parser);
    if (strcmp(name, "round") == 0 && parse_round(parser, &node))
        return node;
    return parse_call(parser, name, place);
}

static int parse_atom(struct parser *parser) {
    size_t length = parse_word_length(parser);
    int node;
    if (length)
        return parse_name(parser, length);
    if (parse_accept(parser, "(")) {
        node = parse_expression(parser);
        parse_expect(parser, ")");
        return node;
    }
    if (parse_accept(parser, "|")) {
        node = parse_expression(parser);
        parse_expect(parser, "|");
        return parse_add_step(parser, FORMULA_MAGNITUDE, 1, &node);
    }
    return parse_number(parser);
}

/* -u, u and u^v; a power binds closer than the sign before it, and less close than that of its exponent. */
static int parse_factor(struct parser *parser) {
    int node;
    if (parser->failed || parser->depth++ > FORMULA_DEPTH)
        return parse_fail(parser, parser->at,
                          "more than %d parentheses, signs and powers in each other",
                          FORMULA_DEPTH);
    if (parse_accept(parser, "-")) {
        const char *place = parser->before;
        node = parse_factor(parser);
        parser->before = place;
        node = parse_add_step(parser, FORMULA_NEGATE, 1, &node);
    } else {
        node = parse_atom(parser);
        if (!parser->failed && parse_accept(parser, "^")) {
            const char *place = parser->before;
            int exponent = parse_factor(parser);
            parser->before = place;
            node = parse_add_binary(parser, FORMULA_POWER, node, exponent);
        }
    }
    parser->depth--;
    return node;
}

/* Operators that bind equally, from the left, with what binds closer between them. */
struct level {
    const char *words[2];
    enum formula_kind kinds[2];
    int (*operand)(struct parser *parser);
};

static int parse_level(struct parser *parser, const struct level *level) {
    int node = level->operand(parser);
    while (!parser->failed) {
        int which = parse_accept(parser, level->words[0])   ? 0
                    : parse_accept(parser, level->words[1]) ? 1
                                                            : -1;
        const char *place = parser->before;
        if (which < 0)
            break;
        int right = level->operand(parser);
        parser->before = place;
        node = parse_add_binary(parser, level->kinds[which], node, right);
    }
    return node;
}

static int parse_product(struct parser *parser) {
    static const struct level product = {
        {"*", "/"}, {FORMULA_MULTIPLY, FORMULA_DIVIDE}, parse_factor};
    return parse_level(parser, &product);
}

static int parse_sum(struct parser *parser) {
    static const struct level sum = {{"+", "-"}, {FORMULA_ADD, FORMULA_SUBTRACT}, parse_product};
    return parse_level(parser, &sum);
}

/* A new name, which must not be taken. */
static struct binding_of_name new_name(struct parser *parser) {
    size_t length = parse_word_length(parser);
    const char *place = parser->at;
    char name[FORMULA_NAME];
    static const char *const taken[] = {"let", "in", "select", "pi", "inf", "nan"};
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), place);
    bool is_taken = operation_row(name) != NULL;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        is_taken = is_taken || strcmp(name, taken[i]) == 0;
    for (size_t i = 0; i < sizeof own_kinds / sizeof *own_kinds; i++)
        is_taken = is_taken || strcmp(name, own_kinds[i].name) == 0;
    if (!length || length >= FORMULA_NAME)
        parse_fail(parser, place, "a name of at most %d letters should stand here",
                   FORMULA_NAME - 1);
    else if (is_taken)
        parse_fail(parser, place, "'%s' is the name of something else", name);
    else if (parser->name_count == MOST_NAMES)
        parse_fail(parser, place, "more than %d names", MOST_NAMES);
    parser->at += length;
    return (struct binding_of_name){place, length, 0};
}

static int parse_expression(struct parser *parser) {
    int known = parser->name_count;
    while (!parser->failed && parse_accept_word(parser, "let")) {
        struct binding_of_name name = new_name(parser);
        parse_expect(parser, "=");
        if (parser->failed || parser->depth++ > FORMULA_DEPTH)
            return parse_fail(parser, parser->at,
                              "more than %d parentheses, signs and powers in each other",
                              FORMULA_DEPTH);
        name.node = parse_expression(parser);
        parser->depth--;
        if (!parse_accept_word(parser, "in"))
            parse_fail(parser, parser->at,
                       "'in' should stand here, as in let t = exp(x) in t / (1 + t)");
        if (!parser->failed)
            parser->names[parser->name_count++] = name;
    }
    int node = parse_sum(parser);
    parser->name_count = known;
    return node;
}

/* "name(a, b, c) =", where it stands. */
static void parse_head(struct parser *parser) {
    const char *equals = strchr(parser->text, '='), *open = strchr(parser->text, '(');
    const char *close = open ? strchr(open, ')') : NULL;
    if (!equals || !close || close > equals)
        return;
    const char *behind = close + 1;
    while (isspace((unsigned char)*behind))
        behind++;
    if (behind != equals || equals[1] == '=')
        return;
    struct binding_of_name name = new_name(parser);
    snprintf(parser->formula->name, FORMULA_NAME, "%.*s", (int)name.length, name.word);
    parser->declared = true;
    parse_expect(parser, "(");
    do {
        struct binding_of_name operand = new_name(parser);
        if (!parser->failed && find_name(parser, operand.word, operand.length))
            parse_fail(parser, operand.word, "'%.*s' appears twice", (int)operand.length,
                       operand.word);
        if (!parser->failed && parser->formula->operands == MAX_OPERANDS)
            parse_fail(parser, operand.word, "more than %d operands", MAX_OPERANDS);
        operand.node = add_operand(parser, parser->formula->operands);
        if (!parser->failed)
            parser->names[parser->name_count++] = operand;
    } while (!parser->failed && parse_accept(parser, ","));
    parse_expect(parser, ")");
    parse_expect(parser, "=");
}

/* A misspelt name may have a '-', so that alone is no sign of a formula. */
bool formula_looks_like(const char *text) {
    if (strpbrk(text, "()+*/^|=<>") || isdigit((unsigned char)*text) || *text == '-')
        return true;
    for (const char *at = text; *at; at++)
        if (strchr("xyz", *at) && (at == text || !isalnum((unsigned char)at[-1])) &&
            !isalnum((unsigned char)at[1]) && at[1] != '_' && (at == text || at[-1] != '_'))
            return true;
    return false;
}

/* Without blanks at the ends and with one for several: the same formula has the same text. */
static bool take_text(struct formula *formula, const char *text, struct error *error) {
    size_t length = 0;
    formula->text = malloc(strlen(text) + 1);
    if (!formula->text)
        return error_set(error, "out of memory");
    for (; *text; text++) {
        bool blank = isspace((unsigned char)*text);
        if (blank && (!length || formula->text[length - 1] == ' '))
            continue;
        if (length == FORMULA_TEXT - 1) {
            formula->text[length] = '\0';
            return error_set(error, "the formula '%.100s...' is longer than %d characters",
                             formula->text, FORMULA_TEXT - 1);
        }
        formula->text[length++] = blank ? ' ' : *text;
    }
    while (length && formula->text[length - 1] == ' ')
        length--;
    formula->text[length] = '\0';
    /* A character may make two nodes, a special value a few more: none is moved while others are made. */
    formula->room = length < FORMULA_NODES / 4 ? 4 * (int)length + 64 : FORMULA_NODES;
    if (formula->room > FORMULA_NODES)
        formula->room = FORMULA_NODES;
    formula->nodes = calloc((size_t)formula->room, sizeof *formula->nodes);
    return formula->nodes || error_set(error, "out of memory");
}

struct formula *formula_parse(const char *text, struct error *error) {
    struct formula_fault unused;
    return formula_read(text, FORMULA_OF_OPERANDS, &unused, error);
}

struct formula *formula_read(const char *text, enum formula_use use, struct formula_fault *fault,
                             struct error *error) {
    struct formula *formula = calloc(1, sizeof *formula);
    if (!formula) {
        error_set(error, "out of memory");
        return NULL;
    }
    strcpy(formula->name, "formula");
    *fault = (struct formula_fault){.says = ""};
    if (!take_text(formula, text, error)) {
        formula_free(formula);
        return NULL;
    }
    struct parser parser = {.formula = formula,
                            .text = formula->text,
                            .at = formula->text,
                            .before = formula->text,
                            .expression = parse_expression,
                            .fault = fault,
                            .error = error};
    parse_head(&parser);
    int whole = parse_special_values(&parser, parse_expression(&parser));
    parse_blanks(&parser);
    if (!parser.failed && *parser.at)
        parse_fail(&parser, parser.at, "an operator or the end should stand here, not '%.20s'",
                   parser.at);
    if (!parser.failed && !formula->operands && use == FORMULA_OF_OPERANDS)
        parse_fail(&parser, formula->text, "a formula has operands: x, or x, y and z");
    if (!parser.failed && whole != formula->count - 1) {
        /* The last node is the whole: what was named and not used is no part of it. */
        formula->count = whole + 1;
    }
    if (parser.failed) {
        formula_free(formula);
        return NULL;
    }
    return formula;
}
