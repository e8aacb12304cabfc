/* Steps of fp64, and which results need one. */
#include "sweep/promise/outward.h"

#include "base/bits.h"

#include <math.h>

double outward_down(double value) {
    if (!(value > -INFINITY))
        return value;
    if (!(value < 0) && !(value > 0))
        return -0x1p-1074;
    return from_bits(bits_of(value) + (value < 0 ? 1 : -UINT64_C(1)));
}

double outward_up(double value) {
    return -outward_down(-value);
}

/* Whether a product of two such numbers is one, and what it is is exact. */
static bool has_few_bits(double value) {
    return !(bits_of(value) & ((UINT64_C(1) << 27) - 1));
}

static bool is_exact_result(enum expression_kind kind, double a, double b, double result) {
    double other = kind == EXPRESSION_SUBTRACT ? -b : b, part = result - a;
    double lost = (a - (result - part)) + (other - part);
    switch (kind) {
    case EXPRESSION_ADD:
    case EXPRESSION_SUBTRACT:
        return !(lost < 0) && !(lost > 0);
    case EXPRESSION_MULTIPLY:
        return has_few_bits(a) && has_few_bits(b);
    case EXPRESSION_DIVIDE:
        return has_few_bits(result) && has_few_bits(b) && !(result * b < a) && !(result * b > a);
    default:
        return true;
    }
}

/* The result of two numbers, within a step of fp64 where it is not exact. */
static struct span_of_values result_of(enum expression_kind kind, double a, double b) {
    const struct span_of_values x = {a, a}, y = {b, b};
    double result = expression_combine(kind, x, y).low;
    bool whole = kind == EXPRESSION_DIVIDE && !(b < 0) && !(b > 0);
    if (whole || is_exact_result(kind, a, b, result))
        return expression_combine(kind, x, y);
    return (struct span_of_values){outward_down(result), outward_up(result)};
}

/* All of + - * / are monotone in each operand, within a sign of a divisor. */
struct span_of_values outward_combine(enum expression_kind kind, struct span_of_values a,
                                      struct span_of_values b) {
    struct span_of_values all = {INFINITY, -INFINITY};
    bool unary = kind == EXPRESSION_MAGNITUDE;
    if (unary || kind == EXPRESSION_LARGER || kind == EXPRESSION_SMALLER)
        return expression_combine(kind, a, b);
    if (kind == EXPRESSION_DIVIDE && b.low < b.high && b.low <= 0 && b.high >= 0)
        return (struct span_of_values){NAN, NAN};
    for (int i = 0; i < 4; i++) {
        struct span_of_values one = result_of(kind, i & 1 ? a.high : a.low, i & 2 ? b.high : b.low);
        if (isnan(one.low) || isnan(one.high))
            return one;
        all.low = one.low < all.low ? one.low : all.low;
        all.high = one.high > all.high ? one.high : all.high;
    }
    return all;
}
