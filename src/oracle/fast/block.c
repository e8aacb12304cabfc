/* What a block says of an input: values, bounds, and the results that an inequality decides. */
#include "oracle/fast/filter_parts.h"

#include "base/bits.h"
#include "base/fault.h"
#include "oracle/fast/decide.h"

#include <math.h>

struct real asymptote_line(const struct asymptote *asymptote, const struct format *format,
                           uint64_t code) {
    struct real line;
    if (asymptote->slope > 0 || asymptote->slope < 0) {
        line = format_decode(format, code);
        line.exponent += ilogb(asymptote->slope); /* the slopes are powers of two */
        line.negative = line.negative != (asymptote->slope < 0);
        return line;
    }
    return real_from_double(asymptote->constant);
}

/* Whether the number at the code, not 0, is an integer; and whether its integer part is odd. */
static bool is_integer(const struct format *format, uint64_t code, bool *odd) {
    struct real x = format_decode(format, code);
    *odd = false;
    if (x.exponent < 0 || x.exponent > 63)
        return x.exponent > 63;
    unsigned shift = 63 - (unsigned)x.exponent;
    uint64_t integer = x.significand.high >> shift;
    *odd = integer & 1;
    return integer << shift == x.significand.high;
}

bool block_pole_value(const struct block *block, const struct format *format, uint64_t code,
                      struct real *y) {
    const struct table_entries *table = &block->fit.table;
    bool odd;
    if (block->kind == BLOCK_FIT && block->fit.form == FIT_COTANGENT) {
        *y = real_nan();
        return is_integer(format, code, &odd);
    }
    if (block->kind != BLOCK_FIT || block->fit.form != FIT_TABLE)
        return false;
    *y = real_infinity(false);
    return table->entries[table_index(table, (uint32_t)(code - block->first))] >= INFINITY;
}

struct code_pattern filter_pattern(const struct filter *filter, uint64_t code) {
    const struct exact_setting setting = {filter->format, filter->check.rounding};
    uint64_t codes[MAX_OPERANDS];
    filter_codes(filter, code, codes);
    struct code_pattern pattern =
        filter->operation->result[filter->result].pattern(codes, &setting);
    if (FAULT(pattern_off))
        pattern.offset++;
    return pattern;
}

double block_value(const struct block *block, uint64_t code, double *tail) {
    double value;
    fit_values(&block->fit, block->log2_count, (size_t)(code - block->first), 1, &value, tail);
    return value;
}

bool block_slopes(const struct block *block, double *least, double *most) {
    const struct polynomial *polynomial = &block->fit.polynomial;
    double step = power_of_two(1 - block->log2_count), reach = polynomial->slope_reach * step;
    double slope = polynomial->coefficients[1] * polynomial->direction * step;
    if (FAULT(slope_off))
        slope = -slope;
    *least = slope - reach;
    *most = slope + reach;
    return block->kind == BLOCK_FIT && block->fit.form == FIT_POLYNOMIAL;
}

/* Whether a sum that is 0 has terms of both signs: IEEE 754, 6.3. */
static bool is_cancelled(const struct arithmetic *arithmetic, const struct format *format,
                         uint64_t code) {
    bool negative = format_is_negative(format, code) != (arithmetic->function == ARITHMETIC_SUB);
    return arithmetic->is_sum && negative != (signbit(arithmetic->fixed) != 0);
}

/* The exact sum, as far as 128 bits hold it. */
static struct real sum_of(double a, double b) {
    mpfr_t sum;
    mpfr_init2(sum, 128);
    mpfr_set_d(sum, a, MPFR_RNDN);
    int ternary = mpfr_add_d(sum, sum, b, MPFR_RNDZ);
    struct real y = real_from_mpfr(sum, ternary);
    mpfr_clear(sum);
    return y;
}

