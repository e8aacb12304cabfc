/* A tree in long double. */
#include "reveal/extended.h"

#include <float.h>
#include <string.h>

bool extended_is_here(void) {
    return LDBL_MANT_DIG == 64;
}

static long double number_of(const struct format *format, uint64_t code) {
    double number;
    if (format->width == 64) {
        memcpy(&number, &code, sizeof number);
        return number;
    }
    const struct real real = format_decode(format, code);
    return real_to_double(&real);
}

static long double term_of(const struct order *order, const struct order_terms *x,
                           const struct order_terms *w, size_t array, int32_t term) {
    const struct format *format = order->format;
    size_t bytes = format_bytes(format);
    long double value =
        number_of(format, code_load(x->codes, bytes, array * x->pitch + (size_t)term * x->stride));
    if (!w)
        return value;
    return value * number_of(format, code_load(w->codes, bytes,
                                               array * w->pitch + (size_t)term * w->stride));
}

static uint64_t rounded(const struct format *format, long double value) {
    uint64_t code = 0;
    float narrow = (float)value;
    double wide = (double)value;
    if (format->width == 64)
        memcpy(&code, &wide, sizeof wide);
    else
        memcpy(&code, &narrow, sizeof narrow);
    return code;
}

void extended_run(const struct order *order, const struct order_tree *tree, size_t count,
                  const struct order_terms *x, const struct order_terms *w, long double *totals,
                  void *results) {
    for (size_t array = 0; array < count; array++) {
        long double sum = 0;
        for (size_t v = 0; v < tree->count; v++) {
            const struct order_addition *addition = &tree->additions[v];
            sum = 0;
            for (uint32_t k = 0; k < addition->children; k++) {
                int32_t child = tree->children[addition->first + k];
                long double value = 0;
                if (order_is_term(child))
                    value = term_of(order, x, w, array, child);
                else if (order_is_addition(child))
                    value = totals[~child];
                sum = k ? sum + value : value;
            }
            totals[v] = sum;
        }
        if (order->scale == ORDER_SUM_DIVIDED)
            sum /= (long double)tree->terms;
        code_store(results, format_bytes(order->result), array, rounded(order->result, sum));
    }
}
