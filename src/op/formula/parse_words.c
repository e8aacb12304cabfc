/* Words, numbers and nodes of a formula. */
#include "op/formula/parse_parts.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int parse_fail(struct parser *parser, const char *place, const char *format, ...) {
    char says[400];
    va_list arguments;
    if (parser->failed)
        return 0;
    va_start(arguments, format);
    vsnprintf(says, sizeof says, format, arguments);
    va_end(arguments);
    error_set(parser->error, "the formula '%.100s%s', character %d: %s", parser->text,
              strlen(parser->text) > 100 ? "..." : "", (int)(place - parser->text) + 1, says);
    *parser->fault = (struct formula_fault){.character = (int)(place - parser->text)};
    strcpy(parser->fault->says, says);
    parser->failed = true;
    return 0;
}

void parse_blanks(struct parser *parser) {
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

bool parse_accept(struct parser *parser, const char *word) {
    parse_blanks(parser);
    size_t length = strlen(word);
    if (strncmp(parser->at, word, length) != 0)
        return false;
    parser->before = parser->at;
    parser->at += length;
    return true;
}

void parse_expect(struct parser *parser, const char *word) {
    if (!parse_accept(parser, word))
        parse_fail(parser, parser->at, "%s should stand here", word);
}

size_t parse_word_length(struct parser *parser) {
    size_t length = 0;
    parse_blanks(parser);
    if (!isalpha((unsigned char)*parser->at) && *parser->at != '_')
        return 0;
    while (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_')
        length++;
    return length;
}

static bool is_word(const char *at, size_t length, const char *word) {
    return strlen(word) == length && strncmp(at, word, length) == 0;
}

bool parse_accept_word(struct parser *parser, const char *word) {
    size_t length = parse_word_length(parser);
    if (!is_word(parser->at, length, word))
        return false;
    parser->before = parser->at;
    parser->at += length;
    return true;
}

static bool is_same(const struct formula_node *a, const struct formula_node *b) {
    if (a->kind != b->kind || a->operation != b->operation || a->format != b->format ||
        a->relation != b->relation || !a->number != !b->number)
        return false;
    return memcmp(a->arguments, b->arguments, sizeof a->arguments) == 0 &&
           (!a->number || mpq_equal(a->number, b->number));
}

int parse_add_node(struct parser *parser, struct formula_node node) {
    struct formula *formula = parser->formula;
    if (parser->failed)
        return 0;
    for (int i = 0; i < formula->count; i++)
        if (is_same(&formula->nodes[i], &node))
            return i;
    if (formula->count == formula->room)
        return parse_fail(parser, parser->before, "more than %d operations and numbers",
                          FORMULA_NODES);
    for (int i = 0; i < node.count; i++)
        if (formula->nodes[node.arguments[i]].chain >= node.chain)
            node.chain = formula->nodes[node.arguments[i]].chain + 1;
    if (node.chain > FORMULA_CHAIN)
        return parse_fail(parser, parser->before,
                          "more than %d operations that each need the one before", FORMULA_CHAIN);
    formula->nodes[formula->count] = node;
    return formula->count++;
}

/* The digits of a number in that base, with a point; how many stand behind the point. */
static long read_digits(struct parser *parser, int base, mpz_t digits, int *count) {
    long places = 0;
    bool point = false;
    for (*count = 0;; parser->at++) {
        int c = (unsigned char)*parser->at;
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (!(base == 16 ? isxdigit(c) : isdigit(c)))
            return places;
        int digit = isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
        if (++*count <= MOST_DIGITS) {
            mpz_mul_ui(digits, digits, (unsigned long)base);
            mpz_add_ui(digits, digits, (unsigned long)digit);
        }
        places += point;
    }
}

static long read_exponent(struct parser *parser, const char *letters) {
    const char *at = parser->at;
    if (!*at || !strchr(letters, *at))
        return 0;
    at += 1 + (at[1] == '-' || at[1] == '+');
    if (!isdigit((unsigned char)*at))
        return 0;
    long exponent = strtol(parser->at + 1, NULL, 10);
    while (isdigit((unsigned char)*at))
        at++;
    parser->at = at;
    return exponent;
}

int parse_number(struct parser *parser) {
    const char *begin = parser->at;
    bool hex = begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X');
    mpq_ptr number = malloc(sizeof *number);
    int count;
    if (!number)
        return parse_fail(parser, begin, "out of memory");
    mpq_init(number);
    parser->before = begin;
    parser->at += hex ? 2 : 0;
    long places = read_digits(parser, hex ? 16 : 10, mpq_numref(number), &count);
    long exponent = read_exponent(parser, hex ? "pP" : "eE");
    int node = 0;
    if (!count)
        parse_fail(parser, begin, "a number, a name, ( or | should stand here");
    else if (count > MOST_DIGITS || exponent > MOST_EXPONENT || exponent < -MOST_EXPONENT)
        parse_fail(parser, begin,
                   "a number of at most %d digits, with an exponent of at most %d, "
                   "should stand here",
                   MOST_DIGITS, MOST_EXPONENT);
    else {
        exponent -= hex ? 4 * places : places;
        mpz_t power;
        mpz_init(power);
        mpz_ui_pow_ui(power, hex ? 2 : 10, (unsigned long)labs(exponent));
        if (exponent < 0)
            mpz_set(mpq_denref(number), power);
        else
            mpz_mul(mpq_numref(number), mpq_numref(number), power);
        mpz_clear(power);
        mpq_canonicalize(number);
        int known = parser->formula->count;
        node =
            parse_add_node(parser, (struct formula_node){.kind = FORMULA_NUMBER, .number = number});
        if (!parser->failed && node == known && parser->formula->count > known)
            return node; /* the tree has the number now */
    }
    mpq_clear(number);
    free(number);
    return node;
}
