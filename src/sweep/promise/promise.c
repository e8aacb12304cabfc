/* Which piece holds an input, its limit, and tallies. */
#include "sweep/promise/promise.h"

#include "base/bits.h"

#include <math.h>

const char *const promise_kind_names[PROMISE_KINDS] = {[PROMISE_ERROR] = "error",
                                                       [PROMISE_CORRECTLY_ROUNDED] =
                                                           "correctly_rounded",
                                                       [PROMISE_FAITHFUL] = "faithful",
                                                       [PROMISE_ANYTHING] = "anything",
                                                       [PROMISE_SAME_BITS] = "same_bits"};

const char *const promise_class_names[NUMBER_CLASSES] = {[CLASS_ZERO] = "zero",
                                                         [CLASS_SUBNORMAL] = "subnormal",
                                                         [CLASS_NORMAL] = "normal",
                                                         [CLASS_INFINITE] = "infinity",
                                                         [CLASS_NAN] = "nan"};

const char *const promise_acceptance_names[PROMISE_ACCEPTANCES] = {
    [ACCEPT_FLUSHED_INPUTS] = "flushed_inputs", [ACCEPT_FLUSHED_RESULTS] = "flushed_results",
    [ACCEPT_UNDEFINED_NAN] = "undefined_nan",   [ACCEPT_UNDEFINED_INFINITY] = "undefined_infinity",
    [ACCEPT_ZERO_SIGN] = "zero_sign",           [ACCEPT_FLUSHED_ULPS] = "flushed_ulps"};

struct promise_input promise_input_of(const struct format *format, int operands,
                                      const uint64_t *codes) {
    struct promise_input input = {.format = format, .operands = operands, .codes = codes};
    for (int i = 0; i < operands; i++) {
        struct real value = format_decode(format_of_operand(format, i), codes[i]);
        double number = real_to_double(&value);
        input.values[i] = (struct span_of_values){number, number};
    }
    return input;
}

enum holding { HOLDS_NONE, HOLDS_SOME, HOLDS_ALL };

/* Of the values of an operand between two. */
static enum holding holding_of_range(const struct span_of_values *range, double a, double b) {
    double low = a < b ? a : b, high = a < b ? b : a;
    if (isnan(a) != isnan(b))
        return HOLDS_SOME;
    if (low >= range->low && high <= range->high)
        return HOLDS_ALL;
    return high >= range->low && low <= range->high ? HOLDS_SOME : HOLDS_NONE;
}

/* Which of the inputs between two a piece holds. */
static enum holding holding_of(const struct promise_piece *piece, const struct promise_input *first,
                               const struct promise_input *last) {
    enum holding least = HOLDS_ALL;
    for (int i = 0; i < first->operands; i++) {
        enum number_class a = format_classify(first->format, first->codes[i]);
        enum number_class b = format_classify(last->format, last->codes[i]);
        enum holding one = a != b ? HOLDS_SOME : piece->classes >> a & 1 ? HOLDS_ALL : HOLDS_NONE;
        if (piece->classes == ALL_CLASSES)
            one = HOLDS_ALL;
        least = one < least ? one : least;
        one = piece->has_range[i]
                  ? holding_of_range(&piece->range[i], first->values[i].low, last->values[i].low)
                  : HOLDS_ALL;
        least = one < least ? one : least;
    }
    return least;
}

const struct promise_piece *promise_piece_between(const struct promise *promise,
                                                  const struct promise_input *first,
                                                  const struct promise_input *last, bool *uniform) {
    *uniform = true;
    for (size_t i = 0; i < promise->piece_count; i++) {
        enum holding holding = holding_of(&promise->pieces[i], first, last);
        *uniform = holding != HOLDS_SOME;
        if (holding != HOLDS_NONE)
            return &promise->pieces[i];
    }
    return NULL;
}

const struct promise_piece *promise_piece_of(const struct promise *promise,
                                             const struct promise_input *input) {
    bool uniform;
    return promise_piece_between(promise, input, input, &uniform);
}

