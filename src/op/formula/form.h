/* Closed forms of irrational numbers: what an enclosure cannot say. log(8)/log(2) is 3, sin(pi x) is 0 at a whole x and
 * sqrt(2) sqrt(x) is 2 at 2; no number of bits would tell. */
#ifndef DETCHECK_OP_FORMULA_FORM_H
#define DETCHECK_OP_FORMULA_FORM_H

#include <gmp.h>
#include <stdbool.h>

enum form_kind {
    FORM_NONE,
    FORM_LOG,  /* factor ln(base) */
    FORM_LOG2, /* factor log2(base) */
    FORM_LOG10,
    FORM_PI,   /* factor pi */
    FORM_ROOT, /* factor base^(1/degree), the factor 1 or -1, the base above 0 */
    FORM_EXP   /* factor e^base */
};

struct form {
    enum form_kind kind;
    mpq_t factor, base;
    unsigned long degree; /* of FORM_ROOT */
};

void form_init(struct form *form);
void form_clear(struct form *form);
void form_set(struct form *form, enum form_kind kind, mpq_srcptr base);

/* base^(1/degree) of a base above 0; false for degrees that are not looked at. */
bool form_set_root(struct form *form, mpq_srcptr base, unsigned long degree);

void form_copy(struct form *y, const struct form *x);

/* What comes of a step: nothing known, a form, or a number. */
enum form_result { FORM_UNKNOWN, FORM_FOUND, FORM_NUMBER };

/* y = x times a number other than 0. */
void form_scale(struct form *y, const struct form *x, mpq_srcptr number);

/* Sums (sign 1) and differences (-1), products, quotients, powers: a form in y, or a number in `number`. */
enum form_result form_add(const struct form *a, const struct form *b, int sign, struct form *y,
                          mpq_t number);
enum form_result form_multiply(const struct form *a, const struct form *b, struct form *y,
                               mpq_t number);
enum form_result form_divide(const struct form *a, const struct form *b, struct form *y,
                             mpq_t number);
enum form_result form_invert(const struct form *x, struct form *y);
enum form_result form_power(const struct form *x, long n, struct form *y, mpq_t number);
/* x^number of a form that is a power itself. */
enum form_result form_power_of_fraction(const struct form *x, mpq_srcptr exponent, struct form *y);

/* ln a / ln b of fractions above 0, where that is a fraction. */
bool fraction_log(mpq_srcptr a, mpq_srcptr b, mpq_t ratio);

/* y = number^n, where that is not too long. */
bool fraction_power(mpq_t y, mpq_srcptr number, long n);

#endif
