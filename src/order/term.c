/* Numbers and products as a node takes them. */
#include "order/term.h"

/* A number as a significand of 53 bits at most, value = significand * 2^(exponent - 52): not normalised where it is
 * subnormal, as hardware has it. */
struct factor {
    enum real_kind kind;
    bool negative;
    int exponent;
    uint64_t significand;
};

static struct factor factor_of(const struct format *format, uint64_t code, bool flush) {
    struct real real = format_decode(format, code);
    struct factor factor = {real.kind, real.negative, format->emin, 0};
    if (real.kind != REAL_FINITE)
        return factor;
    if (real.exponent < format->emin && flush) {
        factor.kind = REAL_ZERO;
        return factor;
    }
    if (real.exponent > format->emin)
        factor.exponent = real.exponent;
    factor.significand = real.significand.high >> (11 + factor.exponent - real.exponent);
    return factor;
}

const struct format *order_operand(const struct order_node *node, const struct format *format,
                                   uint64_t *code) {
    if (!node->operands)
        return format;
    const struct real real = format_decode(format, *code);
    struct order_node narrow = {.result = node->operands, .rounding = node->operand_rounding};
    *code = order_node_rounded(&narrow, &real);
    return node->operands;
}

static struct order_term term_of(const struct order_node *node, const struct format *format,
                                 uint64_t code, bool flush) {
    struct factor factor = factor_of(format, code, flush);
    struct order_term term = {factor.kind, factor.negative, factor.exponent, {0, 0}};
    term.significand = wide_shift_left((struct wide){0, factor.significand}, ORDER_TERM_POINT - 52);
    if (term.kind == REAL_ZERO && !node->zeros_align)
        term.exponent = ORDER_NO_EXPONENT;
    return term;
}

struct order_term order_term_of(const struct order_node *node, const struct format *format,
                                uint64_t code) {
    return term_of(node, format, code, node->flush_operands);
}

struct order_term order_term_accumulator(const struct order_node *node, uint64_t code) {
    return term_of(node, node->result, code, node->flush_c);
}

unsigned order_leading_zeros(struct wide value) {
    return value.high ? leading_zeros(value.high) : 64 + leading_zeros(value.low);
}

/* The exponent of a nonzero term's value. */
int order_term_exponent(const struct order_term *term) {
    return term->exponent + 127 - (int)order_leading_zeros(term->significand) - ORDER_TERM_POINT;
}

static struct real real_of(const struct order_term *term) {
    struct real real = {.kind = term->kind, .negative = term->negative};
    if (term->kind == REAL_FINITE) {
        real.exponent = order_term_exponent(term);
        real.significand =
            wide_shift_left(term->significand, order_leading_zeros(term->significand));
    }
    return real;
}

/* What the node does to a product before it is added. */
static struct order_term settled(const struct order_node *node, struct order_term term) {
    if (term.kind != REAL_FINITE)
        return term;
    if (node->product) {
        struct real real = real_of(&term);
        uint64_t code = format_encode(node->product, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
        return term_of(node, node->product, code, node->flush_products);
    }
    int exponent = order_term_exponent(&term);
    if (node->flush_products && exponent < node->result->emin)
        return (struct order_term){REAL_ZERO, term.negative, ORDER_NO_EXPONENT, {0, 0}};
    if (node->products_overflow && exponent > node->result->emax)
        term.kind = REAL_INFINITE;
    if (node->products_normalised) {
        term.significand =
            exponent > term.exponent
                ? wide_shift_right(term.significand, (unsigned)(exponent - term.exponent))
                : wide_shift_left(term.significand, (unsigned)(term.exponent - exponent));
        term.exponent = exponent;
    }
    return term;
}

struct order_term order_term_product(const struct order_node *node, const struct format *a_format,
                                     uint64_t a, const struct format *b_format, uint64_t b) {
    struct factor x = factor_of(a_format, a, node->flush_operands);
    struct factor y = factor_of(b_format, b, node->flush_operands);
    struct order_term term = {.kind = REAL_FINITE, .negative = x.negative != y.negative};
    term.exponent = x.exponent + y.exponent;
    bool infinite = x.kind == REAL_INFINITE || y.kind == REAL_INFINITE;
    bool zero = x.kind == REAL_ZERO || y.kind == REAL_ZERO;
    if (x.kind == REAL_NAN || y.kind == REAL_NAN || (infinite && zero)) {
        term.kind = REAL_NAN;
    } else if (infinite) {
        term.kind = REAL_INFINITE;
    } else if (zero) {
        term.kind = REAL_ZERO;
        if (!node->zeros_align)
            term.exponent = ORDER_NO_EXPONENT;
    } else {
        struct wide product = {multiply_high(x.significand, y.significand),
                               x.significand * y.significand};
        term.significand = wide_shift_left(product, ORDER_TERM_POINT - 104);
    }
    return settled(node, term);
}
