/* Sums of exponentials, enclosed in intervals whose precision is raised until every result
 * truncates.
 *
 * With the largest operand m and t, the sum of e^(x - m) over all the others, logsumexp is
 * m + ln(1 + t), softmax e^(x - m) / (1 + t), log_softmax (x - m) - ln(1 + t). By the theorem of
 * Lindemann and Weierstrass none of these is a binary fraction but where
 *   - one operand alone is finite (and the others -inf): the results are m, 1 and 0;
 *   - all finite operands of a softmax are equal, n of them: the results are 1 / n. */
#include "op/array/exponentials.h"

#include "op/array/rows.h"
#include "op/array/slices.h"
#include "op/function/interval.h"

#include <stdlib.h>

enum { FIRST_GUARD_BITS = 48, PRECISION_CAP = 1 << 16 };

/* Of the operands met so far: NaN, infinities, the largest, and t. */
struct exponentials {
    mpfr_t largest;     /* exact */
    uint64_t finite;    /* how many operands are finite */
    bool nan, infinite; /* +inf was met */
    bool equal;         /* all finite ones so far are the largest */
    struct interval t;
    struct interval difference, power, other;
};

struct exponential_slice {
    const struct array_call *call;
    struct slices slices;
    uint64_t *codes;
    int precision; /* of the results */
    mpfr_t x;      /* exact */
    mpfr_t truncated, scratch;
    struct exponentials sums;
};

static void interval_open(struct interval *interval) {
    mpfr_init2(interval->low, 64);
    mpfr_init2(interval->high, 64);
}

static void interval_close(struct interval *interval) {
    mpfr_clear(interval->low);
    mpfr_clear(interval->high);
}

static void interval_precision(struct interval *interval, mpfr_prec_t precision) {
    mpfr_set_prec(interval->low, precision);
    mpfr_set_prec(interval->high, precision);
}

static void sums_reset(struct exponentials *sums, mpfr_prec_t precision) {
    interval_precision(&sums->t, precision);
    interval_precision(&sums->difference, precision);
    interval_precision(&sums->power, precision);
    interval_precision(&sums->other, precision);
    mpfr_set_zero(sums->t.low, 1);
    mpfr_set_zero(sums->t.high, 1);
    sums->finite = 0;
    sums->nan = sums->infinite = false;
    sums->equal = true;
}

static bool open_slice(struct exponential_slice *slice, const struct array_call *call,
                       int precision, struct error *error) {
    const struct format *format = call->results[0].format;
    bool last = call->rule->which == ARRAY_SOFTMAX || call->rule->which == ARRAY_LOG_SOFTMAX;
    *slice = (struct exponential_slice){
        .call = call, .slices = slices_of(call, last), .precision = precision};
    slice->codes = calloc(slice->slices.length, sizeof *slice->codes);
    mpfr_init2(slice->x, format->precision);
    mpfr_init2(slice->sums.largest, format->precision);
    mpfr_init2(slice->truncated, precision);
    mpfr_init2(slice->scratch, precision);
    interval_open(&slice->sums.t);
    interval_open(&slice->sums.difference);
    interval_open(&slice->sums.power);
    interval_open(&slice->sums.other);
    return slice->codes || error_set(error, "out of memory");
}

static void close_slice(struct exponential_slice *slice) {
    mpfr_clear(slice->x);
    mpfr_clear(slice->sums.largest);
    mpfr_clear(slice->truncated);
    mpfr_clear(slice->scratch);
    interval_close(&slice->sums.t);
    interval_close(&slice->sums.difference);
    interval_close(&slice->sums.power);
    interval_close(&slice->sums.other);
    free(slice->codes);
}

/* The next operand. */
static void sums_add(struct exponential_slice *slice, uint64_t code) {
    struct exponentials *sums = &slice->sums;
    struct real value = format_decode(slice->call->results[0].format, code);
    sums->nan = sums->nan || value.kind == REAL_NAN;
    sums->infinite = sums->infinite || (value.kind == REAL_INFINITE && !value.negative);
    if (value.kind == REAL_NAN || value.kind == REAL_INFINITE)
        return;
    real_to_mpfr(slice->x, &value);
    if (sums->finite++ == 0) {
        mpfr_set(sums->largest, slice->x, MPFR_RNDN);
        return;
    }
    int order = mpfr_cmp(slice->x, sums->largest);
    sums->equal = sums->equal && order == 0;
    if (order <= 0) {
        interval_power(&sums->power, &sums->difference, slice->x, sums->largest);
        mpfr_add(sums->t.low, sums->t.low, sums->power.low, MPFR_RNDD);
        mpfr_add(sums->t.high, sums->t.high, sums->power.high, MPFR_RNDU);
        return;
    }
    interval_power(&sums->power, &sums->difference, sums->largest, slice->x);
    interval_add_integer(&sums->other, &sums->t, 1);
    interval_multiply(&sums->t, &sums->other, &sums->power);
    mpfr_set(sums->largest, slice->x, MPFR_RNDN);
}

/* The exact value in the enclosure, if that decides it. */
static bool truncates(struct exponential_slice *slice, const struct interval *y,
                      struct real *value) {
    if (!interval_truncate(y, slice->truncated, slice->scratch))
        return false;
    *value = real_from_mpfr(slice->truncated, 1);
    return true;
}

static struct real exactly(struct exponential_slice *slice, mpfr_srcptr x) {
    if (mpfr_zero_p(x))
        return real_zero(false); /* ln(e^-0) = ln 1 */
    return real_from_mpfr(x, mpfr_set(slice->truncated, x, MPFR_RNDZ));
}

