/* The gradients of logcumsumexp and logsumexp, enclosed in intervals whose precision is raised until every result
 * truncates. The loop is not that of op/enclose.h, which closes one value that is neither end: here all results of a
 * slice share the sums of its prefixes, and so their precision, and each may be a number of few bits exactly.
 *
 * Of y[j] = ln(e^x[0] + ... + e^x[j]) and the gradient g of y, that of x is
 * x'[i] = e^x[i] (g[i] / s[i] + ... + g[n-1] / s[n-1]) with s[j] = e^x[0] + ... + e^x[j]. With m[j]
 * the largest x up to j, s[j] = e^m[j] c[j], and from the right, over the g that are not 0,
 *   r[j] = g[j] / c[j] + e^(m[j] - m[k]) r[k],    x'[i] = e^(x[i] - m[j]) r[j].
 * Terms of either sign have a sum of their own. An exclusive scan's y[j+1] is the other's y[j].
 *
 * A result that is exactly 0, or a number of few bits, is one that no precision decides: where the
 * enclosure has such a number, identity.h tells whether it is that. */
#include "op/array/gradients.h"

#include "op/array/identity.h"
#include "op/array/slices.h"
#include "op/enclose.h"
#include "op/function/interval.h"

#include "detmath/library/reduction_list.h"

#include <stdlib.h>

enum { FIRST_GUARD_BITS = 64, BITS_FOR_SIDES = 1 << 10 };
enum { PLUS, MINUS };

/* What is known of a prefix of x. */
struct prefix {
    uint64_t largest;    /* an index in x */
    bool is_finite, nan; /* one of them is; one is NaN or +inf */
    struct interval sum; /* c */
};

struct gradient {
    uint64_t count; /* of terms: one less of an exclusive scan */
    int precision;
    uint64_t *codes;
    struct real *x, *g;
    struct prefix *prefixes;
    mpfr_t a, b, truncated, scratch;
    struct interval power, term, other, parts[2];
    struct identity identity;
    /* Of the terms so far, from the right. */
    mpfr_prec_t bits;
    uint64_t base;
    bool nan, infinite[2], has_terms;
};

static void open_interval(struct interval *interval) {
    mpfr_inits2(64, interval->low, interval->high, (mpfr_ptr)0);
}

static void close_interval(struct interval *interval) {
    mpfr_clears(interval->low, interval->high, (mpfr_ptr)0);
}

static void reset(struct interval *interval, mpfr_prec_t bits) {
    mpfr_set_prec(interval->low, bits);
    mpfr_set_prec(interval->high, bits);
    mpfr_set_zero(interval->low, 1);
    mpfr_set_zero(interval->high, 1);
}

static void take(struct interval *to, struct interval *from) {
    mpfr_swap(to->low, from->low);
    mpfr_swap(to->high, from->high);
}

static bool is_finite(const struct real *x) {
    return x->kind == REAL_ZERO || x->kind == REAL_FINITE;
}

static bool is_minus_infinity(const struct real *x) {
    return x->kind == REAL_INFINITE && x->negative;
}

static bool is_larger(struct gradient *gradient, uint64_t i, uint64_t than) {
    real_to_mpfr(gradient->a, &gradient->x[i]);
    real_to_mpfr(gradient->b, &gradient->x[than]);
    return mpfr_cmp(gradient->a, gradient->b) > 0;
}

/* power = e^(x[i] - x[k]). */
static void find_power(struct gradient *gradient, uint64_t i, uint64_t k) {
    real_to_mpfr(gradient->a, &gradient->x[i]);
    real_to_mpfr(gradient->b, &gradient->x[k]);
    interval_power(&gradient->power, &gradient->other, gradient->a, gradient->b);
}

/* Prefix i from the one before. */
static void find_prefix(struct gradient *gradient, uint64_t i, mpfr_prec_t bits) {
    struct prefix *now = &gradient->prefixes[i], *before = i ? now - 1 : NULL;
    const struct real *x = &gradient->x[i];
    reset(&now->sum, bits);
    now->largest = before ? before->largest : 0;
    now->is_finite = (before && before->is_finite) || is_finite(x);
    now->nan = (before && before->nan) || !(is_finite(x) || is_minus_infinity(x));
    if (before) {
        mpfr_set(now->sum.low, before->sum.low, MPFR_RNDD);
        mpfr_set(now->sum.high, before->sum.high, MPFR_RNDU);
    }
    if (!is_finite(x))
        return;
    if (!before || !before->is_finite) {
        now->largest = i;
    } else if (is_larger(gradient, i, before->largest)) {
        find_power(gradient, before->largest, i);
        interval_multiply(&gradient->term, &now->sum, &gradient->power);
        take(&now->sum, &gradient->term);
        now->largest = i;
    }
    find_power(gradient, i, now->largest);
    interval_add(&gradient->term, &now->sum, &gradient->power);
    take(&now->sum, &gradient->term);
}

