/* The composite functions straight from their textbook formulas, at so many bits that cancellation
 * does not matter, and their limits with the side they are approached from where it would.
 *
 * Beyond `tail` the distance to the limit is less than any rounding to the format can see, and
 * nonzero; within it, e^-|x| is far larger than an ulp of the working precision. */
#ifndef DETCHECK_TESTS_ORACLE_TEXTBOOK_H
#define DETCHECK_TESTS_ORACLE_TEXTBOOK_H

#include "../base/random.h"
#include "../format/layout.h"
#include "op/operation.h"
#include "oracle/exact.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* What a function tends to: just above or below this. */
enum limit { ABOVE_ZERO, BELOW_ZERO, BELOW_ONE, ABOVE_X, BELOW_X };

/* Working precision, and how far out e^-x, e^(-x^2/2) and e^(-x^3/14) are followed, by format. */
struct reach {
    int layout;
    mpfr_prec_t bits;
    double exponential, normal, cubic;
};

static const struct reach reach_fp16 = {4, 640, 40, 10, 10};
static const struct reach reach_bf16 = {5, 800, 130, 18, 14};
static const struct reach reach_fp32 = {LAYOUT_FP32, 800, 130, 18, 14};
static const struct reach reach_fp64 = {LAYOUT_FP64, 2500, 800, 50, 25};

/* (1 + tanh(x/2)) / 2 */
static inline void textbook_sigmoid(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_div_2ui(y, x, 1, MPFR_RNDN);
    mpfr_tanh(y, y, MPFR_RNDN);
    mpfr_add_ui(y, y, 1, MPFR_RNDN);
    mpfr_div_2ui(y, y, 1, MPFR_RNDN);
}

static inline void textbook_silu(mpfr_ptr y, mpfr_srcptr x) {
    textbook_sigmoid(y, x);
    mpfr_mul(y, y, x, MPFR_RNDN);
}

/* log(1 + e^x) */
static inline void textbook_softplus(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_exp(y, x, MPFR_RNDN);
    mpfr_add_ui(y, y, 1, MPFR_RNDN);
    mpfr_log(y, y, MPFR_RNDN);
}

/* log(sigmoid(x)) */
static inline void textbook_logsigmoid(mpfr_ptr y, mpfr_srcptr x) {
    textbook_sigmoid(y, x);
    mpfr_log(y, y, MPFR_RNDN);
}

/* x * tanh(softplus(x)) */
static inline void textbook_mish(mpfr_ptr y, mpfr_srcptr x) {
    textbook_softplus(y, x);
    mpfr_tanh(y, y, MPFR_RNDN);
    mpfr_mul(y, y, x, MPFR_RNDN);
}

/* x/2 (1 + erf(x / sqrt 2)) */
static inline void textbook_gelu(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_sqrt_ui(y, 2, MPFR_RNDN);
    mpfr_div(y, x, y, MPFR_RNDN);
    mpfr_erf(y, y, MPFR_RNDN);
    mpfr_add_ui(y, y, 1, MPFR_RNDN);
    mpfr_mul(y, y, x, MPFR_RNDN);
    mpfr_div_2ui(y, y, 1, MPFR_RNDN);
}

