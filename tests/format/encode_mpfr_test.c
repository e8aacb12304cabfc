/* Rounding against MPFR's own emulation of a format: its exponent range set to the format's, then
 * mpfr_check_range and mpfr_subnormalize. It knows only formats with infinity, and no
 * nearest-away. */
#include "../base/random.h"
#include "layout.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { INPUTS = 300000, BITS = 120, WIDE_BITS = 300 };

static const struct {
    mpfr_rnd_t mpfr;
    enum rounding rounding;
} modes[] = {{MPFR_RNDN, ROUND_NEAREST_EVEN},
             {MPFR_RNDZ, ROUND_TOWARD_ZERO},
             {MPFR_RNDU, ROUND_UP},
             {MPFR_RNDD, ROUND_DOWN}};
enum { MODES = 4 };

/* Rounds `value` to the layout as the MPFR manual describes, in its range restored afterwards. */
static double emulate(const struct layout *layout, mpfr_srcptr value, mpfr_rnd_t rounding) {
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_t y;
    mpfr_init2(y, (mpfr_prec_t)layout->fraction_bits + 1);
    int ternary = mpfr_set(y, value, rounding);
    mpfr_set_emin(2 - layout->bias - (int)layout->fraction_bits);
    mpfr_set_emax((1 << layout->exponent_bits) - 1 - layout->bias);
    ternary = mpfr_check_range(y, ternary, rounding);
    mpfr_subnormalize(y, ternary, rounding);
    double result = mpfr_get_d(y, MPFR_RNDN);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    mpfr_clear(y);
    return result;
}

/* The top 128 bits of `value` and whether more follow, taken from it as an integer. */
static struct real real_of_mpfr(mpfr_srcptr value) {
    struct real real = {.kind = REAL_FINITE, .negative = mpfr_sgn(value) < 0};
    mpz_t z, low;
    mpz_inits(z, low, NULL);
    real.exponent = (int32_t)mpfr_get_exp(value) - 1;
    mpfr_get_z_2exp(z, value);
    mpz_abs(z, z);
    long length = (long)mpz_sizeinbase(z, 2);
    if (length > 128) {
        mpz_fdiv_r_2exp(low, z, (mp_bitcnt_t)(length - 128));
        real.inexact = mpz_sgn(low) != 0;
        mpz_fdiv_q_2exp(z, z, (mp_bitcnt_t)(length - 128));
    } else {
        mpz_mul_2exp(z, z, (mp_bitcnt_t)(128 - length));
    }
    uint64_t words[2] = {0, 0};
    mpz_export(words, NULL, -1, sizeof *words, 0, 0, z);
    real.significand = (struct wide){words[1], words[0]};
    mpz_clears(z, low, NULL);
    return real;
}

static void random_value(mpfr_ptr value, uint64_t *seed, const struct layout *layout) {
    int p = (int)layout->fraction_bits + 1;
    int most = 1 << (layout->exponent_bits - 1), least = 1 - layout->bias - p;
    /* A head of random length, whose last bit is a tie for some exponent and direction, then
     * possibly something far away on either side. */
    uint64_t head = random_bits(seed) & UINT64_MAX << random_between(seed, 4, 63);
    mpfr_set_ui(value, 1, MPFR_RNDN);
    mpfr_mul_2si(value, value, 60, MPFR_RNDN);
    mpfr_add_ui(value, value, head >> 4, MPFR_RNDN);
    if (random_bits(seed) & 1) {
        mpfr_t far;
        mpfr_init2(far, 2);
        mpfr_set_si_2exp(far, random_bits(seed) & 1 ? 1 : -1,
                         60 - random_between(seed, p - 2, (int)mpfr_get_prec(value) - 2),
                         MPFR_RNDN);
        mpfr_add(value, value, far, MPFR_RNDN);
        mpfr_clear(far);
    }
    mpfr_mul_2si(value, value, random_between(seed, least - 5, most + 3) - 60, MPFR_RNDN);
    if (random_bits(seed) & 1)
        mpfr_neg(value, value, MPFR_RNDN);
}

static uint64_t code_of_value(const struct layout *layout, double value) {
    if (layout->fraction_bits == 52)
        return code_of_double(value);
    if (layout->fraction_bits == 23)
        return code_of_float((float)value);
    if (layout->exponent_bits == 8)
        return code_of_float((float)value) >> 16;
    /* fp16 and e5m2: put together from the value. */
    double magnitude = fabs(value), smallest = layout_smallest(layout);
    uint64_t sign = signbit(value) ? UINT64_C(1) << (layout_width(layout) - 1) : 0;
    uint64_t two_to_f = UINT64_C(1) << layout->fraction_bits;
    if (isinf(value))
        return sign | ((UINT64_C(1) << layout->exponent_bits) - 1) * two_to_f;
    if (magnitude < layout_smallest_normal(layout))
        return sign | (uint64_t)(magnitude / smallest);
    int exponent;
    double fraction = frexp(magnitude, &exponent) * 2 - 1;
    return sign | ((uint64_t)(exponent - 1 + layout->bias) * two_to_f +
                   (uint64_t)(fraction * (double)two_to_f));
}

static void check_value(const struct layout *layout, mpfr_srcptr value) {
    const struct format *format = layout_format(layout);
    struct real real = real_of_mpfr(value);
    for (int i = 0; i < MODES; i++) {
        uint64_t want = code_of_value(layout, emulate(layout, value, modes[i].mpfr));
        uint64_t got = format_encode(format, &real, modes[i].rounding, OVERFLOW_IEEE);
        uint64_t direct = format_encode_mpfr(format, value, modes[i].rounding, OVERFLOW_IEEE);
        if (got != want || direct != want) {
            char text[600];
            mpfr_snprintf(text, sizeof text, "%Ra", value);
            fail_msg("%s: %s %s: 0x%" PRIx64 " and 0x%" PRIx64 ", not 0x%" PRIx64, layout->name,
                     text, rounding_names[modes[i].rounding], got, direct, want);
        }
    }
}

static void check_layout(const struct layout *layout, int inputs, mpfr_prec_t bits) {
    mpfr_t value;
    mpfr_init2(value, bits);
    uint64_t seed = 8 + layout_width(layout);
    for (int i = 0; i < inputs; i++) {
        random_value(value, &seed, layout);
        check_value(layout, value);
    }
    mpfr_clear(value);
}

static void test_machine_formats(void **state) {
    (void)state;
    check_layout(&layouts[LAYOUT_FP32], INPUTS, BITS);
    check_layout(&layouts[LAYOUT_FP64], INPUTS, BITS);
    check_layout(&layouts[LAYOUT_FP32], INPUTS / 4, WIDE_BITS);
    check_layout(&layouts[LAYOUT_FP64], INPUTS / 4, WIDE_BITS);
}

static void test_small_formats(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS_SMALL; i++)
        if (layouts[i].kind == LAYOUT_IEEE)
            check_layout(&layouts[i], INPUTS / 4, i & 1 ? BITS : WIDE_BITS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine_formats),
        cmocka_unit_test(test_small_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
