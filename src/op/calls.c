/* The operands that are integers in C. */
#include "op/calls.h"

#include "op/function/integer.h"

#include <limits.h>

bool operation_integer_place(const struct operation *operation, struct integer_place *place) {
    switch (operation->platform.signature) {
    case C_INT_FIRST:
        *place = (struct integer_place){0, INT_MIN, INT_MAX};
        return true;
    case C_INT_SECOND:
        *place = (struct integer_place){1, INT_MIN, INT_MAX};
        return true;
    case C_LONG_LONG_SECOND:
        *place = (struct integer_place){1, LLONG_MIN, LLONG_MAX};
        return true;
    default:
        return false;
    }
}

bool operation_is_call(const struct operation *operation, const struct real *x) {
    struct integer_place place;
    long long n;
    return !operation_integer_place(operation, &place) ||
           integer_operand(&x[place.operand], place.least, place.most, &n);
}

bool operation_is_call_of(const struct operation *operation, const struct format *format,
                          const uint64_t *codes) {
    struct real x[MAX_OPERANDS];
    for (int i = 0; i < operation->operands; i++)
        x[i] = format_decode(format_of_operand(format, i), codes[i]);
    return operation_is_call(operation, x);
}
