/* The oracle against a reference value of many bits: the bits that the oracle keeps, whether more
 * follow, and the rounding in all directions. */
#ifndef DETCHECK_TESTS_ORACLE_DUEL_H
#define DETCHECK_TESTS_ORACLE_DUEL_H

#include "../base/random.h"
#include "../format/layout.h"
#include "op/operation.h"
#include "oracle/exact.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

struct duel {
    struct oracle oracle;
    const struct layout *layout;
    mpfr_exp_t oracle_emin, oracle_emax;
    mpfr_t x[2]; /* the operands, for the reference */
    mpfr_t y;    /* what it comes to */
};

static inline void duel_open(struct duel *duel, const char *operation,
                             const struct layout *layout) {
    struct error error;
    const struct format *format = layout_format(layout);
    *duel = (struct duel){.layout = layout};
    oracle_open(&duel->oracle, operation_find(operation, &error), format, NULL,
                oracle_precision(format));
    duel->oracle_emin = mpfr_get_emin();
    duel->oracle_emax = mpfr_get_emax();
    mpfr_inits2(53, duel->x[0], duel->x[1], duel->y, (mpfr_ptr)0);
}

static inline void duel_close(struct duel *duel) {
    oracle_close(&duel->oracle);
    mpfr_clears(duel->x[0], duel->x[1], duel->y, (mpfr_ptr)0);
    oracle_thread_end();
}

/* Gives the reference all of MPFR's exponents and `bits` of precision. */
static inline void duel_begin(struct duel *duel, int bits) {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_set_prec(duel->y, bits);
}

/* Makes an exact result exact again: where the reference agrees with a number of 200 bits in all
 * but its last `loss` bits, it is that number. Results that are not exact differ from all such
 * numbers far earlier, by the choice of the working precision. */
static inline void duel_snap(struct duel *duel, int loss) {
    mpfr_exp_t least = (mpfr_exp_t)mpfr_get_prec(duel->y) - loss;
    if (!mpfr_regular_p(duel->y))
        return;
    mpfr_t near, difference;
    mpfr_init2(near, 200);
    mpfr_init2(difference, 53);
    mpfr_set(near, duel->y, MPFR_RNDN);
    mpfr_sub(difference, duel->y, near, MPFR_RNDN);
    if (mpfr_regular_p(difference) && mpfr_get_exp(difference) < mpfr_get_exp(duel->y) - least)
        mpfr_set(duel->y, near, MPFR_RNDN);
    mpfr_clears(near, difference, (mpfr_ptr)0);
}

static inline bool duel_same_real(const struct duel *duel, const struct real *got) {
    mpfr_t truncated;
    mpfr_init2(truncated, duel->oracle.precision);
    int ternary = mpfr_set(truncated, duel->y, MPFR_RNDZ);
    struct real want = real_from_mpfr(truncated, ternary);
    mpfr_clear(truncated);
    if (got->kind != want.kind)
        return false;
    if (want.kind == REAL_NAN)
        return true;
    if (got->negative != want.negative || want.kind != REAL_FINITE)
        return got->negative == want.negative;
    /* Far beyond every format only the size counts. */
    const int far = INTERVAL_DECIDED_BY_SIZE - 2;
    if (abs(want.exponent) > far)
        return abs(got->exponent) > far && (got->exponent > 0) == (want.exponent > 0);
    return got->exponent == want.exponent && got->inexact == want.inexact &&
           wide_compare(got->significand, want.significand) == 0;
}

/* Holds the oracle's result at these codes against duel->y. */
static inline void duel_check(struct duel *duel, const uint64_t *codes, int result) {
    const struct format *format = duel->oracle.format;
    const char *name = duel->oracle.operation->name;
    uint64_t second = duel->oracle.operation->operands > 1 ? codes[1] : 0;
    struct real got;
    struct error error;
    uint64_t want[ROUNDING_COUNT];
    for (enum rounding r = 0; r < ROUNDING_COUNT; r++)
        want[r] = format_encode_mpfr(format, duel->y, r, OVERFLOW_IEEE);
    bool same = false;
    mpfr_set_emin(duel->oracle_emin);
    mpfr_set_emax(duel->oracle_emax);
    if (!oracle_exact(&duel->oracle, codes, result, &got, &error))
        fail_msg("%s", error.text);
    same = duel_same_real(duel, &got);
    if (!same)
        fail_msg("%s(0x%" PRIx64 ", 0x%" PRIx64 ") in %s: the bits kept differ", name, codes[0],
                 second, format->name);
    for (enum rounding r = 0; r < ROUNDING_COUNT; r++)
        if (format_encode(format, &got, r, OVERFLOW_IEEE) != want[r])
            fail_msg("%s(0x%" PRIx64 ", 0x%" PRIx64 ") in %s %s is not 0x%" PRIx64, name, codes[0],
                     second, format->name, rounding_names[r], want[r]);
}

/* Mostly numbers of ordinary size, some of any exponent that the format has, and some of few bits,
 * where results are exact or nearly so. */
static inline double duel_sample(const struct layout *layout, uint64_t *seed) {
    double x = 1 + (double)(random_bits(seed) >> 12) * 0x1p-52;
    int range = (1 << (layout->exponent_bits - 1)) - 2;
    uint64_t kind = random_bits(seed) % 8;
    if (kind < 2)
        x = 1 + random_between(seed, 0, 15) / 16.0;
    if (kind == 2)
        x = 1 + ldexp(random_between(seed, -3, 3), -(int)layout->fraction_bits);
    int exponent = kind == 7   ? random_between(seed, -range, range)
                   : kind == 6 ? random_between(seed, -range / 8 - 4, range / 8 + 4)
                               : random_between(seed, -6, 6);
    return ldexp(random_bits(seed) & 1 ? -x : x, exponent);
}

static inline uint64_t duel_code(const struct layout *layout, double x) {
    struct real real = exact_real(x);
    return format_encode(layout_format(layout), &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

#endif
