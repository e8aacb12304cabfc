/* What a node makes of its exact sum: rounded to its format, in its direction, with what it flushes. */
#include "order/term.h"

_Static_assert((int)ORDER_TO_ODD == (int)ROUNDING_COUNT,
               "all directions but to odd are those that format_encode takes");

/* The format with fewer bits of fraction. */
static struct format narrowed(const struct format *format, unsigned precision) {
    struct format narrow = *format;
    unsigned fewer = (unsigned)format->precision - precision;
    narrow.precision = (int)precision;
    narrow.width -= fewer;
    narrow.sign_bit >>= fewer;
    narrow.max_finite >>= fewer;
    narrow.nan >>= fewer;
    return narrow;
}

static uint64_t encoded(const struct order_node *node, const struct format *format,
                        const struct real *value) {
    if (node->rounding != ORDER_TO_ODD)
        return format_encode(format, value, (enum rounding)node->rounding, OVERFLOW_IEEE);
    /* Rounding down and up give a zero two signs, and neither loses a bit. */
    if (value->kind != REAL_FINITE)
        return format_encode(format, value, ROUND_TOWARD_ZERO, OVERFLOW_IEEE);
    uint64_t below = format_encode(format, value, ROUND_DOWN, OVERFLOW_IEEE);
    uint64_t above = format_encode(format, value, ROUND_UP, OVERFLOW_IEEE);
    if (below == above)
        return below;
    return format_encode(format, value, ROUND_TOWARD_ZERO, OVERFLOW_IEEE) | 1;
}

static uint64_t whole(const struct order_node *node, const struct real *value) {
    const struct format *format = node->result;
    if (!node->overflow_is_infinite)
        return format_encode(format, value, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE);
    if (value->kind != REAL_FINITE || value->exponent < 0 || value->exponent > 127)
        return 0;
    struct wide integer = wide_shift_right(value->significand, (unsigned)(127 - value->exponent));
    return (value->negative ? 0 - integer.low : integer.low) & format_mask(format);
}

/* Whether a number rounds to less than the least normal one, had exponents no end: so x86 knows what it flushes. */
static bool is_tiny(const struct order_node *node, const struct format *format,
                    const struct real *value) {
    if (value->kind != REAL_FINITE || value->exponent >= format->emin)
        return false;
    struct real raised = *value;
    raised.exponent = format->emin;
    uint64_t least =
        format_with_sign(format, (uint64_t)2 << (format->precision - 1), value->negative);
    return value->exponent < format->emin - 1 || encoded(node, format, &raised) != least;
}

uint64_t order_node_rounded(const struct order_node *node, const struct real *value) {
    const struct format *format = node->result;
    if (format->is_integer)
        return whole(node, value);
    unsigned precision =
        node->result_precision ? node->result_precision : (unsigned)format->precision;
    struct format narrow = narrowed(format, precision);
    uint64_t code = encoded(node, &narrow, value);
    uint64_t infinite = format_with_sign(&narrow, format_greatest(&narrow), value->negative);
    if (node->overflow_is_infinite && value->kind == REAL_FINITE &&
        format_overflows(
            &narrow, value,
            (enum rounding)(node->rounding == ORDER_TO_ODD ? ROUND_TOWARD_ZERO : node->rounding)))
        code = infinite;
    code <<= (unsigned)format->precision - precision;
    if (node->flush_results && is_tiny(node, &narrow, value))
        code = format_with_sign(format, 0, value->negative);
    if (node->zero_positive && format_is_zero(format, code))
        code = 0;
    return code;
}
