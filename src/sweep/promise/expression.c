/* A parser by descent, and arithmetic on intervals. */
#include "sweep/promise/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parentheses in parentheses: text from a file must not use up the stack. */
enum { MOST_DEPTH = 32 };

struct parser {
    struct expression *expression;
    const char *text, *at;
    int depth;
    bool is_formula; /* operations may stand in it */
    struct error *error;
    bool failed;
};

static int parse_sum(struct parser *parser);

static int fail(struct parser *parser, const char *says) {
    if (!parser->failed)
        error_set(parser->error, "'%.100s': %s at character %d; such as \"%s\"", parser->text, says,
                  (int)(parser->at - parser->text) + 1,
                  parser->is_formula ? "sin(x) / cos(x)" : "3 + 2*|x|");
    parser->failed = true;
    return 0;
}

static int add_node(struct parser *parser, enum expression_kind kind, int left, int right,
                    double number) {
    struct expression *expression = parser->expression;
    if (parser->failed)
        return 0;
    if (expression->count == EXPRESSION_NODES)
        return fail(parser, "too many operations");
    expression->nodes[expression->count] =
        (struct expression_node){kind, left, right, number, NULL};
    return expression->count++;
}

static bool accept(struct parser *parser, const char *word) {
    while (isspace((unsigned char)*parser->at))
        parser->at++;
    size_t length = strlen(word);
    if (strncmp(parser->at, word, length) != 0)
        return false;
    parser->at += length;
    return true;
}

static int expect(struct parser *parser, const char *word, const char *says, int node) {
    return accept(parser, word) ? node : fail(parser, says);
}

/* A number, or a power of one with a whole exponent. */
static int parse_number(struct parser *parser) {
    char *end;
    double number = strtod(parser->at, &end);
    if (end == parser->at || !isfinite(number))
        return fail(parser, "a number, pi, x, y, z, (, |, min or max should stand");
    parser->at = end;
    if (accept(parser, "^")) {
        long exponent = strtol(parser->at, &end, 10);
        if (end == parser->at || exponent < -2000 || exponent > 2000)
            return fail(parser, "a whole exponent should stand");
        parser->at = end;
        double power = 1;
        for (long i = 0; i < labs(exponent); i++)
            power = exponent < 0 ? power / number : power * number;
        number = power;
        if (!isfinite(number))
            return fail(parser, "a power that is too large ends");
    }
    return add_node(parser, EXPRESSION_NUMBER, 0, 0, number);
}

/* min(a, b), max(a, b) behind their names. */
static int parse_choice(struct parser *parser, enum expression_kind kind) {
    expect(parser, "(", "( should stand", 0);
    int left = parse_sum(parser);
    expect(parser, ",", "a comma should stand", 0);
    int right = parse_sum(parser);
    return expect(parser, ")", ") should stand", add_node(parser, kind, left, right, 0));
}

/* An operation of one operand or two, by its name. */
static int parse_function(struct parser *parser, size_t length) {
    char name[64];
    struct error unused;
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), parser->at);
    const struct operation *operation = operation_find(name, &unused);
    if (!operation || operation->array || operation->converts || operation->operands > 2 ||
        operation->results > 1)
        return fail(parser, "a function of one number or two should stand");
    parser->at += length;
    expect(parser, "(", "( should stand", 0);
    int left = parse_sum(parser), right = left;
    if (operation->operands == 2) {
        expect(parser, ",", "a comma should stand", 0);
        right = parse_sum(parser);
    }
    int node = expect(parser, ")", ") should stand",
                      add_node(parser, EXPRESSION_FUNCTION, left, right, 0));
    if (!parser->failed)
        parser->expression->nodes[node].operation = operation;
    return node;
}

/* How long the word is that stands next, blanks before it passed over. */
static size_t word_length(struct parser *parser) {
    size_t length = 0;
    accept(parser, "");
    while (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_')
        length++;
    return isalpha((unsigned char)*parser->at) ? length : 0;
}

static int parse_atom(struct parser *parser) {
    static const char *const operands[MAX_OPERANDS] = {"x", "y", "z"};
    if (accept(parser, "max"))
        return parse_choice(parser, EXPRESSION_LARGER);
    if (accept(parser, "min"))
        return parse_choice(parser, EXPRESSION_SMALLER);
    size_t length = word_length(parser);
    if (parser->is_formula && length > 2)
        return parse_function(parser, length);
    if (accept(parser, "pi"))
        return add_node(parser, EXPRESSION_NUMBER, 0, 0, 0x1.921fb54442d18p+1);
    for (int i = 0; i < MAX_OPERANDS; i++)
        if (accept(parser, operands[i]))
            return add_node(parser, EXPRESSION_OPERAND, i, 0, 0);
    if (accept(parser, "("))
        return expect(parser, ")", ") should stand", parse_sum(parser));
    if (accept(parser, "|")) {
        int inner = parse_sum(parser);
        return expect(parser, "|", "| should stand",
                      add_node(parser, EXPRESSION_MAGNITUDE, inner, 0, 0));
    }
    return parse_number(parser);
}

static int parse_factor(struct parser *parser) {
    if (parser->failed || ++parser->depth > MOST_DEPTH)
        return fail(parser, "too many parentheses");
    int node;
    if (accept(parser, "-")) {
        int zero = add_node(parser, EXPRESSION_NUMBER, 0, 0, 0);
        node = add_node(parser, EXPRESSION_SUBTRACT, zero, parse_factor(parser), 0);
    } else
        node = parse_atom(parser);
    parser->depth--;
    return node;
}

/* The operators that stand between two operands; those of a higher level bind closer. */
enum { LEVEL_SUM, LEVEL_PRODUCT, LEVELS };
static const struct infix {
    const char *word;
    int level;
    enum expression_kind kind;
} infixes[] = {{"+", LEVEL_SUM, EXPRESSION_ADD},
               {"-", LEVEL_SUM, EXPRESSION_SUBTRACT},
               {"*", LEVEL_PRODUCT, EXPRESSION_MULTIPLY},
               {"/", LEVEL_PRODUCT, EXPRESSION_DIVIDE}};

static const struct infix *accept_infix(struct parser *parser, int level) {
    for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++)
        if (infixes[i].level == level && accept(parser, infixes[i].word))
            return &infixes[i];
    return NULL;
}

