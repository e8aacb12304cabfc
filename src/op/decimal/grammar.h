/* What a text has to look like to be a number: a row for each function that reads texts by rules of its own. */
#ifndef DETCHECK_OP_DECIMAL_GRAMMAR_H
#define DETCHECK_OP_DECIMAL_GRAMMAR_H

#include <stdbool.h>

/* In the order of the rows. */
enum grammar_number {
    GRAMMAR_STRTOD,
    GRAMMAR_SCANF,
    GRAMMAR_FROM_CHARS,
    GRAMMAR_PYTHON,
    DECIMAL_GRAMMARS
};

struct grammar {
    const char *spaces; /* the white space that it skips */
    bool plus,          /* a number may begin with + */
        hexadecimal,    /* hexadecimal numbers are numbers */
        nan_characters, /* characters in parentheses belong to a nan */
        underscores,    /* an underscore may stand between two digits */
        goes_back, /* it takes the longest beginning that is a number; others take the longest that begins a
                         * number, and find no number unless it is one: "1e+" */
        whole,      /* the text has to end with the number, else the result is NaN */
        sets_errno; /* its standard says when errno is ERANGE */
};

/* By number, and their names, which NULL ends. */
extern const struct grammar decimal_grammars[DECIMAL_GRAMMARS];
extern const char *const decimal_grammar_names[DECIMAL_GRAMMARS + 1];

#endif
