/* The expectations. */
#include "oracle/texts.h"

#include "op/decimal/rows.h"

enum {
    NONE = 1 << ERRNO_NONE,
    RANGE_ERROR = 1 << ERRNO_ERANGE,
    OTHER = 1 << ERRNO_OTHER, /* EINVAL among them */
    ANY_ERRNO = (1 << ERRNO_KINDS) - 1
};

struct flag_expectation oracle_flags_of_reading(const struct array_call *call, const char *text,
                                                size_t length, const struct real *y,
                                                bool tiny_after_rounding) {
    const struct format *format = call->results[0].format;
    const uint8_t flags = format_flags(format, y, call->rounding, tiny_after_rounding);
    const uint8_t least = format_flags(format, y, call->rounding, true);
    const bool is_tiny = y->kind == REAL_FINITE && y->exponent < format->emin;
    const struct grammar *grammar = decimal_grammar_of(call);
    uint8_t errnos = NONE;
    if (!grammar->sets_errno)
        errnos = ANY_ERRNO;
    else if (flags & flag_bit(FLAG_OVERFLOW))
        errnos = call->rounding == ROUND_NEAREST_EVEN ? RANGE_ERROR : RANGE_ERROR | NONE;
    else if (least & flag_bit(FLAG_UNDERFLOW))
        errnos = RANGE_ERROR;
    else if (is_tiny)
        errnos = RANGE_ERROR | NONE;
    else if (!decimal_end(grammar, text, length))
        errnos = NONE | OTHER;
    return (struct flag_expectation){.required = flags, .permitted = flags, .errnos = errnos};
}

struct flag_expectation oracle_flags_of_writing(const struct array_call *call, uint64_t element,
                                                const char *text, size_t length) {
    const struct array *numbers = &call->operands[0];
    const struct real x = array_number(numbers, element);
    const uint8_t flags = decimal_is_exact(text, length, &x) ? 0 : flag_bit(FLAG_INEXACT);
    const bool signals = format_is_signalling(numbers->format, array_code(numbers, element));
    return (struct flag_expectation){.required = flags,
                                     .permitted = flags | (signals ? flag_bit(FLAG_INVALID) : 0),
                                     .errnos = ANY_ERRNO};
}
