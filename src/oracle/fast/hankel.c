/* The coefficients of hankel.h, by Arb. */
#include "oracle/fast/hankel.h"

#include <math.h>

#include <acb.h>

enum {
    PRECISION = 160,
    MOST_TERMS = 40, /* N */
    GOOD_BITS = 110  /* R is wanted below 2^-110 */
};

/* The terms q_k at c, and bounds of |q_k| at x <= c from where R follows. */
struct series {
    unsigned terms;
    acb_t q[MOST_TERMS + 2], sum;
    mag_t rest;
};

static void series_open(struct series *series) {
    for (int k = 0; k < MOST_TERMS + 2; k++)
        acb_init(series->q[k]);
    acb_init(series->sum);
    mag_init(series->rest);
}

static void series_close(struct series *series) {
    for (int k = 0; k < MOST_TERMS + 2; k++)
        acb_clear(series->q[k]);
    acb_clear(series->sum);
    mag_clear(series->rest);
}

/* The next of the factors of a_k x^-k, with i: times i (4 n^2 - (2k-1)^2) / (8 k x). */
static void multiply_term(acb_t next, const acb_t term, slong order, slong k, const arb_t x) {
    acb_mul_si(next, term, 4 * order * order - (2 * k - 1) * (2 * k - 1), PRECISION);
    acb_div_si(next, next, 8 * k, PRECISION);
    acb_div_arb(next, next, x, PRECISION);
    acb_mul_onei(next, next);
}

/* |a_N| x^-N + |a_(N+1)| x^-(N+1) for the least even N that makes it small. */
static bool choose_terms(struct series *series, slong order, const arb_t x) {
    acb_t term;
    mag_t size;
    bool found = false;
    acb_init(term);
    mag_init(size);
    acb_one(term);
    for (slong k = 1; k <= MOST_TERMS + 1 && !found; k++) {
        multiply_term(term, term, order, k, x);
        acb_get_mag(size, term);
        if (k % 2 == 0)
            mag_set(series->rest, size);
        if (k % 2 == 1 && k > 1) {
            mag_add(series->rest, series->rest, size);
            found = mag_cmp_2exp_si(series->rest, -GOOD_BITS) < 0;
            series->terms = (unsigned)k - 1;
        }
    }
    acb_clear(term);
    mag_clear(size);
    return found;
}

/* The q_k at c, divided by their sum. */
static void find_terms(struct series *series, slong order, const arb_t centre) {
    acb_one(series->q[0]);
    acb_one(series->sum);
    for (unsigned k = 1; k < series->terms; k++) {
        multiply_term(series->q[k], series->q[k - 1], order, (slong)k, centre);
        acb_add(series->sum, series->sum, series->q[k], PRECISION);
    }
    for (unsigned k = 0; k < series->terms; k++)
        acb_div(series->q[k], series->q[k], series->sum, PRECISION);
}

/* w_1 .. w_7 times powers of h/c, and 1.01 B (2 h/c)^8. */
static double find_coefficients(const struct series *series, double ratio, struct hankel *hankel) {
    acb_t binomials[MOST_TERMS], sum;
    double size = 0, most = 0, power = 1;
    acb_init(sum);
    for (unsigned k = 0; k < series->terms; k++) {
        acb_init(binomials[k]);
        acb_set(binomials[k], series->q[k]);
        mag_t bound;
        mag_init(bound);
        acb_get_mag(bound, series->q[k]);
        most += ldexp(mag_get_d(bound), (int)k + 1);
        mag_clear(bound);
    }
    hankel->real[0] = hankel->imaginary[0] = 0;
    for (int j = 1; j < HANKEL_TERMS; j++) {
        acb_zero(sum);
        for (unsigned k = 0; k < series->terms; k++) {
            /* (-1/2-k over j) from that over j - 1 */
            acb_mul_si(binomials[k], binomials[k], -1 - 2 * ((slong)k + j - 1), PRECISION);
            acb_div_si(binomials[k], binomials[k], 2 * j, PRECISION);
            acb_add(sum, sum, binomials[k], PRECISION);
        }
        power *= ratio;
        hankel->real[j] = power * arf_get_d(arb_midref(acb_realref(sum)), ARF_RND_NEAR);
        hankel->imaginary[j] = power * arf_get_d(arb_midref(acb_imagref(sum)), ARF_RND_NEAR);
        size += (2 * j + 6) * (fabs(hankel->real[j]) + fabs(hankel->imaginary[j]));
    }
    for (unsigned k = 0; k < series->terms; k++)
        acb_clear(binomials[k]);
    acb_clear(sum);
    double twice = 2 * ratio, fourth = twice * twice * twice * twice;
    return 1.03 * 0x1p-53 * size + 1.02 * most * fourth * fourth;
}

