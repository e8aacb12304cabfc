/* Functions of period 2, such as sin(pi x), at multiples of 1/4: a table of one period. */
#include "oracle/fast/filter_parts.h"

#include "base/fault.h"

/* What is left of such a number modulo 2 has no more bits than it had: a number of the format. */
static bool fill(struct filter *filter, unsigned index) {
    struct real rest = real_from_double((double)(index % QUARTERS) / 4);
    struct error unused;
    rest.negative = index >= QUARTERS;
    uint64_t code = format_encode(filter->format, &rest, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    filter->period_table.known[index] =
        filter_exact(filter, &filter->oracle, code, &filter->period_table.values[index], &unused);
    return filter->period_table.known[index];
}

/* Which multiple of 1/4 the number is, modulo 2; false where it is none. */
static bool find_quarters(const struct format *format, const struct real *x, unsigned *quarters) {
    int last_place = x->exponent - (format->precision - 1), shift = last_place + 2;
    uint64_t significand = x->significand.high >> (64 - format->precision);
    if (x->kind != REAL_FINITE || shift < -63 ||
        significand & ((UINT64_C(1) << (shift < 0 ? -shift : 0)) - 1))
        return false;
    significand = shift < 0 ? significand >> -shift : significand << (shift < 3 ? shift : 3);
    *quarters = (unsigned)(significand % QUARTERS);
    return true;
}

bool filter_period_value(struct filter *filter, uint64_t code, struct real *y) {
    unsigned quarters;
    if (!filter || !filter->operation->result[filter->result].has_period_two)
        return false;
    struct real x = format_decode(filter->format, code);
    if (!find_quarters(filter->format, &x, &quarters))
        return false;
    unsigned index = quarters + (x.negative ? QUARTERS : 0);
    if (FAULT(period_off))
        index ^= 2;
    if (!filter->period_table.known[index] && !fill(filter, index))
        return false;
    *y = filter->period_table.values[index];
    return true;
}
