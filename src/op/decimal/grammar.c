/* The rows of grammars: what strtod (C11 7.22.1.3), scanf (C11 7.21.6.2), from_chars (C++17 [charconv.from.chars],
 * chars_format::general), Python's float, and JavaScript's Number and parseFloat (ECMA-262 7.1.4.1.1 and 19.2.4) take for a
 * number. */
#include "op/decimal/grammar.h"

#include <stddef.h>

#define SPACES_OF_C " \t\n\v\f\r"

const struct grammar decimal_grammars[DECIMAL_GRAMMARS] = {
    [GRAMMAR_STRTOD] = {.spaces = SPACES_OF_C,
                        .plus = true,
                        .hexadecimal = true,
                        .nan_characters = true,
                        .goes_back = true,
                        .sets_errno = true},
    [GRAMMAR_SCANF] = {.spaces = SPACES_OF_C,
                       .plus = true,
                       .hexadecimal = true,
                       .nan_characters = true},
    [GRAMMAR_FROM_CHARS] = {.spaces = "", .nan_characters = true, .goes_back = true},
    /* The bytes are characters of Latin-1, of which str.isspace() holds these, and JavaScript fewer. */
    [GRAMMAR_PYTHON] = {.spaces = SPACES_OF_C "\x1c\x1d\x1e\x1f\x85\xa0",
                        .plus = true,
                        .underscores = true,
                        .goes_back = true,
                        .whole = true,
                        .none_is_nan = true},
    [GRAMMAR_JAVASCRIPT] = {.spaces = SPACES_OF_C "\xa0",
                            .plus = true,
                            .integers = true,
                            .infinity_alone = true,
                            .goes_back = true,
                            .whole = true,
                            .blank = true,
                            .none_is_nan = true},
    [GRAMMAR_PARSE_FLOAT] = {.spaces = SPACES_OF_C "\xa0",
                             .plus = true,
                             .infinity_alone = true,
                             .goes_back = true,
                             .none_is_nan = true},
};

const char *const decimal_grammar_names[DECIMAL_GRAMMARS + 1] = {
    "strtod", "scanf", "from_chars", "python", "javascript", "parse-float", NULL};