/* x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
static inline void textbook_gelu_tanh(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_t scale;
    mpfr_init2(scale, mpfr_get_prec(y));
    mpfr_set_str(scale, "0.044715", 10, MPFR_RNDN);
    mpfr_pow_ui(y, x, 3, MPFR_RNDN);
    mpfr_mul(y, y, scale, MPFR_RNDN);
    mpfr_add(y, y, x, MPFR_RNDN);
    mpfr_const_pi(scale, MPFR_RNDN);
    mpfr_ui_div(scale, 2, scale, MPFR_RNDN);
    mpfr_sqrt(scale, scale, MPFR_RNDN);
    mpfr_mul(y, y, scale, MPFR_RNDN);
    mpfr_tanh(y, y, MPFR_RNDN);
    mpfr_add_ui(y, y, 1, MPFR_RNDN);
    mpfr_mul(y, y, x, MPFR_RNDN);
    mpfr_div_2ui(y, y, 1, MPFR_RNDN);
    mpfr_clear(scale);
}

struct textbook {
    const char *operation;
    void (*formula)(mpfr_ptr y, mpfr_srcptr x);
    enum { EXPONENTIAL, NORMAL, CUBIC } tail;
    enum limit below, above;
};

static const struct textbook textbooks[] = {
    {"sigmoid", textbook_sigmoid, EXPONENTIAL, ABOVE_ZERO, BELOW_ONE},
    {"softplus", textbook_softplus, EXPONENTIAL, ABOVE_ZERO, ABOVE_X},
    {"logsigmoid", textbook_logsigmoid, EXPONENTIAL, BELOW_X, BELOW_ZERO},
    {"silu", textbook_silu, EXPONENTIAL, BELOW_ZERO, BELOW_X},
    {"mish", textbook_mish, EXPONENTIAL, BELOW_ZERO, BELOW_X},
    {"gelu", textbook_gelu, NORMAL, BELOW_ZERO, BELOW_X},
    {"gelu_tanh", textbook_gelu_tanh, CUBIC, BELOW_ZERO, BELOW_X},
};
enum { TEXTBOOKS = sizeof textbooks / sizeof *textbooks };

static inline void approach(mpfr_ptr y, mpfr_srcptr x, enum limit limit) {
    mpfr_set(y, x, MPFR_RNDN);
    if (limit == ABOVE_ZERO || limit == BELOW_ZERO)
        mpfr_set_zero(y, 1);
    if (limit == BELOW_ONE)
        mpfr_set_ui(y, 1, MPFR_RNDN);
    if (limit == ABOVE_ZERO || limit == ABOVE_X)
        mpfr_nextabove(y);
    else
        mpfr_nextbelow(y);
}

/* y at the precision that it has; x is finite and not zero. */
static inline void textbook_value(mpfr_ptr y, mpfr_srcptr x, const struct textbook *textbook,
                                  const struct reach *reach) {
    double end = textbook->tail == EXPONENTIAL ? reach->exponential
                 : textbook->tail == NORMAL    ? reach->normal
                                               : reach->cubic;
    if (mpfr_cmp_d(x, end) > 0)
        approach(y, x, textbook->above);
    else if (mpfr_cmp_d(x, -end) < 0)
        approach(y, x, textbook->below);
    else
        textbook->formula(y, x);
}

/* An oracle beside a reference that wants MPFR's exponent range for itself. */
struct contest {
    struct oracle oracle;
    const struct layout *layout;
    mpfr_exp_t oracle_emin, oracle_emax;
    mpfr_t x[2], y;
};

static inline void contest_open(struct contest *contest, const char *operation,
                                const struct reach *reach) {
    struct error error;
    contest->layout = &layouts[reach->layout];
    const struct format *format = layout_format(contest->layout);
    oracle_open(&contest->oracle, operation_find(operation, &error), format, NULL,
                oracle_precision(format));
    contest->oracle_emin = mpfr_get_emin();
    contest->oracle_emax = mpfr_get_emax();
    mpfr_inits2(53, contest->x[0], contest->x[1], (mpfr_ptr)0);
    mpfr_init2(contest->y, reach->bits);
}

static inline void contest_close(struct contest *contest) {
    oracle_close(&contest->oracle);
    mpfr_clears(contest->x[0], contest->x[1], contest->y, (mpfr_ptr)0);
    oracle_thread_end();
}

static inline void contest_reference_range(void) {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
}

/* Compares the oracle at these codes with contest->y, in all directions. */
static inline void contest_check(struct contest *contest, const uint64_t *codes) {
    const struct format *format = contest->oracle.format;
    struct real y;
    struct error error;
    uint64_t want[ROUNDING_COUNT];
    for (enum rounding r = 0; r < ROUNDING_COUNT; r++)
        want[r] = format_encode_mpfr(format, contest->y, r, OVERFLOW_IEEE);
    mpfr_set_emin(contest->oracle_emin);
    mpfr_set_emax(contest->oracle_emax);
    if (!oracle_exact(&contest->oracle, codes, 0, &y, &error))
        fail_msg("%s", error.text);
    for (enum rounding r = 0; r < ROUNDING_COUNT; r++) {
        uint64_t got = format_encode(format, &y, r, OVERFLOW_IEEE);
        if (got != want[r])
            fail_msg("%s(0x%" PRIx64 ", 0x%" PRIx64 ") in %s %s: 0x%" PRIx64 ", not 0x%" PRIx64,
                     contest->oracle.operation->name, codes[0],
                     contest->oracle.operation->operands > 1 ? codes[1] : 0, format->name,
                     rounding_names[r], got, want[r]);
    }
}

static inline double contest_value(const struct contest *contest, uint64_t code) {
    return layout_value(contest->layout, code);
}

/* A code of bf16 (truncated), fp32 or fp64 at or next to x. */
static inline uint64_t code_near(const struct layout *layout, double x) {
    if (layout->fraction_bits == 52)
        return code_of_double(x);
    return layout->fraction_bits == 23 ? code_of_float((float)x) : code_of_float((float)x) >> 16;
}

#endif
