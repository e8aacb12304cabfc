/* The parameters of a call of from_decimal or to_decimal. */
#include "op/decimal/rows.h"

const struct grammar *decimal_grammar_of(const struct array_call *call) {
    return &decimal_grammars[parameter_integer(call->parameters, PARAMETER_GRAMMAR,
                                               GRAMMAR_STRTOD)];
}

enum decimal_style decimal_style_of(const struct array_call *call) {
    return (enum decimal_style)parameter_integer(call->parameters, PARAMETER_STYLE, 0);
}

long decimal_digits_of(const struct array_call *call) {
    return (long)parameter_integer(call->parameters, PARAMETER_DIGITS, -1);
}
