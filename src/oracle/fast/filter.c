/* Dividing codes into blocks, and finding asymptotes. */
#include "oracle/fast/filter_parts.h"

#include "base/bits.h"
#include "base/fault.h"
#include "op/formula/analytic.h"
#include "op/formula/evaluate.h"
#include "op/function/asymptote.h"
#include "oracle/formula.h"

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

/* Whether double arithmetic has the results: of 16-bit formats, and of some functions in fp64. */
static bool is_arithmetic(const struct section_rule *rule, const struct format *format) {
    return rule && rule->arithmetic != ARITHMETIC_NONE &&
           (format->width == 16 || (format->width == 64 && (rule->arithmetic == ARITHMETIC_ADD ||
                                                            rule->arithmetic == ARITHMETIC_SUB ||
                                                            rule->arithmetic == ARITHMETIC_DIM)));
}

bool filter_is_for(const struct operation *operation, const struct format *format, int result) {
    const struct result_rule *rule = &operation->result[result];
    bool formula = operation->made_of && formula_is_analytic(operation->made_of);
    bool unary = operation->operands == 1 && ((rule->arb && rule->arb->analytic) || rule->pattern);
    bool section = operation->operands > 1 && rule->section &&
                   (rule->section->open || is_arithmetic(rule->section, format));
    /* The bounds are those of double arithmetic, each operation rounded to double. */
    return FLT_EVAL_METHOD == 0 && (unary || section || formula) && !format->is_p3109 &&
           (format->width == 64 || format->width == 32 || format->width == 16);
}

