/* What one operand has to be for a result, where the other one is known; by operation. */
#include "sweep/built/edges.h"

#include <string.h>

static void partner_of_product(const struct builder *builder, mpfr_ptr partner, mpfr_srcptr wanted,
                               mpfr_srcptr one, int known) {
    (void)builder;
    (void)known;
    mpfr_div(partner, wanted, one, MPFR_RNDN);
}

static void partner_of_quotient(const struct builder *builder, mpfr_ptr partner, mpfr_srcptr wanted,
                                mpfr_srcptr one, int known) {
    (void)builder;
    if (known)
        mpfr_mul(partner, wanted, one, MPFR_RNDN);
    else
        mpfr_div(partner, one, wanted, MPFR_RNDN);
}

static void partner_of_sum(const struct builder *builder, mpfr_ptr partner, mpfr_srcptr wanted,
                           mpfr_srcptr one, int known) {
    (void)builder;
    (void)known;
    mpfr_sub(partner, wanted, one, MPFR_RNDN);
}

static void partner_of_difference(const struct builder *builder, mpfr_ptr partner,
                                  mpfr_srcptr wanted, mpfr_srcptr one, int known) {
    (void)builder;
    if (known)
        mpfr_add(partner, wanted, one, MPFR_RNDN);
    else
        mpfr_sub(partner, one, wanted, MPFR_RNDN);
}

static void partner_of_side(const struct builder *builder, mpfr_ptr partner, mpfr_srcptr wanted,
                            mpfr_srcptr one, int known) {
    mpfr_t square;
    (void)builder;
    (void)known;
    mpfr_init2(square, mpfr_get_prec(partner));
    mpfr_sqr(square, one, MPFR_RNDN);
    mpfr_sqr(partner, wanted, MPFR_RNDN);
    mpfr_sub(partner, partner, square, MPFR_RNDN);
    mpfr_sqrt(partner, partner, MPFR_RNDN);
    mpfr_clear(square);
}

/* The exponent, or the base; a negative result has a base of its sign if the exponent is odd. */
static void partner_of_power(const struct builder *builder, mpfr_ptr partner, mpfr_srcptr wanted,
                             mpfr_srcptr one, int known) {
    mpfr_t logarithm;
    mpfr_init2(logarithm, mpfr_get_prec(partner));
    mpfr_abs(partner, wanted, MPFR_RNDN);
    mpfr_log2(partner, partner, MPFR_RNDN);
    if (!known) {
        mpfr_log2(logarithm, one, MPFR_RNDN);
        mpfr_div(partner, partner, logarithm, MPFR_RNDN);
    } else {
        const bool is_odd = mpfr_integer_p(one) && mpfr_get_si(one, MPFR_RNDZ) % 2 != 0;
        mpfr_div(partner, partner, one, MPFR_RNDN);
        mpfr_exp2(partner, partner, MPFR_RNDN);
        if (mpfr_signbit(wanted))
            mpfr_neg(partner, partner, MPFR_RNDN);
        if (mpfr_signbit(wanted) && !is_odd)
            mpfr_set_nan(partner);
        if (adds_one(builder))
            mpfr_sub_ui(partner, partner, 1, MPFR_RNDN);
    }
    mpfr_clear(logarithm);
}

static void partner_of_root(const struct builder *builder, mpfr_ptr partner, mpfr_srcptr wanted,
                            mpfr_srcptr one, int known) {
    (void)builder;
    (void)known;
    mpfr_pow(partner, wanted, one, MPFR_RNDN);
}

static void partner_of_reciprocal(const struct builder *builder, mpfr_ptr partner,
                                  mpfr_srcptr wanted, mpfr_srcptr one, int known) {
    (void)builder;
    (void)one;
    (void)known;
    mpfr_ui_div(partner, 1, wanted, MPFR_RNDN);
}

static void partner_of_number(const struct builder *builder, mpfr_ptr partner, mpfr_srcptr wanted,
                              mpfr_srcptr one, int known) {
    (void)builder;
    (void)one;
    (void)known;
    mpfr_set(partner, wanted, MPFR_RNDN);
}

static const struct edge_row rows[] = {
    {"fma", partner_of_product, KNOWN_ANYWHERE},  {"add", partner_of_sum, KNOWN_NEAR},
    {"sub", partner_of_difference, KNOWN_NEAR},   {"mul", partner_of_product, KNOWN_ANYWHERE},
    {"div", partner_of_quotient, KNOWN_ANYWHERE}, {"recip", partner_of_reciprocal, KNOWN_NONE},
    {"hypot", partner_of_side, KNOWN_LEG},        {"pow", partner_of_power, KNOWN_POWER},
    {"powr", partner_of_power, KNOWN_POWER},      {"pown", partner_of_power, KNOWN_ORDER},
    {"compoundn", partner_of_power, KNOWN_ORDER}, {"rootn", partner_of_root, KNOWN_ORDER},
    {"cast", partner_of_number, KNOWN_NONE}};

const struct edge_row *edge_row_of(const struct operation *operation) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].operation, operation->name) == 0)
            return &rows[i];
    return NULL;
}
