/* Results that are fractions: an operation of MPFR, and how its result is made of integers. */
#include "oracle/ratio.h"

#include "op/function/reciprocal.h"

#include <stdlib.h>

/* A power beyond has more digits than anybody prints. */
enum { MOST_EXPONENT = 1000 };

/* x^exponent, where the exponent is an integer of moderate size. */
static bool power(mpq_t y, const mpq_t x, mpfr_srcptr exponent) {
    if (!mpfr_integer_p(exponent) || mpfr_cmpabs_ui(exponent, MOST_EXPONENT) > 0)
        return false;
    const long n = mpfr_get_si(exponent, MPFR_RNDZ);
    mpz_pow_ui(mpq_numref(y), mpq_numref(x), (unsigned long)labs(n));
    mpz_pow_ui(mpq_denref(y), mpq_denref(x), (unsigned long)labs(n));
    if (n < 0)
        mpq_inv(y, y);
    return true;
}

static bool ratio_div(mpq_t y, mpfr_srcptr a, mpfr_srcptr b) {
    mpq_t divisor;
    mpq_init(divisor);
    mpfr_get_q(y, a);
    mpfr_get_q(divisor, b);
    mpq_div(y, y, divisor);
    mpq_clear(divisor);
    return true;
}

static bool ratio_recip(mpq_t y, mpfr_srcptr a, mpfr_srcptr b) {
    (void)b;
    mpfr_get_q(y, a);
    mpq_inv(y, y);
    return true;
}

static bool ratio_rsqrt(mpq_t y, mpfr_srcptr a, mpfr_srcptr b) {
    mpfr_t root;
    (void)b;
    mpfr_init2(root, mpfr_get_prec(a));
    const bool is_exact = mpfr_sqrt(root, a, MPFR_RNDZ) == 0;
    if (is_exact) {
        mpfr_get_q(y, root);
        mpq_inv(y, y);
    }
    mpfr_clear(root);
    return is_exact;
}

static bool ratio_exp10(mpq_t y, mpfr_srcptr a, mpfr_srcptr b) {
    (void)b;
    mpq_set_ui(y, 10, 1);
    return power(y, y, a);
}

static bool ratio_pow(mpq_t y, mpfr_srcptr a, mpfr_srcptr b) {
    mpfr_get_q(y, a);
    return power(y, y, b);
}

static const struct {
    mpfr_function *mpfr1;
    mpfr_function_2 *mpfr2;
    bool (*ratio)(mpq_t y, mpfr_srcptr a, mpfr_srcptr b);
} rows[] = {{.mpfr2 = mpfr_div, .ratio = ratio_div},
            {.mpfr2 = mpfr_pow, .ratio = ratio_pow},
            {.mpfr1 = mpfr1_recip, .ratio = ratio_recip},
            {.mpfr1 = mpfr_rec_sqrt, .ratio = ratio_rsqrt},
            {.mpfr1 = mpfr_exp10, .ratio = ratio_exp10}};

bool oracle_ratio(mpq_t y, const struct result_rule *rule, mpfr_srcptr a, mpfr_srcptr b) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rule->mpfr1 == rows[i].mpfr1 && rule->mpfr2 == rows[i].mpfr2)
            return rows[i].ratio(y, a, b);
    return false;
}