struct filter *filter_open(const struct operation *operation, const struct format *format,
                           int result, enum rounding rounding) {
    const struct result_rule *rule = &operation->result[result];
    if (!filter_is_for(operation, format, result) || rounding >= ROUNDING_COUNT)
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
    oracle_open(&filter->oracle, operation, format, NULL, END_PRECISION);
    oracle_open(&filter->check, operation, format, NULL, check_precision(format));
    filter->check.by_mpfr = true;
    filter->oracle.rounding = filter->check.rounding = rounding;
    mpfr_init2(filter->line, 128);
    mpfr_init2(filter->distance, 128);
    filter->asymptotes = rule->asymptotes;
    filter->known = operation->operands == 1;
    /* No polynomial is for more than a binade; arithmetic is for all numbers of a sign. */
    int places = format->precision - 1, whole = (int)format->width - 2;
    filter->by_arithmetic = is_arithmetic(rule->section, format);
    int most = filter->by_arithmetic ? whole : places;
    filter->largest = most < BLOCK_LOG2 ? most : BLOCK_LOG2;
    filter->leading = operation->operands - 1;
    filter->block.log2_count = -1;
    if (operation->made_of && !(filter->oracle.formula && filter->check.formula)) {
        filter_close(filter);
        return NULL;
    }
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

/* The result at a code of the last operand. */
bool filter_exact(struct filter *filter, struct oracle *oracle, uint64_t code, struct real *y,
                  struct error *error) {
    uint64_t codes[MAX_OPERANDS];
    filter_codes(filter, code, codes);
    return oracle_exact(oracle, codes, filter->result, y, error);
}

/* Whether the row states all there is, with nothing to measure at the ends. */
static bool is_stated(const struct asymptote *asymptote) {
    return asymptote->side == ASYMPTOTE_EXACT || asymptote->side == ASYMPTOTE_ALTERNATING;
}

/* Whether the value at an end of the block is so near the line that no rounding sees the distance,
 * and on the side that the row states. */
static bool end_is_asymptote(struct filter *filter, const struct asymptote *asymptote,
                             uint64_t code, const struct real *value) {
    struct real line = asymptote_line(asymptote, filter->format, code);
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

/* The exact result at an end of a block; where odd integers have another sign, without it. */
static bool end_value(struct filter *filter, uint64_t code, struct real *y) {
    const struct section *section = &filter->section;
    uint64_t sign = section->odd_negates ? filter->format->sign_bit : 0;
    uint64_t codes[MAX_OPERANDS];
    struct error unused;
    filter_codes(filter, code, codes);
    if (filter->leading)
        codes[0] &= ~sign;
    return oracle_exact(&filter->oracle, codes, filter->result, y, &unused);
}

/* An end of a block, and the value there once it is known; NaN where the oracle has none. */
struct end {
    uint64_t code;
    bool known;
    struct real value;
};

static bool end_is_on(struct filter *filter, const struct asymptote *asymptote, struct end *end) {
    if (!is_stated(asymptote) && !end->known) {
        if (!end_value(filter, end->code, &end->value))
            end->value = real_nan();
        end->known = true;
    }
    return end_is_asymptote(filter, asymptote, end->code, &end->value);
}

static const struct asymptote *find_asymptote(struct filter *filter, uint64_t first,
                                              uint64_t last) {
    const struct asymptote *asymptote = filter->asymptotes;
    if ((!asymptote && !filter->operation->made_of) || format_is_zero(filter->format, first))
        return NULL;
    struct end ends[2] = {{.code = first}, {.code = last}};
    double numbers[2] = {fit_input(filter->format, first), fit_input(filter->format, last)};
    bool ascending = numbers[0] < numbers[1];
    double low = numbers[!ascending], high = numbers[ascending];
    if (filter->operation->made_of)
        return formula_asymptote(formula_oracle_work(filter->oracle.formula),
                                 filter->leading_values, low, high, filter->format,
                                 &filter->of_formula)
                   ? &filter->of_formula
                   : NULL;
    for (; asymptote->side != ASYMPTOTE_END; asymptote++)
        if (low > asymptote->low && high < asymptote->high &&
            (!asymptote->most_precision ||
             asymptote->most_precision >= filter->format->precision) &&
            end_is_on(filter, asymptote, &ends[0]) && end_is_on(filter, asymptote, &ends[1]))
            return asymptote;
    return NULL;
}

/* Narrows codes, which lie in one binade, to the first and the last integer among them; false where
 * there is none. */
static bool narrow_to_integers(const struct format *format, uint64_t *first, uint64_t *last) {
    struct real x = format_decode(format, *first);
    int places = format->precision - 1 - x.exponent;
    if (x.kind != REAL_FINITE || places <= 0)
        return true;
    if (x.exponent < 0)
        return false;
    uint64_t fraction = ((uint64_t)1 << places) - 1;
    *first = (*first + fraction) & ~fraction;
    *last &= ~fraction;
    return *first <= *last;
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
                       .first = first,
                       .precision = format->precision,
                       .least_exponent = 1023 + format->emin}};
    if (FAULT(arithmetic_operand_off))
        block->fit.arithmetic.fixed *= 1 + 0x1p-40;
    return true;
}

/* Whether a formula is NaN where its last operand is: its steps may have a number there (select, fmin, u^0). */
static bool is_nan_there(struct filter *filter, uint64_t code) {
    struct real y;
    struct error unused;
    return filter_exact(filter, &filter->oracle, code, &y, &unused) && y.kind == REAL_NAN;
}

/* Whether all results of the block are NaN because an operand is. Where the first is, other functions
 * than sums and quotients have a number for some second operands: pow(NaN, 0) is 1. */
static bool is_nan(struct filter *filter, uint64_t first, uint64_t last) {
    const struct format *format = filter->format;
    bool nan = format_is_nan(format, first) && format_is_nan(format, last);
    if (filter->operation->made_of)
        return nan && is_nan_there(filter, first);
    bool usual = filter->by_arithmetic ||
                 (!format_is_zero(format, first) && format_classify(format, last) < CLASS_INFINITE);
    return nan || (filter->fixed_is_nan && usual);
}