/* The terms from number j on: r is over e^x[base]. */
static void step(struct gradient *gradient, uint64_t j) {
    const struct real *g = &gradient->g[j];
    const struct prefix *prefix = &gradient->prefixes[j];
    gradient->nan = gradient->nan || g->kind == REAL_NAN || prefix->nan;
    gradient->infinite[g->negative] |= g->kind == REAL_INFINITE;
    if (g->kind != REAL_FINITE || !prefix->is_finite)
        return;
    if (gradient->has_terms && prefix->largest != gradient->base) {
        find_power(gradient, prefix->largest, gradient->base);
        for (int part = PLUS; part <= MINUS; part++) {
            interval_multiply(&gradient->term, &gradient->parts[part], &gradient->power);
            take(&gradient->parts[part], &gradient->term);
        }
    }
    gradient->has_terms = true;
    gradient->base = prefix->largest;
    real_to_mpfr(gradient->a, g);
    mpfr_abs(gradient->a, gradient->a, MPFR_RNDN);
    interval_set(&gradient->other, gradient->a);
    interval_divide(&gradient->term, &gradient->other, &prefix->sum);
    interval_add(&gradient->other, &gradient->parts[g->negative], &gradient->term);
    take(&gradient->parts[g->negative], &gradient->other);
}

/* One result where it needs no enclosure. */
static bool decide(const struct gradient *gradient, uint64_t i, struct real *y) {
    *y = real_zero(false);
    if (i >= gradient->count || is_minus_infinity(&gradient->x[i]))
        return true;
    if (gradient->nan || (gradient->infinite[PLUS] && gradient->infinite[MINUS]))
        *y = real_nan();
    else if (gradient->infinite[PLUS] || gradient->infinite[MINUS])
        *y = real_infinity(gradient->infinite[MINUS]);
    else
        return !gradient->has_terms;
    return true;
}

/* The sign of a result that no precision tells from 0: *is_decided where that is too small for any
 * format, and not just for these bits. */
static bool decide_tiny(struct gradient *gradient, uint64_t i, bool *negative, bool *is_decided,
                        struct error *error) {
    int side = 0, beyond = 0;
    mpfr_set_zero(gradient->a, 1);
    if (!identity_side(&gradient->identity, i, gradient->a, &side, error))
        return false;
    *negative = side < 0;
    mpfr_set_si_2exp(gradient->a, side, -INTERVAL_DECIDED_BY_SIZE, MPFR_RNDN);
    if (!identity_side(&gradient->identity, i, gradient->a, &beyond, error))
        return false;
    *is_decided = beyond != side;
    return true;
}

/* Whether a result is just the number of few bits in its enclosure, or beside it by less than any
 * precision tells: `truncated` has the number without its sign, and then the result, cut. */
static bool decide_beside(struct gradient *gradient, uint64_t i, bool *negative, int *ternary,
                          bool *is_decided, struct error *error) {
    int side = 0;
    mpfr_setsign(gradient->a, gradient->truncated, *negative, MPFR_RNDN);
    *ternary = 0;
    if (!identity_holds(&gradient->identity, i, gradient->a, is_decided, error))
        return false;
    if (*is_decided || gradient->bits < BITS_FOR_SIDES)
        return true;
    *ternary = 1;
    if (mpfr_zero_p(gradient->truncated))
        return decide_tiny(gradient, i, negative, is_decided, error);
    if (!identity_side(&gradient->identity, i, gradient->a, &side, error))
        return false;
    *is_decided = true;
    if (side == (*negative ? 1 : -1))
        mpfr_nextbelow(gradient->truncated);
    return true;
}