/* Operands with operators of one level between them, from the left. */
static int parse_level(struct parser *parser, int level) {
    if (level == LEVELS)
        return parse_factor(parser);
    int node = parse_level(parser, level + 1);
    const struct infix *infix;
    while (!parser->failed && (infix = accept_infix(parser, level)))
        node = add_node(parser, infix->kind, node, parse_level(parser, level + 1), 0);
    return node;
}

static int parse_sum(struct parser *parser) {
    return parse_level(parser, LEVEL_SUM);
}

static bool parse(struct parser parser) {
    parser.expression->count = 0;
    parse_sum(&parser);
    accept(&parser, ""); /* blanks */
    if (!parser.failed && *parser.at)
        fail(&parser, "nothing, or an operator, should stand");
    if (parser.failed) /* whoever goes on for a while has a whole expression nevertheless */
        *parser.expression = expression_of_number(0);
    return !parser.failed;
}

bool expression_parse(struct expression *expression, const char *text, struct error *error) {
    return parse(
        (struct parser){.expression = expression, .text = text, .at = text, .error = error});
}

bool expression_parse_formula(struct expression *formula, const char *text, struct error *error) {
    return parse((struct parser){
        .expression = formula, .text = text, .at = text, .is_formula = true, .error = error});
}

struct expression expression_of_number(double number) {
    return (struct expression){.count = 1, .nodes = {{EXPRESSION_NUMBER, 0, 0, number, NULL}}};
}

int expression_operands(const struct expression *expression) {
    int most = 0;
    for (int i = 0; i < expression->count; i++) {
        const struct expression_node *node = &expression->nodes[i];
        if (node->kind == EXPRESSION_OPERAND && node->left >= most)
            most = node->left + 1;
    }
    return most;
}

bool expression_is_constant(const struct expression *expression) {
    return expression_operands(expression) == 0;
}

static struct span_of_values whole_line(void) {
    return (struct span_of_values){-INFINITY, INFINITY};
}

/* Of two numbers, or NaN where one is NaN. */
static double smaller(double a, double b) {
    return a < b ? a : b >= b && a >= b ? b : a + b;
}

static double larger(double a, double b) {
    return a > b ? a : b >= b && a <= b ? b : a + b;
}

/* The hull of four values, of the ends of both with each other. */
static struct span_of_values hull(double a, double b, double c, double d) {
    return (struct span_of_values){smaller(smaller(a, b), smaller(c, d)),
                                   larger(larger(a, b), larger(c, d))};
}

struct span_of_values expression_combine(enum expression_kind kind, struct span_of_values a,
                                         struct span_of_values b) {
    switch (kind) {
    case EXPRESSION_ADD:
        return (struct span_of_values){a.low + b.low, a.high + b.high};
    case EXPRESSION_SUBTRACT:
        return (struct span_of_values){a.low - b.high, a.high - b.low};
    case EXPRESSION_MULTIPLY:
        return hull(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
    case EXPRESSION_DIVIDE:
        return b.low <= 0 && b.high >= 0
                   ? whole_line()
                   : hull(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
    case EXPRESSION_MAGNITUDE:
        return a.low >= 0   ? a
               : a.high < 0 ? (struct span_of_values){-a.high, -a.low}
                            : (struct span_of_values){0, larger(-a.low, a.high)};
    case EXPRESSION_LARGER:
        return (struct span_of_values){larger(a.low, b.low), larger(a.high, b.high)};
    default:
        return (struct span_of_values){smaller(a.low, b.low), smaller(a.high, b.high)};
    }
}

struct span_of_values expression_bound(const struct expression *expression,
                                       const struct span_of_values *operands) {
    struct span_of_values values[EXPRESSION_NODES];
    for (int i = 0; i < expression->count; i++) {
        const struct expression_node *node = &expression->nodes[i];
        if (node->kind == EXPRESSION_NUMBER)
            values[i] = (struct span_of_values){node->number, node->number};
        else if (node->kind == EXPRESSION_OPERAND)
            values[i] = operands[node->left];
        else
            values[i] = expression_combine(node->kind, values[node->left], values[node->right]);
        if (isnan(values[i].low) || isnan(values[i].high))
            values[i] = whole_line();
    }
    return values[expression->count - 1];
}