bool block_arithmetic_value(const struct block *block, const struct format *format, uint64_t code,
                            struct real *y) {
    const struct arithmetic *arithmetic = &block->fit.arithmetic;
    if (block->kind != BLOCK_FIT || block->fit.form != FIT_ARITHMETIC)
        return false;
    bool wide = format->width == 64;
    double tail, p = block_value(block, code, wide ? &tail : NULL);
    if (!(p - p == 0))
        return false;
    if (wide) {
        *y = sum_of(p, tail);
    } else {
        *y = real_from_double(p);
        y->inexact = bits_of(p) & 1;
    }
    y->cancelled = y->kind == REAL_ZERO && is_cancelled(arithmetic, format, code);
    return true;
}

/* p + tail less or plus what reaches beyond the bound, and widened by 2^-100 |p| for the rounding of
 * the ends to 128 bits. */
static void find_wide_ends(const struct block *block, double p, double tail, double bound,
                           struct real ends[2]) {
    double reach = 1.001 * bound + (p < 0 ? -p : p) * 0x1p-100;
    mpfr_t end;
    mpfr_init2(end, 128);
    for (int i = 0; i < 2; i++) {
        mpfr_set_d(end, p, MPFR_RNDN);
        mpfr_add_d(end, end, tail, MPFR_RNDN);
        mpfr_add_d(end, end, i ? reach : -reach, MPFR_RNDN);
        mpfr_mul_2si(end, end, -block->fit.shift, MPFR_RNDN);
        ends[i] = real_from_mpfr(end, 0);
    }
    mpfr_clear(end);
}

/* The ends are rounded; widening by 2^-50 |p| makes up for it. */
double block_reach(const struct block *block, double p) {
    return block_bound(block, p) + (p < 0 ? -p : p) * 0x1p-50;
}

bool block_enclosure(const struct block *block, const struct format *format, uint64_t code,
                     struct real *low, struct real *high) {
    struct real ends[2];
    double tail;
    if (block->fit.form == FIT_ARITHMETIC)
        return false;
    bool wide = format->width == 64;
    double p = block_value(block, code, wide ? &tail : NULL);
    if (!(p - p == 0))
        return false;
    if (wide) {
        find_wide_ends(block, p, tail, block_bound(block, p), ends);
    } else {
        double reach = block_reach(block, p);
        ends[0] = real_from_double(p - reach);
        ends[1] = real_from_double(p + reach);
    }
    if (ends[0].kind != REAL_FINITE || ends[1].kind != REAL_FINITE ||
        ends[0].negative != ends[1].negative)
        return false;
    *low = ends[0];
    *high = ends[1];
    low->inexact = high->inexact = true;
    return true;
}

static struct real alternating(const struct format *format, uint64_t code) {
    bool odd;
    if (is_integer(format, code, &odd))
        return real_nan();
    return real_tiny(!odd); /* x < 0, and floor(x) = trunc(x) - 1 */
}

/* In an ASYMPTOTE block that is not told where integers are. */
static struct real asymptote_value(const struct block *block, const struct format *format,
                                   uint64_t code) {
    struct real line = asymptote_line(block->asymptote, format, code);
    bool outward = block->asymptote->side == ASYMPTOTE_OUTWARD ||
                   block->asymptote->side == (line.negative ? ASYMPTOTE_BELOW : ASYMPTOTE_ABOVE);
    if (block->asymptote->side == ASYMPTOTE_EXACT)
        return line;
    if (block->asymptote->side == ASYMPTOTE_ALTERNATING)
        return alternating(format, code);
    if (line.kind == REAL_ZERO)
        return real_tiny(block->asymptote->side == ASYMPTOTE_BELOW);
    if (line.kind == REAL_INFINITE)
        return real_huge(line.negative);
    line.inexact = true;
    if (outward)
        return line;
    /* The 128-bit number next to the line, towards zero. */
    line.significand = wide_subtract(line.significand, (struct wide){0, 1});
    if (!(line.significand.high >> 63)) {
        line.significand = (struct wide){UINT64_MAX, UINT64_MAX};
        line.exponent--;
    }
    return line;
}

struct real block_asymptote_value(const struct block *block, const struct format *format,
                                  uint64_t code) {
    struct real y = asymptote_value(block, format, code);
    bool odd;
    if (!block->at_integers)
        return y;
    if (!is_integer(format, code, &odd))
        return real_nan();
    y.negative = y.negative != (odd && block->odd_negates && !FAULT(odd_sign_lost));
    return y;
}
