/* The steps, by MPFR within the range of the machine's exponents. */
#include "explain/scaling.h"

#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

enum { INTEGER_DIGITS = 19 /* that 64 bits hold */ };

/* Precision, and the range of exponents as MPFR counts them: subnormal numbers are within it. */
static const struct machine {
    int precision;
    mpfr_exp_t least, most;
} machines[] = {[MACHINE_FP64] = {53, -1073, 1024}, [MACHINE_X87] = {64, -16444, 16384}};

/* A step's result, which may be subnormal. */
static void settle(mpfr_ptr v, int ternary) {
    mpfr_subnormalize(v, ternary, MPFR_RNDN);
}

static void multiply(mpfr_ptr v, mpfr_srcptr by) {
    settle(v, mpfr_mul(v, v, by, MPFR_RNDN));
}

static void divide(mpfr_ptr v, mpfr_srcptr by) {
    settle(v, mpfr_div(v, v, by, MPFR_RNDN));
}

/* The digits as a number, and how many digits are left out. */
static long gather(mpfr_ptr v, enum scaling_digits digits, const char *text) {
    text += strspn(text, "0");
    const size_t length = strlen(text);
    if (digits == DIGITS_FIRST) {
        char first[INTEGER_DIGITS + 1] = "";
        strncat(first, text, INTEGER_DIGITS);
        mpfr_set_str(v, *first ? first : "0", 10, MPFR_RNDN);
        return length > INTEGER_DIGITS ? (long)length - INTEGER_DIGITS : 0;
    }
    mpfr_set_zero(v, 1);
    for (; *text; text++) {
        mpfr_mul_ui(v, v, 10, MPFR_RNDN);
        mpfr_add_ui(v, v, (unsigned long)(*text - '0'), MPFR_RNDN);
    }
    return 0;
}

/* 10^n, n >= 0, by squares. */
static void raise_by_squares(mpfr_ptr power, unsigned long n) {
    mpfr_t square;
    mpfr_init2(square, mpfr_get_prec(power));
    mpfr_set_ui(power, 1, MPFR_RNDN);
    mpfr_set_ui(square, 10, MPFR_RNDN);
    for (; n; n >>= 1) {
        if (n & 1)
            multiply(power, square);
        multiply(square, square);
    }
    mpfr_clear(square);
}

/* Until nothing changes any more. */
static void scale_in_steps(mpfr_ptr v, long exponent, bool by_tenths) {
    mpfr_t step;
    mpfr_init2(step, mpfr_get_prec(v));
    mpfr_set_ui(step, 10, MPFR_RNDN);
    if (exponent < 0 && by_tenths)
        mpfr_ui_div(step, 1, step, MPFR_RNDN);
    for (long i = labs(exponent); i > 0 && mpfr_regular_p(v); i--) {
        if (exponent < 0 && !by_tenths)
            divide(v, step);
        else
            multiply(v, step);
    }
    mpfr_clear(step);
}

static void scale(mpfr_ptr v, long exponent, enum scaling_power way) {
    mpfr_t power, ten;
    if (way == POWER_STEPS || way == POWER_TENTHS) {
        scale_in_steps(v, exponent, way == POWER_TENTHS);
        return;
    }
    const bool times = exponent >= 0 || way == POWER_RECIPROCAL;
    mpfr_inits2(mpfr_get_prec(v), power, ten, (mpfr_ptr)0);
    mpfr_set_ui(ten, 10, MPFR_RNDN);
    if (way == POWER_SQUARES)
        raise_by_squares(power, (unsigned long)labs(exponent));
    else
        settle(power, mpfr_pow_si(power, ten, times ? exponent : -exponent, MPFR_RNDN));
    if (times)
        multiply(v, power);
    else
        divide(v, power);
    mpfr_clears(power, ten, (mpfr_ptr)0);
}

struct real scaling_value(const struct scaling *scaling, const struct decimal_literal *literal) {
    const struct machine *machine = &machines[scaling->machine];
    const mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
    mpfr_t v;
    mpfr_set_emin(machine->least);
    mpfr_set_emax(machine->most);
    mpfr_init2(v, machine->precision);
    const long left_out = gather(v, scaling->digits, literal->digits);
    scale(v, literal->exponent - literal->behind + left_out, scaling->power);
    mpfr_set_emin(least);
    mpfr_set_emax(most);
    struct real y = real_from_mpfr(v, 0);
    y.negative = literal->negative;
    mpfr_clear(v);
    return y;
}
