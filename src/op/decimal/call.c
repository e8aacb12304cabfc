/* The parameters of a call of to_decimal. */
#include "op/decimal/rows.h"

enum decimal_style decimal_style_of(const struct array_call *call) {
    return (enum decimal_style)parameter_integer(call->parameters, PARAMETER_STYLE, 0);
}

long decimal_digits_of(const struct array_call *call) {
    return (long)parameter_integer(call->parameters, PARAMETER_DIGITS, -1);
}
