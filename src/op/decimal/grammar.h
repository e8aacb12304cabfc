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
    GRAMMAR_JAVASCRIPT,
    GRAMMAR_PARSE_FLOAT,
    DECIMAL_GRAMMARS
};

struct grammar {
    const char *spaces; /* the white space that it skips */
    bool plus,          /* a number may begin with + */
        hexadecimal,    /* hexadecimal numbers are numbers */
        integers,       /* integers with 0x, 0o or 0b and without a sign are numbers */
        infinity_alone, /* no word but Infinity is a number, and in these letters */
        nan_characters, /* characters in parentheses belong to a nan */
        underscores,    /* an underscore may stand between two digits */
        goes_back, /* it takes the longest beginning that is a number; others take the longest that begins a
                         * number, and find no number unless it is one: "1e+" */
        whole,       /* the text has to end with the number, else there is none */
        blank,       /* a text of white space is 0 */
        none_is_nan, /* where there is no number the result is NaN, else 0 */
        sets_errno;  /* its standard says when errno is ERANGE */
};

/* By number, and their names, which NULL ends. */
extern const struct grammar decimal_grammars[DECIMAL_GRAMMARS];
extern const char *const decimal_grammar_names[DECIMAL_GRAMMARS + 1];

#endif
