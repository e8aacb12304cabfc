/* fma and sqrt by integer arithmetic; rounding is format_encode's. */
#include "platform/exact.h"

/* The leading bit goes to bit 127, and the exponent with it. */
static void normalise(struct real *value) {
    struct wide bits = value->significand;
    unsigned shift = bits.high ? leading_zeros(bits.high) : 64 + leading_zeros(bits.low);
    value->significand = wide_shift_left(bits, shift);
    value->exponent -= (int)shift;
}

/* Exact: 24 bits by 24 bits. */
static struct real product_of(const struct real *x, const struct real *y) {
    bool negative = x->negative != y->negative;
    if (x->kind == REAL_NAN || y->kind == REAL_NAN)
        return real_nan();
    if (x->kind == REAL_INFINITE || y->kind == REAL_INFINITE)
        return x->kind == REAL_ZERO || y->kind == REAL_ZERO ? real_nan() : real_infinity(negative);
    if (x->kind == REAL_ZERO || y->kind == REAL_ZERO)
        return real_zero(negative);
    uint64_t integer = (x->significand.high >> 40) * (y->significand.high >> 40);
    /* The integer is x * y * 2^(46 - their exponents), so bit 63 of the word weighs 2^17 more. */
    struct real product = {.kind = REAL_FINITE,
                           .negative = negative,
                           .exponent = x->exponent + y->exponent + 17,
                           .significand = {integer, 0}};
    normalise(&product);
    return product;
}

static bool is_smaller(const struct real *x, const struct real *y) {
    if (x->exponent != y->exponent)
        return x->exponent < y->exponent;
    return wide_compare(x->significand, y->significand) < 0;
}

/* Both have at most 48 bits, so what is shifted out is lost only where the exponents are at least
 * 79 apart; the sum then keeps more than 120 right bits, and `inexact` says the rest. */
static struct real sum_of_finite(const struct real *x, const struct real *y) {
    const struct real *large = is_smaller(x, y) ? y : x, *small = large == x ? y : x;
    unsigned shift = (unsigned)(large->exponent - small->exponent) + 1;
    /* One bit of room for the carry. */
    struct wide augend = wide_shift_right(large->significand, 1);
    struct wide addend = wide_shift_right(small->significand, shift);
    bool lost = wide_compare(wide_shift_left(addend, shift), small->significand) != 0;
    struct real sum = {.kind = REAL_FINITE,
                       .negative = large->negative,
                       .inexact = lost,
                       .exponent = large->exponent + 1};
    if (x->negative == y->negative) {
        sum.significand = wide_add(augend, addend);
    } else {
        sum.significand = wide_subtract(augend, addend);
        if (lost)
            sum.significand = wide_subtract(sum.significand, (struct wide){0, 1});
    }
    if (wide_is_zero(sum.significand)) {
        struct real zero = real_zero(false);
        zero.cancelled = true;
        return zero;
    }
    normalise(&sum);
    return sum;
}

static struct real sum_of(const struct real *x, const struct real *y) {
    if (x->kind == REAL_NAN || y->kind == REAL_NAN)
        return real_nan();
    if (x->kind == REAL_INFINITE && y->kind == REAL_INFINITE && x->negative != y->negative)
        return real_nan();
    if (x->kind == REAL_INFINITE || (y->kind == REAL_ZERO && x->kind != REAL_ZERO))
        return *x;
    if (y->kind == REAL_INFINITE || (x->kind == REAL_ZERO && y->kind != REAL_ZERO))
        return *y;
    if (x->kind == REAL_ZERO)
        return real_zero(x->negative && y->negative);
    return sum_of_finite(x, y);
}

uint64_t exact_fma(const struct format *format, uint64_t x, uint64_t y, uint64_t z) {
    struct real a = format_decode(format, x), b = format_decode(format, y);
    struct real c = format_decode(format, z), product = product_of(&a, &b);
    struct real sum = sum_of(&product, &c);
    return format_encode(format, &sum, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

/* floor(sqrt(a)), bit by bit from the top. */
static uint64_t integer_root(uint64_t a) {
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((root | bit) * (root | bit) <= a)
            root |= bit;
    return root;
}

uint64_t exact_sqrt(const struct format *format, uint64_t x) {
    struct real value = format_decode(format, x);
    if (value.kind == REAL_NAN || (value.negative && value.kind != REAL_ZERO))
        return format->nan;
    if (value.kind == REAL_ZERO || value.kind == REAL_INFINITE)
        return x;
    /* The radicand as an integer of 63 or 64 bits times an even power of two: 32 bits of root, and
     * whether any follow, are enough to round to
     * 24. */
    bool odd = value.exponent & 1;
    uint64_t integer = value.significand.high >> (odd ? 0 : 1);
    uint64_t root = integer_root(integer);
    struct real result = {.kind = REAL_FINITE,
                          .inexact = root * root != integer,
                          .exponent = (value.exponent - odd) / 2,
                          .significand = {root << 32, 0}};
    return format_encode(format, &result, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}