static bool try_block(struct filter *filter, uint64_t code, int log2_count) {
    struct block *block = &filter->block;
    uint64_t size = (uint64_t)1 << log2_count;
    uint64_t first = code & ~(size - 1), last = first + size - 1;
    *block = (struct block){.kind = BLOCK_EXACT, .first = first, .log2_count = log2_count};
    if (is_nan(filter, first, last)) {
        block->kind = BLOCK_NAN;
        return true;
    }
    if (filter->fixed_is_nan || format_classify(filter->format, first) >= CLASS_INFINITE)
        return false;
    if (filter->by_arithmetic)
        return try_arithmetic(filter, first, last);
    if (filter->operation->result[filter->result].pattern) {
        block->kind = BLOCK_PATTERN;
        return true;
    }
    /* Around zero a fit would hide the asymptotes of all but the zero itself. */
    if (format_is_zero(filter->format, first) && (filter->asymptotes || filter->operation->made_of))
        return false;
    if (filter->section.nan_off_integers && !narrow_to_integers(filter->format, &first, &last)) {
        block->kind = BLOCK_NAN;
        return true;
    }
    bool binary = filter->operation->operands == 2 && !filter->operation->made_of;
    if (binary && format_is_zero(filter->format, first))
        return false;
    double magnitude = fabs(fit_input(filter->format, block->first));
    block->at_integers = binary && magnitude < filter->section.least;
    block->odd_negates = filter->section.odd_negates;
    block->asymptote = find_asymptote(filter, first, last);
    if (block->asymptote)
        block->kind = BLOCK_ASYMPTOTE;
    else if (block->at_integers || (binary && magnitude >= filter->section.most) ||
             reduce_halves(&filter->reducer, block->first, log2_count))
        return false;
    else if (reduce_block(&filter->reducer, block->first, log2_count, &block->fit) ||
             fitter_fit(filter->fitter, block->first, log2_count,
                        log2_count > SHORT_BLOCK_LOG2 ? SHORT_TERMS : FIT_MOST_NODES, &block->fit))
        block->kind = BLOCK_FIT;
    return block->kind != BLOCK_EXACT;
}

/* The operands of a formula before the last. */
static void fix_operands(struct filter *filter) {
    double numbers[MAX_OPERANDS];
    for (int i = 0; i < filter->leading; i++) {
        filter->leading_values[i] = format_decode(filter->format, filter->fixed[i]);
        numbers[i] = fit_input(filter->format, filter->fixed[i]);
    }
    filter->known = true;
    fitter_fix_operands(filter->fitter, numbers);
}

/* The operand of a section; of fma the product of two, which is exact (arithmetic.h). */
static void take_fixed(struct filter *filter) {
    filter->known = true;
    filter->fixed_is_nan = false;
    filter->section = (struct section){.fixed = 1, .most = INFINITY};
    for (int i = 0; i < filter->leading; i++) {
        filter->known &= format_classify(filter->format, filter->fixed[i]) < CLASS_INFINITE;
        filter->fixed_is_nan |= format_is_nan(filter->format, filter->fixed[i]);
        filter->section.fixed *= fit_input(filter->format, filter->fixed[i]);
    }
}

/* Takes the operands before the last. */
static void fix(struct filter *filter, const uint64_t *fixed) {
    const struct section_rule *rule = filter->operation->result[filter->result].section;
    size_t size = (size_t)filter->leading * sizeof *fixed;
    if (!size || (filter->is_fixed && memcmp(fixed, filter->fixed, size) == 0))
        return;
    memcpy(filter->fixed, fixed, size);
    filter->is_fixed = true;
    filter->block.log2_count = -1;
    memset(filter->failed, 0, sizeof filter->failed);
    if (filter->operation->made_of) {
        fix_operands(filter);
        return;
    }
    take_fixed(filter);
    if (!filter->known || filter->by_arithmetic) {
        filter->known = filter->known || filter->fixed_is_nan;
        return;
    }
    filter->section.precision = (int)filter->format->precision;
    filter->known = rule->open(&filter->section);
    filter->asymptotes = filter->section.asymptotes;
    fitter_fix(filter->fitter, &filter->section);
}

const struct block *filter_block(struct filter *filter, const uint64_t *fixed, uint64_t code) {
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
