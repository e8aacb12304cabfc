/* Dividing codes into blocks, and finding asymptotes. */
#include "oracle/fast/filter_parts.h"

#include "base/double_bits.h"
#include "base/fault.h"
#include "op/function/asymptote.h"
#include "oracle/fast/decide.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    END_PRECISION = 120,
    ASYMPTOTE_BITS = 24,
    /* From here on a fit costs less than a nanosecond an input. Larger blocks are worth it where
     * the polynomial stays short. */
    SHORT_BLOCK_LOG2 = 15,
    SHORT_TERMS = 10
};

/* Whether double arithmetic has the results: of 16-bit formats. */
static bool is_arithmetic(const struct section_rule *rule, const struct format *format) {
    return rule && rule->arithmetic != ARITHMETIC_NONE && format->width == 16;
}

struct filter *filter_open(const struct operation *operation, const struct format *format,
                           int result) {
    /* The bounds are those of double arithmetic, each operation rounded to double. */
    const struct result_rule *rule = &operation->result[result];
    bool unary = operation->operands == 1 && rule->analytic;
    bool binary = operation->operands == 2 && rule->section &&
                  (rule->section->open || is_arithmetic(rule->section, format));
    if (FLT_EVAL_METHOD != 0 || !(unary || binary) || (format->width != 32 && format->width != 16))
        return NULL;
    struct filter *filter = calloc(1, sizeof *filter);
    if (!filter)
        return NULL;
    filter->operation = operation;
    filter->format = format;
    filter->result = result;
    filter->fitter = fitter_open(operation, format, result);
    if (!filter->fitter) {
        free(filter);
        return NULL;
    }
    filter->reducer = (struct reducer){.rule = rule, .format = format, .fitter = filter->fitter};
    oracle_open(&filter->oracle, operation, format, END_PRECISION);
    oracle_open(&filter->check, operation, format, CHECK_PRECISION);
    filter->check.by_mpfr = true;
    mpfr_init2(filter->line, 128);
    mpfr_init2(filter->distance, 128);
    filter->asymptotes = rule->asymptotes;
    filter->known = unary;
    /* No polynomial is for more than a binade; arithmetic is for all numbers of a sign. */
    int places = format->precision - 1, whole = (int)format->width - 2;
    filter->by_arithmetic = is_arithmetic(rule->section, format);
    filter->largest = filter->by_arithmetic ? whole : places < BLOCK_LOG2 ? places : BLOCK_LOG2;
    filter->fixed = UINT64_MAX;
    filter->block.log2_count = -1;
    return filter;
}

void filter_close(struct filter *filter) {
    if (!filter)
        return;
    fitter_close(filter->fitter);
    oracle_close(&filter->oracle);
    oracle_close(&filter->check);
    mpfr_clear(filter->line);
    mpfr_clear(filter->distance);
    reducer_close(&filter->reducer);
    free(filter);
}

/* A code's value as a double; exact. */
static double value_of(const struct format *format, uint64_t code) {
    struct real real = format_decode(format, code);
    return real_to_double(&real);
}

/* The result at a code of the last operand. */
bool filter_exact(struct filter *filter, struct oracle *oracle, uint64_t code, struct real *y,
                  struct error *error) {
    const uint64_t codes[] = {filter->operation->operands == 2 ? filter->fixed : code, code};
    return oracle_exact(oracle, codes, filter->result, y, error);
}

/* slope x + constant, of which one is 0; exact. */
static struct real line_at(const struct asymptote *asymptote, const struct format *format,
                           uint64_t code) {
    struct real line;
    if (asymptote->slope > 0 || asymptote->slope < 0) {
        line = format_decode(format, code);
        line.exponent -=
            asymptote->slope > 0 && asymptote->slope < 1; /* the slopes are 1, 1/2 and -1 */
        line.negative = line.negative != (asymptote->slope < 0);
        return line;
    }
    return real_from_double(asymptote->constant);
}

/* Whether the row states all there is, with nothing to measure at the ends. */
static bool is_stated(const struct asymptote *asymptote) {
    return asymptote->side == ASYMPTOTE_EXACT || asymptote->side == ASYMPTOTE_ALTERNATING;
}

/* Whether the value at an end of the block is so near the line that no rounding sees the distance,
 * and on the side that the row states. */
