/* Functions of period 2, such as sin(pi x), at multiples of 2^-11: a table of one period. */
#include "oracle/filter_parts.h"

#include <stdlib.h>

/* What is left of a number modulo 2 has no more bits than it had: a number of the format. */
static bool fill(struct filter *filter, unsigned index) {
    struct real rest = real_from_double((double)(index % PARTS) / (1 << PARTS_LOG2));
    struct error unused;
    rest.negative = index >= PARTS;
    uint64_t code = format_encode(filter->format, &rest, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    filter->period_table->known[index] =
        filter_exact(filter, &filter->oracle, code, &filter->period_table->values[index], &unused);
    return filter->period_table->known[index];
}

bool filter_period_value(struct filter *filter, uint64_t code, struct real *y) {
    if (!filter || !filter->operation->result[filter->result].has_period_two)
        return false;
    struct real x = format_decode(filter->format, code);
    if (x.kind != REAL_FINITE)
        return false;
    int last_place = x.exponent - (filter->format->precision - 1);
    uint64_t significand = x.significand.high >> (64 - filter->format->precision);
    int shift = last_place + PARTS_LOG2;
    if (shift < -63 || significand & ((UINT64_C(1) << (shift < 0 ? -shift : 0)) - 1))
        return false;
    if (!filter->period_table)
        filter->period_table = calloc(1, sizeof *filter->period_table);
    if (!filter->period_table)
        return false;
    significand = shift < 0 ? significand >> -shift : significand;
    unsigned parts =
        shift > PARTS_LOG2 ? 0 : (unsigned)(significand << (shift < 0 ? 0 : shift)) % PARTS;
    unsigned index = parts + (x.negative ? PARTS : 0);
    if (!filter->period_table->known[index] && !fill(filter, index))
        return false;
    *y = filter->period_table->values[index];
    return true;
}
