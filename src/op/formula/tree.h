/* Formulas that a user writes, as a tree: "sech2(x) = 1/cosh(x)^2".
 *
 * detcheck-formula(7) has the language. A formula stands for an operation, its exact value
 * (op/formula/evaluate.h), or for an implementation, its steps (impl/steps.h). */
#ifndef DETCHECK_OP_FORMULA_TREE_H
#define DETCHECK_OP_FORMULA_TREE_H

#include "base/error.h"
#include "op/operation.h"

#include <gmp.h>
#include <stdbool.h>

/* Longer text is refused, and so is a formula of more nodes, with more of them that each need the one before, or with more
 * parentheses in each other. */
enum {
    FORMULA_TEXT = 100000 + 1,
    FORMULA_NAME = 32,
    FORMULA_NODES = 1 << 12,
    FORMULA_CHAIN = 1000,
    FORMULA_DEPTH = 48
};

enum formula_kind {
    FORMULA_NUMBER,
    FORMULA_PI,
    FORMULA_E,
    FORMULA_INFINITY,
    FORMULA_NAN,
    FORMULA_OPERAND,
    FORMULA_NEGATE,
    FORMULA_MAGNITUDE,
    FORMULA_ADD,
    FORMULA_SUBTRACT,
    FORMULA_MULTIPLY,
    FORMULA_DIVIDE,
    FORMULA_FUSED, /* a b + c */
    FORMULA_POWER,
    FORMULA_LESSER, /* NaN where one is */
    FORMULA_GREATER,
    FORMULA_SELECT,  /* the first two compared; the third where that is so, else the fourth */
    FORMULA_ROUND,   /* to a format, nearest-even */
    FORMULA_FUNCTION /* any other row of the table */
};

enum formula_relation {
    RELATION_LESS,
    RELATION_NOT_GREATER,
    RELATION_GREATER,
    RELATION_NOT_LESS,
    RELATION_EQUAL,
    RELATION_DIFFERENT
};

enum { FORMULA_ARGUMENTS = 4 };

/* Its arguments stand before it; equal nodes are one. */
struct formula_node {
    enum formula_kind kind;
    int arguments[FORMULA_ARGUMENTS]; /* nodes; of an operand the first is which */
    int count;                        /* of arguments that are nodes */
    int chain;                        /* how many nodes need one another below it */
    const struct operation
        *operation; /* the row of a step, by which implementations have it; else NULL */
    const struct format *format;    /* of FORMULA_ROUND */
    enum formula_relation relation; /* of FORMULA_SELECT */
    mpq_ptr number;                 /* of FORMULA_NUMBER */
    struct formula *rewriting;      /* of a function whose rule has one (op/formula/functions.h) */
};

struct formula {
    char name[FORMULA_NAME]; /* "formula" where the text has none */
    char *text;              /* as it was written, blanks in a row made one */
    int operands, count;
    struct formula_node *nodes; /* the last is the whole */
    int room; /* for nodes; those beyond `count` are of what was named and not used */
};

/* Reads text; NULL with an error that says where it went wrong. */
struct formula *formula_parse(const char *text, struct error *error);

/* The same, for who says in his own way where that was: the character, from 0, of the text without blanks at the ends
 * and with one for several. */
struct formula_fault {
    int character;
    char says[400];
};
/* Whether it has to have an operand: a limit of a policy need not. */
enum formula_use { FORMULA_OF_OPERANDS, FORMULA_OF_ANYTHING };
struct formula *formula_read(const char *text, enum formula_use use, struct formula_fault *fault,
                             struct error *error);
void formula_free(struct formula *formula);

/* Whether a relation holds where the first compares so with the second: -1, 0 or 1, and anything else for NaN. */
bool formula_holds(enum formula_relation relation, int order);

/* Whether the text is more than a name: something only a formula has. */
bool formula_looks_like(const char *text);

#endif
