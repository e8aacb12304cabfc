/* The orders, step by step. */
#include "explain/sum_orders.h"

#include "op/array/sums.h"
#include "oracle/exact.h"

#include <math.h>
#include <string.h>

enum { SMALL = 8, BLOCK = 256 };

double sum_value(const struct format *format, uint64_t code) {
    double value;
    if (format != &formats[FORMAT_FP64]) {
        const struct real real = format_decode(format, code);
        return real_to_double(&real);
    }
    memcpy(&value, &code, sizeof value);
    return value;
}

uint64_t sum_code(const struct format *format, double value) {
    const struct real real = real_from_double(value);
    uint64_t code;
    if (format != &formats[FORMAT_FP64])
        return format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    memcpy(&code, &value, sizeof code);
    return code;
}

double sum_keep(const struct format *format, double value) {
    return format == &formats[FORMAT_FP64]   ? value
           : format == &formats[FORMAT_FP32] ? (double)(float)value
                                             : sum_value(format, sum_code(format, value));
}

static double term(const struct terms *terms, size_t at) {
    return terms->w ? sum_keep(terms->format, terms->x[at] * terms->w[at]) : terms->x[at];
}

static double add(const struct terms *terms, double sum, size_t at) {
    const struct format *format = terms->format;
    if (!terms->w || terms->rounds_products)
        return sum_keep(format, sum + term(terms, at));
    if (format == &formats[FORMAT_FP64])
        return fma(terms->x[at], terms->w[at], sum);
    if (format == &formats[FORMAT_FP32])
        return (double)fmaf((float)terms->x[at], (float)terms->w[at], (float)sum);
    const struct real x = real_from_double(terms->x[at]), w = real_from_double(terms->w[at]);
    const struct real before = real_from_double(sum);
    exact_total_reset(terms->total);
    exact_total_add(terms->total, &before);
    exact_total_add_product(terms->total, &x, &w);
    const struct real exact = exact_total_quotient(terms->total, 1, ORACLE_MOST_BITS);
    return sum_value(format, format_encode(format, &exact, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
}

static double add_in_order(const struct terms *terms, enum order order, size_t from, size_t to) {
    if (order == ORDER_PAIRWISE && to - from > SMALL) {
        const size_t middle = from + (to - from) / 2;
        return sum_keep(terms->format, add_in_order(terms, order, from, middle) +
                                           add_in_order(terms, order, middle, to));
    }
    if (order == ORDER_BLOCKED && to - from > BLOCK) {
        double sum = add_in_order(terms, ORDER_SEQUENTIAL, from, from + BLOCK);
        for (size_t at = from + BLOCK; at < to; at += BLOCK)
            sum = sum_keep(terms->format, sum + add_in_order(terms, ORDER_SEQUENTIAL, at,
                                                             to - at < BLOCK ? to : at + BLOCK));
        return sum;
    }
    double sum = term(terms, from);
    for (size_t at = from + 1; at < to; at++)
        sum = add(terms, sum, at);
    return sum;
}

double sum_in_order(const struct terms *given, enum order order, size_t count) {
    struct exact_total total;
    struct terms terms = *given;
    terms.total = &total;
    exact_total_open(&total, terms.format);
    const double sum = count ? add_in_order(&terms, order, 0, count) : 0;
    exact_total_close(&total);
    return sum;
}
