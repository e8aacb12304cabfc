/* The inside of the parser, for parse.c, parse_steps.c, parse_words.c and others. */
#ifndef DETCHECK_OP_FORMULA_PARSE_PARTS_H
#define DETCHECK_OP_FORMULA_PARSE_PARTS_H

#include "op/formula/tree.h"

enum { MOST_NAMES = 64, MOST_DIGITS = 400, MOST_EXPONENT = 20000 };

/* What a name stands for: an operand, or what `let` gave it. */
struct binding_of_name {
    const char *word;
    size_t length;
    int node;
};

struct parser {
    struct formula *formula;
    const char *text, *at, *before; /* `before` the word that is being read */
    int depth;
    struct binding_of_name names[MOST_NAMES];
    int name_count;
    bool declared; /* the formula has a head, and only its operands are known */
    int (*expression)(struct parser *parser); /* reads the one that stands next */
    struct error *error;
    struct formula_fault *fault;
    bool failed;
};

/* Fills the error with the place and what should stand there, the first time; always 0. */
int parse_fail(struct parser *parser, const char *place, const char *format, ...) PRINTF_LIKE(3, 4);

void parse_blanks(struct parser *parser);

/* Passes over a sign, or a whole word, where it stands next. */
bool parse_accept(struct parser *parser, const char *word);
bool parse_accept_word(struct parser *parser, const char *word);

/* The same of a sign that must stand there. */
void parse_expect(struct parser *parser, const char *word);

/* How long the word is that stands next, blanks before it passed over. */
size_t parse_word_length(struct parser *parser);

/* The number of a node of the tree: a new one, or that of one that is the same. */
int parse_add_node(struct parser *parser, struct formula_node node);

/* A node of a kind without arguments, or with these. */
int parse_add_leaf(struct parser *parser, enum formula_kind kind);
int parse_add_step(struct parser *parser, enum formula_kind kind, int count, const int *nodes);
int parse_add_binary(struct parser *parser, enum formula_kind kind, int a, int b);

/* "(a < b, u, v)", behind the name. */
int parse_select(struct parser *parser);

/* "(FORMAT, u)", behind the name; false where it is the operation round(u). */
bool parse_round(struct parser *parser, int *node);

/* "(u, v)", behind the name of what takes so many arguments; of others the first MAX_OPERANDS, and an error. How many
 * there are. */
int parse_arguments(struct parser *parser, int wanted, const char *name, int *nodes);

/* A node of the number that stands next. */
int parse_number(struct parser *parser);

/* "; f(inf) = 0", as often as it stands, behind the expression of node `whole`; the node that is all of it. */
int parse_special_values(struct parser *parser, int whole);

#endif
