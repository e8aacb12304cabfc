/* Enclosures that close. */
#include "op/enclose.h"

enum { GUARD_BITS = 48 };

static void set_precision(mpfr_ptr x, mpfr_prec_t bits) {
    if (mpfr_get_prec(x) != bits)
        mpfr_set_prec(x, bits);
}

bool enclose_from(enclose_function *function, void *asked, mpfr_prec_t bits, long limit,
                  struct interval *y, mpfr_ptr truncated, mpfr_ptr scratch) {
    for (; bits <= ENCLOSE_MOST_BITS; bits *= 2) {
        set_precision(y->low, bits);
        set_precision(y->high, bits);
        function(asked, y);
        if (interval_truncate_within(y, limit, truncated, scratch))
            return true;
    }
    return false;
}

bool enclose(enclose_function *function, void *asked, int precision, long limit, const char *what,
             struct real *value, struct error *error) {
    struct interval y;
    mpfr_t truncated, scratch;
    mpfr_inits2(precision, truncated, scratch, (mpfr_ptr)0);
    mpfr_inits2(precision, y.low, y.high, (mpfr_ptr)0);
    const bool closes =
        enclose_from(function, asked, precision + GUARD_BITS, limit, &y, truncated, scratch);
    *value = real_from_mpfr(truncated, 1);
    mpfr_clears(truncated, scratch, y.low, y.high, (mpfr_ptr)0);
    return closes ||
           error_set(error, "the oracle cannot decide %s within %d bits; please report it", what,
                     ENCLOSE_MOST_BITS);
}

void enclose_beside(struct interval *y, const arf_t base, const arb_t rest, int sign,
                    const arf_t divisor) {
    const slong bits = (slong)mpfr_get_prec(y->low);
    arf_t ends[2];
    for (int i = 0; i < 2; i++) {
        const arf_rnd_t outwards = i ? ARF_RND_CEIL : ARF_RND_FLOOR;
        const bool upper = i != (arf_sgn(divisor) < 0);
        arf_init(ends[i]);
        (upper ? arb_get_ubound_arf : arb_get_lbound_arf)(ends[i], rest, bits);
        if (upper ? sign < 0 && arf_sgn(ends[i]) > 0 : sign > 0 && arf_sgn(ends[i]) < 0)
            arf_zero(ends[i]);
        arf_add(ends[i], base, ends[i], bits, upper ? ARF_RND_CEIL : ARF_RND_FLOOR);
        arf_div(ends[i], ends[i], divisor, bits, outwards);
        arf_get_mpfr(i ? y->high : y->low, ends[i], i ? MPFR_RNDU : MPFR_RNDD);
    }
    arf_clear(ends[0]);
    arf_clear(ends[1]);
}

struct real quotient_of(const arf_t a, const arf_t b, int precision) {
    arf_t quotient;
    mpfr_t y;
    arf_init(quotient);
    mpfr_init2(y, precision);
    int inexact = arf_div(quotient, a, b, precision, ARF_RND_DOWN);
    arf_get_mpfr(y, quotient, MPFR_RNDZ);
    struct real value = real_from_mpfr(y, inexact);
    arf_clear(quotient);
    mpfr_clear(y);
    return value;
}

bool arf_take_root(arf_t x) {
    fmpz_t significand, exponent;
    fmpz_init(significand);
    fmpz_init(exponent);
    arf_get_fmpz_2exp(significand, exponent, x);
    const bool is_square = fmpz_is_even(exponent) && fmpz_is_square(significand);
    if (is_square) {
        fmpz_sqrt(significand, significand);
        fmpz_fdiv_q_2exp(exponent, exponent, 1);
        arf_set_fmpz_2exp(x, significand, exponent);
    }
    fmpz_clear(significand);
    fmpz_clear(exponent);
    return is_square;
}

void arf_set_real(arf_t y, const struct real *x) {
    mpfr_t value;
    mpfr_init2(value, 128);
    real_to_mpfr(value, x);
    arf_set_mpfr(y, value);
    mpfr_clear(value);
}