/* m + ln(1 + t). */
static bool log_of_sums(struct exponential_slice *slice, struct real *y) {
    struct exponentials *sums = &slice->sums;
    if (sums->nan) {
        *y = real_nan();
        return true;
    }
    if (sums->infinite || sums->finite == 0) {
        *y = real_infinity(!sums->infinite);
        return true;
    }
    if (sums->finite == 1) {
        *y = exactly(slice, sums->largest);
        return true;
    }
    interval_increasing(&sums->power, mpfr_log1p, &sums->t);
    interval_set(&sums->difference, sums->largest);
    interval_add(&sums->other, &sums->difference, &sums->power);
    return truncates(slice, &sums->other, y);
}

/* Element i of a softmax (or its logarithm) once the sums are those of the whole slice. */
static bool share_of_sums(struct exponential_slice *slice, uint64_t code, bool logarithm,
                          struct real *y) {
    struct exponentials *sums = &slice->sums;
    struct real value = format_decode(slice->call->results[0].format, code);
    if (sums->nan || sums->infinite || sums->finite == 0) {
        *y = real_nan();
        return true;
    }
    if (value.kind == REAL_INFINITE) {
        *y = logarithm ? real_infinity(true) : real_zero(false);
        return true;
    }
    if (sums->finite == 1 && logarithm) {
        *y = real_zero(false);
        return true;
    }
    if (sums->equal && !logarithm) {
        mpfr_set_ui(slice->scratch, 1, MPFR_RNDN);
        *y = real_from_mpfr(slice->truncated,
                            mpfr_div_ui(slice->truncated, slice->scratch, sums->finite, MPFR_RNDZ));
        return true;
    }
    real_to_mpfr(slice->x, &value);
    if (logarithm) {
        interval_increasing(&sums->power, mpfr_log1p, &sums->t);
        mpfr_sub(sums->difference.low, slice->x, sums->largest, MPFR_RNDD);
        mpfr_sub(sums->difference.high, slice->x, sums->largest, MPFR_RNDU);
        mpfr_sub(sums->other.low, sums->difference.low, sums->power.high, MPFR_RNDD);
        mpfr_sub(sums->other.high, sums->difference.high, sums->power.low, MPFR_RNDU);
        return truncates(slice, &sums->other, y);
    }
    interval_power(&sums->power, &sums->difference, slice->x, sums->largest);
    interval_add_integer(&sums->difference, &sums->t, 1);
    interval_divide(&sums->other, &sums->power, &sums->difference);
    return truncates(slice, &sums->other, y);
}

/* The results of one slice from its sums, at one precision; false where that does not do. */
typedef bool slice_results(struct exponential_slice *slice, uint64_t start, struct real *y);

static bool results_logsumexp(struct exponential_slice *slice, uint64_t index, struct real *y) {
    for (uint64_t i = 0; i < slice->slices.length; i++)
        sums_add(slice, slice->codes[i]);
    return log_of_sums(slice, &y[index]);
}

static bool results_logcumsumexp(struct exponential_slice *slice, uint64_t index, struct real *y) {
    bool exclusive = parameter_flag(slice->call->parameters, PARAMETER_EXCLUSIVE);
    bool reverse = parameter_flag(slice->call->parameters, PARAMETER_REVERSE);
    uint64_t length = slice->slices.length, start = slice_start(&slice->slices, index);
    for (uint64_t i = 0; i < length; i++) {
        uint64_t place = reverse ? length - 1 - i : i;
        if (!exclusive)
            sums_add(slice, slice->codes[i]);
        if (!log_of_sums(slice, &y[start + place * slice->slices.stride]))
            return false;
        if (exclusive)
            sums_add(slice, slice->codes[i]);
    }
    return true;
}

static bool results_shares(struct exponential_slice *slice, uint64_t index, struct real *y) {
    bool logarithm = slice->call->rule->which == ARRAY_LOG_SOFTMAX;
    uint64_t start = slice_start(&slice->slices, index);
    for (uint64_t i = 0; i < slice->slices.length; i++)
        sums_add(slice, slice->codes[i]);
    for (uint64_t i = 0; i < slice->slices.length; i++)
        if (!share_of_sums(slice, slice->codes[i], logarithm, &y[start + i * slice->slices.stride]))
            return false;
    return true;
}

bool exact_exponentials(const struct array_call *call, int result, int precision, struct real *y,
                        struct error *error) {
    slice_results *results = call->rule->which == ARRAY_LOGSUMEXP      ? results_logsumexp
                             : call->rule->which == ARRAY_LOGCUMSUMEXP ? results_logcumsumexp
                                                                       : results_shares;
    struct exponential_slice slice;
    bool done = open_slice(&slice, call, precision, error);
    (void)result;
    for (uint64_t index = 0; done && index < slice.slices.count; index++) {
        mpfr_prec_t bits = precision + FIRST_GUARD_BITS;
        slice_load(call, 0, &slice.slices, index, slice.codes);
        sums_reset(&slice.sums, bits);
        while (!results(&slice, index, y) && bits <= PRECISION_CAP) {
            bits *= 2;
            sums_reset(&slice.sums, bits);
        }
        if (bits > PRECISION_CAP)
            done = error_set(error,
                             "the oracle cannot decide slice %llu of this array within %d bits; "
                             "please report it",
                             (unsigned long long)index, PRECISION_CAP);
    }
    close_slice(&slice);
    return done;
}
