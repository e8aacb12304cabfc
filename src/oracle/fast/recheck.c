/* Holding the fast oracle against MPFR. */
#include "oracle/fast/filter_parts.h"

#include "format/text.h"
#include "oracle/fast/supporting_line.h"

#include <string.h>

/* To the bit: the value is what truncating y to 53 bits gives, with the last one set where anything
 * was cut off. */
static bool recheck_arithmetic(const struct real *claim, const struct real *y) {
    uint64_t cut = (y->significand.high & 0x7ff) | y->significand.low;
    uint64_t odd = y->significand.high >> 11 | (cut != 0) | y->inexact;
    if (claim->kind != y->kind || claim->kind == REAL_NAN)
        return false;
    if (claim->kind == REAL_ZERO)
        return claim->negative == y->negative && claim->cancelled == y->cancelled;
    return claim->negative == y->negative && claim->exponent == y->exponent &&
           claim->significand.high >> 11 == odd;
}

/* In fp64: the value is y to as many bits as y has. */
static bool recheck_wide_arithmetic(const struct real *claim, const struct real *y) {
    if (claim->kind != y->kind || claim->negative != y->negative)
        return false;
    return claim->kind != REAL_FINITE ||
           (claim->exponent == y->exponent && claim->significand.high == y->significand.high &&
            claim->significand.low >> (128 - WIDE_CHECK_PRECISION) ==
                y->significand.low >> (128 - WIDE_CHECK_PRECISION));
}

/* Of results known for the period. Those that are not exact may have been cut differently. */
static bool recheck_period(struct filter *filter, uint64_t code, const struct real *y) {
    struct real claim;
    if (!filter_period_value(filter, code, &claim))
        return true;
    return claim.kind == y->kind && claim.negative == y->negative &&
           (claim.kind != REAL_FINITE || y->inexact ||
            (claim.exponent == y->exponent && claim.significand.high == y->significand.high &&
             claim.significand.low == y->significand.low));
}

static bool recheck_fit(struct filter *filter, uint64_t code, const struct real *y) {
    struct real claim;
    if (filter->block.fit.form == FIT_ARITHMETIC)
        return !block_arithmetic_value(&filter->block, filter->format, code, &claim) ||
               (filter->format->width == 64 ? recheck_wide_arithmetic : recheck_arithmetic)(&claim,
                                                                                            y);
    if (block_pole_value(&filter->block, filter->format, code, &claim))
        return y->kind == claim.kind && (y->kind == REAL_NAN || !y->negative);
    const struct supporting_line *supporting_line =
        filter->operation->result[filter->result].supporting_line;
    struct real x = format_decode(filter->format, code);
    if ((supporting_line &&
         !supporting_line_agrees(supporting_line, &x, y, check_precision(filter->format))) ||
        !recheck_period(filter, code, y))
        return false;
    bool wide = filter->format->width == 64;
    double tail = 0, p = block_value(&filter->block, code, wide ? &tail : NULL);
    double bound = block_bound(&filter->block, p);
    const struct fit *fit = &filter->block.fit;
    bool divided = fit->form == FIT_QUOTIENT || fit->form == FIT_ROTATION ||
                   fit->form == FIT_COTANGENT ||
                   (fit->form == FIT_REDUCTION && fit->reduction.function == REDUCTION_TAN);
    if (divided && !(p - p == 0))
        return true; /* at the pole, where no claim is made */
    if (y->kind == REAL_NAN || y->kind == REAL_INFINITE)
        return false;
    real_to_mpfr(filter->distance, y);
    mpfr_mul_2si(filter->distance, filter->distance, fit->shift, MPFR_RNDA);
    mpfr_sub_d(filter->distance, filter->distance, p, MPFR_RNDA);
    mpfr_sub_d(filter->distance, filter->distance, tail, MPFR_RNDA);
    return mpfr_cmp_d(filter->distance, bound) <= 0 && mpfr_cmp_d(filter->distance, -bound) >= 0;
}

static bool recheck_asymptote(struct filter *filter, uint64_t code, const struct real *y) {
    struct real claim = block_asymptote_value(&filter->block, filter->format, code);
    if (claim.kind != y->kind)
        return false;
    if (claim.kind != REAL_FINITE)
        return claim.kind == REAL_NAN || claim.negative == y->negative;
    if (claim.negative != y->negative)
        return false;
    for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++)
        if (format_encode(filter->format, &claim, (enum rounding)rounding, OVERFLOW_IEEE) !=
            format_encode(filter->format, y, (enum rounding)rounding, OVERFLOW_IEEE))
            return false;
    return true;
}

/* To the bit. */
static bool recheck_pattern(struct filter *filter, uint64_t code, const struct real *y) {
    struct code_pattern pattern = filter_pattern(filter, code);
    uint64_t claim = code_pattern_at(&pattern, filter->format, code);
    return !y->inexact &&
           claim == format_encode(filter->format, y, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

bool filter_recheck(struct filter *filter, const uint64_t *fixed, uint64_t code,
                    struct error *error) {
    const struct block *block = filter_block(filter, fixed, code);
    struct real y;
    if (!filter_exact(filter, &filter->check, code, &y, error))
        return false;
    if (block->kind == BLOCK_FIT       ? recheck_fit(filter, code, &y)
        : block->kind == BLOCK_PATTERN ? recheck_pattern(filter, code, &y)
                                       : recheck_asymptote(filter, code, &y))
        return true;
    char name[64], bits[NUMBER_TEXT], first[MAX_OPERANDS * (NUMBER_TEXT + 2)] = "";
    for (int i = 0; i < filter->leading; i++) {
        strcat(first, format_bits_text(filter->format, fixed[i], bits));
        strcat(first, ", ");
    }
    return error_set(
        error,
        "the fast oracle is wrong: %s(%s%s) in %s is outside the bound of its block of 2^%d inputs "
        "(kind %d, %d terms, bound %a); use --oracle exact and report this",
        operation_result_name(filter->operation, filter->result, name), first,
        format_bits_text(filter->format, code, bits), filter->format->name, block->log2_count,
        (int)block->kind, block->fit.polynomial.terms, block->fit.bound);
}