/* e^(x[i] - m[i]) r[i], if that is decided. */
static bool find_result(struct gradient *gradient, uint64_t i, struct real *y, bool *is_decided,
                        struct error *error) {
    struct interval *r = &gradient->term, *product = &gradient->other;
    const struct interval *parts = gradient->parts;
    int ternary = 1;
    find_power(gradient, i, gradient->base);
    mpfr_sub(r->low, parts[PLUS].low, parts[MINUS].high, MPFR_RNDD);
    mpfr_sub(r->high, parts[PLUS].high, parts[MINUS].low, MPFR_RNDU);
    bool negative = mpfr_sgn(r->high) <= 0, has_zero = mpfr_sgn(r->low) <= 0 && !negative;
    if (negative) {
        mpfr_swap(r->low, r->high);
        mpfr_neg(r->low, r->low, MPFR_RNDN);
        mpfr_neg(r->high, r->high, MPFR_RNDN);
    }
    has_zero = has_zero || mpfr_sgn(r->low) <= 0;
    interval_multiply(product, &gradient->power, r);
    *is_decided = !has_zero && interval_truncate(product, gradient->truncated, gradient->scratch);
    if (has_zero)
        mpfr_set_zero(gradient->truncated, 1);
    else if (!*is_decided)
        mpfr_set(gradient->truncated, product->low, MPFR_RNDN);
    bool is_candidate = has_zero || (mpfr_cmp(gradient->truncated, product->low) >= 0 &&
                                     mpfr_cmp(gradient->truncated, product->high) <= 0);
    if (!*is_decided && is_candidate &&
        !decide_beside(gradient, i, &negative, &ternary, is_decided, error))
        return false;
    mpfr_setsign(gradient->truncated, gradient->truncated, negative, MPFR_RNDN);
    *y = real_from_mpfr(gradient->truncated, ternary);
    if (ternary == 0 && mpfr_zero_p(gradient->truncated))
        *y = (struct real){.kind = REAL_ZERO, .cancelled = true};
    return true;
}

/* All results of a slice at one precision; *are_decided tells whether that did. */
static bool results(struct gradient *gradient, mpfr_prec_t bits, const struct slices *slices,
                    bool reverse, struct real *y, bool *are_decided, struct error *error) {
    struct interval *all[] = {&gradient->power, &gradient->term, &gradient->other,
                              &gradient->parts[PLUS], &gradient->parts[MINUS]};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        reset(all[k], bits);
    for (uint64_t i = 0; i < gradient->count; i++)
        find_prefix(gradient, i, bits);
    *are_decided = true;
    gradient->nan = gradient->infinite[PLUS] = gradient->infinite[MINUS] = false;
    gradient->has_terms = false;
    gradient->bits = bits;
    for (uint64_t i = slices->length; *are_decided && i-- > 0;) {
        uint64_t place = reverse ? slices->length - 1 - i : i;
        struct real *result = &y[place * slices->stride];
        if (i < gradient->count)
            step(gradient, i);
        if (!decide(gradient, i, result) && !find_result(gradient, i, result, are_decided, error))
            return false;
    }
    return true;
}

static void load(struct gradient *gradient, const struct array_call *call,
                 const struct slices *slices, uint64_t slice) {
    const struct format *format = call->results[0].format;
    uint64_t skip = slices->length - gradient->count;
    slice_load(call, 0, slices, slice, gradient->codes);
    for (uint64_t i = 0; i < gradient->count; i++)
        gradient->x[i] = format_decode(format, gradient->codes[i]);
    const bool of_sum = call->rule->operand_shapes == shapes_given_reduced;
    if (of_sum) { /* of the scan's last element alone: the others are zeros, which e8m0 has not */
        gradient->codes[slices->length - 1] = element_load(&call->operands[1], format, slice);
    } else {
        slice_load(call, 1, slices, slice, gradient->codes);
    }
    for (uint64_t i = 0; i < gradient->count; i++)
        gradient->g[i] = of_sum && i + 1 < slices->length
                             ? real_zero(false)
                             : format_decode(format, gradient->codes[i + skip]);
    identity_forget(&gradient->identity);
}

static bool open_gradient(struct gradient *gradient, uint64_t length, uint64_t skip, int precision,
                          struct error *error) {
    *gradient = (struct gradient){.count = length - skip,
                                  .precision = precision,
                                  .codes = calloc(length, sizeof(uint64_t)),
                                  .x = calloc(length, sizeof(struct real)),
                                  .g = calloc(length, sizeof(struct real)),
                                  .prefixes = calloc(length, sizeof(struct prefix))};
    struct interval *all[] = {&gradient->power, &gradient->term, &gradient->other,
                              &gradient->parts[PLUS], &gradient->parts[MINUS]};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        open_interval(all[k]);
    mpfr_inits2(128, gradient->a, gradient->b, (mpfr_ptr)0);
    mpfr_inits2(precision, gradient->truncated, gradient->scratch, (mpfr_ptr)0);
    for (uint64_t i = 0; gradient->prefixes && i < length; i++)
        open_interval(&gradient->prefixes[i].sum);
    identity_open(&gradient->identity, gradient->x, gradient->g, gradient->count);
    return (gradient->codes && gradient->x && gradient->g && gradient->prefixes) ||
           error_set(error, "out of memory");
}