static bool end_is_asymptote(struct filter *filter, const struct asymptote *asymptote,
                             uint64_t code, const struct real *value) {
    struct real line = line_at(asymptote, filter->format, code);
    if (is_stated(asymptote))
        return true;
    if (line.kind == REAL_INFINITE)
        return value->kind == REAL_FINITE && value->negative == line.negative &&
               value->exponent > filter->format->emax;
    if (value->kind != REAL_FINITE ||
        (line.kind == REAL_FINITE && line.negative != value->negative))
        return false;
    real_to_mpfr(filter->line, &line);
    real_to_mpfr(filter->distance, value);
    mpfr_sub(filter->distance, filter->distance, filter->line, MPFR_RNDA);
    int side = mpfr_sgn(filter->distance), away = value->negative ? -1 : 1;
    int stated = asymptote->side == ASYMPTOTE_ABOVE     ? 1
                 : asymptote->side == ASYMPTOTE_BELOW   ? -1
                 : asymptote->side == ASYMPTOTE_OUTWARD ? away
                                                        : -away;
    if (side && (side > 0) != (stated > 0))
        return false;
    /* Below a power of two the ulp is half as large: one bit more than ASYMPTOTE_BITS allows for
     * it. */
    int limit = format_ulp_exponent(filter->format, value) - ASYMPTOTE_BITS - 1;
    return !mpfr_regular_p(filter->distance) || mpfr_get_exp(filter->distance) <= limit;
}

static const struct asymptote *find_asymptote(struct filter *filter, uint64_t first,
                                              uint64_t last) {
    const struct asymptote *asymptote = filter->asymptotes;
    if (!asymptote || format_is_zero(filter->format, first))
        return NULL;
    double ends[2] = {value_of(filter->format, first), value_of(filter->format, last)};
    double low = ends[0] < ends[1] ? ends[0] : ends[1],
           high = ends[0] < ends[1] ? ends[1] : ends[0];
    struct real values[2];
    struct error unused;
    bool known = false;
    for (; asymptote->side != ASYMPTOTE_END; asymptote++) {
        if (!(low > asymptote->low && high < asymptote->high))
            continue;
        if (!known && !is_stated(asymptote)) {
            if (!filter_exact(filter, &filter->oracle, first, &values[0], &unused) ||
                !filter_exact(filter, &filter->oracle, last, &values[1], &unused))
                return NULL;
            known = true;
        }
        if (end_is_asymptote(filter, asymptote, first, &values[0]) &&
            end_is_asymptote(filter, asymptote, last, &values[1]))
            return asymptote;
    }
    return NULL;
}

/* Whether MPFR is to decide for second operands of this size. */
static bool too_small(const struct filter *filter, uint64_t code) {
    double value = value_of(filter->format, code);
    return (value < 0 ? -value : value) < filter->section.least;
}

/* Where both ends are finite numbers, and so all between them. */
static bool try_arithmetic(struct filter *filter, uint64_t first, uint64_t last) {
    const struct format *format = filter->format;
    struct block *block = &filter->block;
    if (format_classify(format, last) >= CLASS_INFINITE)
        return false;
    block->kind = BLOCK_FIT;
    block->fit = (struct fit){
        .form = FIT_ARITHMETIC,
        .arithmetic = {.function = filter->operation->result[filter->result].section->arithmetic,
                       .is_sum = filter->operation->sums,
                       .fixed = filter->section.fixed,
                       .first = (uint32_t)first,
                       .precision = format->precision,
                       .least_exponent = 1023 + format->emin}};
    if (FAULT(arithmetic_operand_off))
        block->fit.arithmetic.fixed *= 1 + 0x1p-40;
    return true;
}

static bool try_block(struct filter *filter, uint64_t code, int log2_count) {
    struct block *block = &filter->block;
    uint64_t size = (uint64_t)1 << log2_count;
    uint64_t first = code & ~(size - 1), last = first + size - 1;
    *block = (struct block){.kind = BLOCK_EXACT, .first = first, .log2_count = log2_count};
    if (filter->fixed_is_nan ||
        (format_is_nan(filter->format, first) && format_is_nan(filter->format, last))) {
        block->kind = BLOCK_NAN;
        return true;
    }
    if (format_classify(filter->format, first) >= CLASS_INFINITE)
        return false;
    if (filter->by_arithmetic)
        return try_arithmetic(filter, first, last);
    /* Around zero a fit would hide the asymptotes of all but the zero itself. */
    if (format_is_zero(filter->format, first) && filter->asymptotes)
        return false;
    if (filter->operation->operands == 2 &&
        (format_is_zero(filter->format, first) || too_small(filter, first)))
        return false;
    block->asymptote = find_asymptote(filter, first, last);
    if (block->asymptote)
        block->kind = BLOCK_ASYMPTOTE;
    else if (reduce_block(&filter->reducer, first, log2_count, &block->fit) ||
             fitter_fit(filter->fitter, first, log2_count,
                        log2_count > SHORT_BLOCK_LOG2 ? SHORT_TERMS : FIT_MOST_NODES, &block->fit))
        block->kind = BLOCK_FIT;
    return block->kind != BLOCK_EXACT;
}