/* ldexp, which is exact or goes to 0 or infinity: never the wrong way for a limit of any use. */
static double in_ulps(double absolute, int exponent) {
    return ldexp(absolute, -exponent);
}

static void raise_limit(struct span_of_values *limit, double low, double high) {
    limit->low = low > limit->low ? low : limit->low;
    limit->high = high > limit->high ? high : limit->high;
}

/* What is infinite allows any number, and an exact zero too. */
static double times(double relative, double size) {
    return isinf(relative) ? relative : relative * size;
}

struct span_of_values promise_limit(const struct promise_piece *piece,
                                    const struct span_of_values *operands,
                                    struct ulp_exponents ulp) {
    struct span_of_values limit = {0, 0};
    if (piece->has_ulp) {
        struct span_of_values own = expression_bound(&piece->ulp, operands);
        raise_limit(&limit, own.low, own.high);
    }
    if (piece->has_absolute) {
        struct span_of_values own = expression_bound(&piece->absolute, operands);
        raise_limit(&limit, in_ulps(own.low, ulp.high), in_ulps(own.high, ulp.low));
    }
    if (piece->has_relative) {
        struct span_of_values own = expression_bound(&piece->relative, operands);
        raise_limit(&limit, times(own.low, ulp.size.low), times(own.high, ulp.size.high));
    }
    return limit;
}

/* |y| / ulp(y), where ulp(y) has that exponent: exact, but for y of more than 53 bits, which are rounded. What
 * is beyond the largest finite number counts as 2^(emax + 1). */
static double size_in_ulps(const struct format *format, const struct real *y, int exponent) {
    double most = ldexp(1, format->emax + 1 - exponent);
    if (y->kind == REAL_ZERO || y->kind == REAL_NAN)
        return 0;
    double size = ldexp(ldexp((double)y->significand.high, -63), y->exponent - exponent);
    return y->kind == REAL_FINITE && size < most ? size : most;
}

struct ulp_exponents promise_ulp_of(const struct format *format, const struct real *y) {
    int exponent = format_ulp_exponent(format, y);
    double size = size_in_ulps(format, y, exponent);
    return (struct ulp_exponents){exponent, exponent, {size, size}};
}

struct ulp_exponents promise_ulp_between(const struct format *format, uint64_t least, uint64_t most,
                                         uint64_t reach) {
    struct real low = format_decode(format, least > reach ? least - reach : 0);
    bool top = most >= format->max_finite || format->max_finite - most < reach;
    struct real high = format_decode(format, top ? format->max_finite : most + reach);
    bool low_top = least > format->max_finite;
    int greatest = format->emax - format->precision + 1;
    struct ulp_exponents ulp = {.low = low_top ? greatest : format_ulp_exponent(format, &low),
                                .high = top ? greatest : format_ulp_exponent(format, &high)};
    /* Of numbers of several binades too: a normal one has 2^(p - 1) ulps at least, and none has more than 2^p. */
    double ulps = ldexp(1, format->precision);
    bool normal = low.kind == REAL_FINITE && low.exponent >= format->emin;
    ulp.size.low = fmax(size_in_ulps(format, &low, ulp.high), normal ? ulps / 2 : 0);
    ulp.size.high = top ? ulps : fmin(size_in_ulps(format, &high, ulp.low), ulps);
    return ulp;
}

double promise_excess(double error, double limit) {
    double excess = error / limit;
    if (!(limit > 0) || !(excess < INFINITY))
        return INFINITY;
    return from_bits(bits_of(excess) & ~((UINT64_C(1) << 41) - 1));
}

bool promise_is_worse(const void *unused, const void *one, const void *other) {
    const struct promise_violation *a = one, *b = other;
    (void)unused;
    return a->excess > b->excess ||
           (!(a->excess < b->excess) && witness_is_earlier(&a->witness, &b->witness));
}

void promise_tally_offer(struct promise_tally *tally, const struct promise_violation *violation) {
    if (!tally->has_worst || promise_is_worse(NULL, violation, &tally->worst))
        tally->worst = *violation;
    tally->has_worst = true;
}