static void close_gradient(struct gradient *gradient, uint64_t length) {
    struct interval *all[] = {&gradient->power, &gradient->term, &gradient->other,
                              &gradient->parts[PLUS], &gradient->parts[MINUS]};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        close_interval(all[k]);
    mpfr_clears(gradient->a, gradient->b, gradient->truncated, gradient->scratch, (mpfr_ptr)0);
    for (uint64_t i = 0; gradient->prefixes && i < length; i++)
        close_interval(&gradient->prefixes[i].sum);
    identity_close(&gradient->identity);
    free(gradient->codes);
    free(gradient->x);
    free(gradient->g);
    free(gradient->prefixes);
}

bool exact_gradient(const struct array_call *call, int result, int precision, struct real *y,
                    struct error *error) {
    struct slices slices = slices_of(call);
    bool reverse = parameter_flag(call->parameters, PARAMETER_REVERSE);
    uint64_t skip = parameter_flag(call->parameters, PARAMETER_EXCLUSIVE);
    struct gradient gradient;
    bool done = open_gradient(&gradient, slices.length, skip, precision, error);
    (void)result;
    for (uint64_t slice = 0; done && slice < slices.count; slice++) {
        mpfr_prec_t bits = precision + FIRST_GUARD_BITS;
        bool are_decided = false;
        load(&gradient, call, &slices, slice);
        for (; done && !are_decided && bits <= ENCLOSE_MOST_BITS; bits *= 2)
            done = results(&gradient, bits, &slices, reverse, &y[slice_start(&slices, slice)],
                           &are_decided, error);
        if (done && !are_decided)
            done = error_set(error,
                             "the oracle cannot decide slice %llu of this array within %d bits; "
                             "please report it",
                             (unsigned long long)slice, ENCLOSE_MOST_BITS);
    }
    close_gradient(&gradient, slices.length);
    return done;
}

/* det: results that are rounded to odd serve every format that fp32 holds. */
bool run_gradient(const struct array_call *call, const struct array_algorithm *algorithm,
                  struct error *error) {
    const struct array *result = &call->results[0];
    const struct slices slices = slices_of(call);
    const size_t n = (size_t)slices.length, bytes = format_bytes(result->format);
    const int cast = least_accumulation(result->format)->width == 64 ? DETMATH_F64 : DETMATH_F32;
    uint64_t *codes = calloc(n, sizeof *codes);
    double *numbers = calloc(3 * n, sizeof *numbers);
    struct detmath_log_prefix *prefixes = calloc(n, sizeof *prefixes);
    const struct detmath_line lines[] = {{numbers, 1, DETMATH_F64, cast},
                                         {numbers + n, 1, DETMATH_F64, cast}};
    const struct detmath_line_out to = {numbers + 2 * n, 1, DETMATH_F64};
    bool has_memory = codes && numbers && prefixes;
    (void)algorithm;
    for (uint64_t slice = 0; has_memory && slice < slices.count; slice++) {
        for (int k = 0; k < 2; k++) {
            slice_load(call, k, &slices, slice, codes);
            for (size_t i = 0; i < n; i++)
                code_store(numbers + (size_t)k * n, sizeof *numbers, i,
                           element_cast(result->format, &formats[FORMAT_FP64], codes[i]));
        }
        detmath_reductions()->logcumsumexp_gradient(
            &to, &lines[0], &lines[1], n, parameter_flag(call->parameters, PARAMETER_EXCLUSIVE),
            prefixes);
        for (size_t i = 0; i < n; i++) {
            struct real value = real_from_double(numbers[2 * n + i]);
            code_store(result->codes, bytes, (size_t)slice_place(&slices, slice, i),
                       format_encode(result->format, &value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
        }
    }
    free(codes);
    free(numbers);
    free(prefixes);
    return has_memory || error_set(error, "out of memory");
}