/* Takes the first operand of a function of two. */
static void fix(struct filter *filter, uint64_t fixed) {
    const struct section_rule *rule = filter->operation->result[filter->result].section;
    if (filter->operation->operands != 2 || fixed == filter->fixed)
        return;
    filter->fixed = fixed;
    filter->block.log2_count = -1;
    memset(filter->failed, 0, sizeof filter->failed);
    filter->known = format_classify(filter->format, fixed) < CLASS_INFINITE;
    /* Other functions have a number for some: pow(NaN, 0) is 1. */
    filter->fixed_is_nan = filter->by_arithmetic && format_is_nan(filter->format, fixed);
    filter->known = filter->known || filter->fixed_is_nan;
    filter->section.fixed = value_of(filter->format, fixed);
    if (!filter->known || filter->by_arithmetic)
        return;
    filter->section.precision = (int)filter->format->precision;
    filter->known = rule->open(&filter->section);
    filter->asymptotes = filter->section.asymptotes;
    fitter_fix(filter->fitter, &filter->section);
}

const struct block *filter_block(struct filter *filter, uint64_t fixed, uint64_t code) {
    const struct block *block = &filter->block;
    fix(filter, fixed);
    if (block->log2_count >= 0 && (code ^ block->first) >> block->log2_count == 0)
        return block;
    for (int level = filter->largest; filter->known && level >= LEAST_BLOCK_LOG2; level--) {
        uint64_t name = (code >> level) + 1;
        if (filter->failed[level] == name)
            continue;
        if (try_block(filter, code, level))
            return block;
        filter->failed[level] = name;
    }
    uint64_t size = (uint64_t)1 << LEAST_BLOCK_LOG2;
    filter->block = (struct block){
        .kind = BLOCK_EXACT, .first = code & ~(size - 1), .log2_count = LEAST_BLOCK_LOG2};
    return block;
}

bool block_is_pole(const struct block *block, uint64_t code) {
    const struct table_entries *table = &block->fit.table;
    if (block->kind != BLOCK_FIT || block->fit.form != FIT_TABLE)
        return false;
    uint32_t entry = table->first + (uint32_t)(code - block->first);
    return table->entries[entry & table->mask] >= INFINITY;
}

double block_value(const struct block *block, uint64_t code) {
    double value;
    fit_values(&block->fit, block->log2_count, (size_t)(code - block->first), 1, &value);
    return value;
}

/* Whether a sum that is 0 has terms of both signs: IEEE 754, 6.3. */
static bool is_cancelled(const struct arithmetic *arithmetic, uint64_t code) {
    bool negative = (code >> 15 & 1) != (arithmetic->function == ARITHMETIC_SUB);
    return arithmetic->is_sum && negative != (signbit(arithmetic->fixed) != 0);
}

bool block_arithmetic_value(const struct block *block, uint64_t code, struct real *y) {
    const struct arithmetic *arithmetic = &block->fit.arithmetic;
    if (block->kind != BLOCK_FIT || block->fit.form != FIT_ARITHMETIC)
        return false;
    double p = block_value(block, code);
    if (!(p - p == 0))
        return false;
    *y = real_from_double(p);
    y->inexact = bits_of(p) & 1;
    y->cancelled = y->kind == REAL_ZERO && is_cancelled(arithmetic, code);
    return true;
}

bool block_enclosure(const struct block *block, uint64_t code, struct real *low,
                     struct real *high) {
    if (block->fit.form == FIT_ARITHMETIC)
        return false;
    double p = block_value(block, code);
    /* The ends are rounded; widening by 2^-50 |p| makes up for it. */
    double reach = block_bound(block, p) + (p < 0 ? -p : p) * 0x1p-50;
    double ends[2] = {p - reach, p + reach};
    if (!(ends[0] > 0 || ends[1] < 0) || !(p - p == 0))
        return false;
    *low = real_from_double(ends[0]);
    *high = real_from_double(ends[1]);
    low->inexact = high->inexact = true;
    return true;
}

static struct real alternating(const struct format *format, uint64_t code) {
    struct real x = format_decode(format, code);
    /* The bits of the integer part end below this one; x is negative. */
    unsigned shift = 63 - (unsigned)x.exponent;
    uint64_t integer = x.significand.high >> shift;
    if (integer << shift == x.significand.high)
        return real_nan();
    return real_tiny((integer + 1) & 1); /* floor(x) = -(integer + 1) */
}

struct real block_asymptote_value(const struct block *block, const struct format *format,
                                  uint64_t code) {
    struct real line = line_at(block->asymptote, format, code);
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