/* M cut to 25 bits, what is left of it cut to 50, and the rest. */
static void set_scale(struct hankel *hankel, const arb_t scale) {
    arf_t head, tail;
    arf_init(head);
    arf_init(tail);
    arf_set_round(head, arb_midref(scale), 50, ARF_RND_DOWN);
    arf_sub(tail, arb_midref(scale), head, ARF_PREC_EXACT, ARF_RND_DOWN);
    hankel->scale_tail = arf_get_d(tail, ARF_RND_NEAR);
    double m = arf_get_d(head, ARF_RND_DOWN);
    arf_set_round(head, head, 25, ARF_RND_DOWN);
    hankel->scale[0] = arf_get_d(head, ARF_RND_DOWN);
    hankel->scale[1] = m - hankel->scale[0];
    arf_clear(head);
    arf_clear(tail);
}

/* The direction of Q e^(-i pi (n/2 + 1/4)) e^ix, and the size M. */
static void find_direction(const struct series *series, slong order, const arb_t centre, double x,
                           struct turn *first, struct hankel *hankel) {
    acb_t direction;
    arb_t angle, size;
    acb_init(direction);
    arb_init(angle);
    arb_init(size);
    arb_set_si(angle, -(2 * order + 1));
    arb_mul_2exp_si(angle, angle, -2);
    arb_sin_cos_pi(acb_imagref(direction), acb_realref(direction), angle, PRECISION);
    acb_mul(direction, direction, series->sum, PRECISION);
    arb_set_d(angle, x);
    acb_t turn;
    acb_init(turn);
    arb_sin_cos(acb_imagref(turn), acb_realref(turn), angle, PRECISION);
    acb_mul(direction, direction, turn, PRECISION);
    acb_clear(turn);
    acb_abs(size, series->sum, PRECISION);
    acb_div_arb(direction, direction, size, PRECISION);
    rotation_split(first, direction);
    arb_const_pi(angle, PRECISION);
    arb_mul(angle, angle, centre, PRECISION);
    arb_mul_2exp_si(angle, angle, -1);
    arb_rsqrt(angle, angle, PRECISION);
    arb_mul(size, size, angle, PRECISION);
    set_scale(hankel, size);
    acb_clear(direction);
    arb_clear(angle);
    arb_clear(size);
}

bool hankel_make(struct hankel *hankel, unsigned order, bool second, double x, double spacing,
                 int log2_count, struct turn *first, double *bound) {
    struct series series;
    arb_t least, centre;
    double half = ldexp(spacing, log2_count - 1);
    series_open(&series);
    arb_init(least);
    arb_init(centre);
    arb_set_d(least, x);
    arb_set_d(centre, x + half);
    hankel->second = second;
    bool good = choose_terms(&series, (slong)order, least);
    if (good) {
        find_terms(&series, (slong)order, centre);
        double error = find_coefficients(&series, half / (x + half), hankel);
        find_direction(&series, (slong)order, centre, x, first, hankel);
        /* sqrt(2 / (pi x)) is not above 1.1 M, and R is below 2^-110. */
        *bound = 1.01 * hankel->scale[0] * (2.1 * ROTATION_ABSOLUTE + 0x1p-99 + error);
    }
    arb_clear(least);
    arb_clear(centre);
    series_close(&series);
    return good;
}
