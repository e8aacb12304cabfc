/* Factors, legs, quotients and powers that have results at the ends of a format, if any have. */
#include "built_edges_exist.h"

#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MPFR_BITS = 256 };

static int length_of(uint64_t number) {
    int length = 0;
    for (; number; number /= 2)
        length++;
    return length;
}

/* odd * 2^exponent is a number of the format. */
static bool is_number(const struct format *format, uint64_t odd, int exponent) {
    return length_of(odd) <= format->precision &&
           exponent >= format->emin - format->precision + 1 &&
           exponent + length_of(odd) - 1 <= format->emax;
}

/* Two factors, each of a significand's length, of which small ones are tried first; exponents of products reach everywhere. */
static bool is_product(const struct case_of *one, enum side side) {
    const uint64_t most = (UINT64_C(1) << one->format->precision) - 1;
    if (side != EXACTLY)
        return true;
    for (uint64_t factor = 1; factor <= most && factor <= one->odd / factor; factor += 2)
        if (one->odd % factor == 0 && one->odd / factor <= most)
            return true;
    return false;
}

/* Whether a distance from the end, in ulps, is on that side. */
static bool is_on_side(long double away, enum side side) {
    return side == EXACTLY ? !(away < 0 || away > 0)
                           : fabsl(away) < 0.5L && (side == BELOW ? away < 0 : away > 0);
}

/* x is y times the result: its significand is no shorter than the result's. The nearest quotients below 1 are 1 - 2^-p and
 * 1 - 1 / (2^p - 1), and the nearest above it is 1 + 1 / (2^p - 2): integers of p bits have no nearer ones, all of which are tried here
 * where they are few. */
static bool is_quotient(const struct case_of *one, enum side side) {
    const int p = one->format->precision;
    const bool is_most = one->end->number == MOST;
    const long double unit = is_most ? 1 : 0.5L, end = (one->end->quarters - 4 * is_most) / 4.0L;
    const long double tiny = p > 11 ? ldexpl(1, -40) : ldexpl(1, -p);
    if (one->end->number != MOST && one->end->number != NORMAL)
        return side != EXACTLY || one->odd;
    bool found = is_on_side(-1 * unit - end, side) || is_on_side(-end, side) ||
                 is_on_side((-1 - tiny) * unit - end, side) ||
                 is_on_side((1 + tiny) * unit - end, side);
    bool is_there = false;
    for (int y = 1 << (p - 1); p <= 11 && y < 1 << p; y++)
        for (int x = y - 1; x <= 2 * y; x++) {
            const int up = x > 3 * y / 2 ? 2 : 1; /* next to 2 or to 1 */
            if (x < 1 << p || x % 2 == 0)
                is_there =
                    is_there ||
                    is_on_side(ldexpl((long double)(x - up * y) / (up * y), p) * unit - end, side);
        }
    if (p <= 11)
        assert_int_equal(found, is_there);
    return found;
}

/* Sums are whole multiples of the least number, so they lie on neither side of a small end. */
static bool is_sum(const struct case_of *one, enum side side) {
    const int least = one->format->emin - one->format->precision + 1;
    return side == EXACTLY ? !one->odd || one->exponent >= least : one->end->number == MOST;
}

/* Whatever a sum has no bits for, a product has; and conversions are from formats that have all of it. */
static bool is_anything(const struct case_of *one, enum side side) {
    (void)one;
    (void)side;
    return true;
}

static uint64_t whole_root(uint64_t square) {
    uint64_t root = (uint64_t)sqrtl((long double)square);
    for (; root * root > square; root--)
        ;
    for (; (root + 1) * (root + 1) <= square; root++)
        ;
    return root;
}

static bool is_short(uint64_t leg, int precision) {
    for (; leg && leg % 2 == 0; leg /= 2)
        ;
    return length_of(leg) <= precision;
}

/* Whether a^2 + b^2 = side^2 for significands: all of a primitive triangle times a divisor, whose long side m^2 + n^2 has prime
 * factors of 4 k + 1 only. */
static bool has_legs(uint64_t side, int precision) {
    uint64_t rest = side, kind = 1;
    for (uint64_t factor = 3; factor < UINT64_C(1) << 19; factor += 2)
        for (; rest % factor == 0; rest /= factor)
            kind *= factor % 4 == 1 ? factor : 1;
    kind *= rest % 4 == 1 ? rest : 1;
    for (uint64_t divisor = 5; divisor <= kind; divisor += 4) {
        if (kind % divisor)
            continue;
        for (uint64_t m = 1; 2 * m * m < divisor; m++) {
            const uint64_t n = whole_root(divisor - m * m), scale = side / divisor;
            if (m * m + n * n == divisor && is_short(scale * 2 * m * n, precision) &&
                is_short(scale * (n * n - m * m), precision))
                return true;
        }
    }
    return false;
}

/* Next to the least number, whose legs are small whole multiples of it, all are tried. */
static bool is_long_side(const struct case_of *one, enum side side) {
    const int least = one->format->emin - one->format->precision + 1;
    const double end = ldexp((double)one->odd, one->exponent - least);
    if (one->end->number == MOST || one->end->number == NORMAL)
        return side != EXACTLY || is_number(one->format, one->odd, one->exponent) ||
               (one->end->number == MOST && one->end->quarters == 2 &&
                has_legs(one->odd, one->format->precision));
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++) {
            if (is_on_side(sqrt(a * a + b * b) - end, side))
                return true;
        }
    return false;
}

/* Whether a function of the number that is nearest to x, or of one of those beside it, is on that side of the end: MPFR computes. */
static bool is_near(const struct case_of *one, enum side side, mpfr_ptr x, long order,
                    bool adds_one) {
    const int ulp = (one->end->number == MOST ? one->format->emax : one->format->emin) -
                    one->format->precision + 1;
    const uint64_t code = format_encode_mpfr(one->format, x, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    bool found = false;
    for (int near = -2; near <= 2 && !found; near++) {
        const uint64_t beside = code + (uint64_t)(int64_t)near;
        const struct real value = format_decode(one->format, beside);
        if (value.kind != REAL_FINITE)
            continue;
        mpfr_t y, end;
        mpfr_inits2(MPFR_BITS, y, end, (mpfr_ptr)0);
        real_to_mpfr(y, &value);
        const bool is_lost = adds_one && mpfr_add_ui(y, y, 1, MPFR_RNDN) != 0;
        const bool inexact = mpfr_pow_si(y, y, order, MPFR_RNDN) != 0 || is_lost;
        mpfr_set_uj_2exp(end, one->odd, one->exponent, MPFR_RNDN);
        mpfr_sub(y, y, end, MPFR_RNDN);
        mpfr_mul_2si(y, y, -ulp, MPFR_RNDN);
        found = mpfr_number_p(y) && (mpfr_zero_p(y) ? side == EXACTLY && !inexact
                                                    : is_on_side(mpfr_get_ld(y, MPFR_RNDA), side));
        mpfr_clears(y, end, (mpfr_ptr)0);
    }
    return found;
}

/* Powers of orders that are tried: of two all that divide its exponent. What is next to 0 is the power of what is small. */
static bool is_integer_power(const struct case_of *one, enum side side, long most, bool adds_one) {
    mpfr_t x;
    bool found = !one->odd && side == ABOVE;
    mpfr_init2(x, MPFR_BITS);
    for (long order = -most; one->odd && order <= most && !found; order++) {
        if (!order || (one->negative && order % 2 == 0))
            continue;
        mpfr_set_uj_2exp(x, one->odd, one->exponent, MPFR_RNDN);
        mpfr_log2(x, x, MPFR_RNDN);
        mpfr_div_si(x, x, order, MPFR_RNDN);
        mpfr_exp2(x, x, MPFR_RNDN);
        if (adds_one)
            mpfr_sub_ui(x, x, 1, MPFR_RNDN);
        found = is_near(one, side, x, order, adds_one);
    }
    mpfr_clear(x);
    return found;
}

/* On either side there are powers of orders of few bits, and at an end those of all. */
enum { FEW_ORDERS = 3, MANY_ORDERS = 1100 };

static bool is_power_of_order(const struct case_of *one, enum side side) {
    return is_integer_power(one, side, side == EXACTLY && one->odd == 1 ? MANY_ORDERS : FEW_ORDERS,
                            false);
}

static bool is_compound(const struct case_of *one, enum side side) {
    return is_integer_power(one, side, side == EXACTLY && one->odd == 1 ? MANY_ORDERS : FEW_ORDERS,
                            true);
}

/* Numbers are their own first powers, and powers of two have roots; no other 2^n - 1 is a power (Catalan), and 3/4 of a number
 * would need the root of one that is too small. */
static bool is_power(const struct case_of *one, enum side side) {
    return side != EXACTLY || one->odd == 1 ||
           (one->odd && is_number(one->format, one->odd, one->exponent));
}

static bool is_reciprocal(const struct case_of *one, enum side side) {
    mpfr_t x;
    mpfr_init2(x, MPFR_BITS);
    mpfr_set_uj_2exp(x, one->odd ? one->odd : 1, one->exponent, MPFR_RNDN);
    mpfr_ui_div(x, 1, x, MPFR_RNDN);
    const bool found = one->odd && is_near(one, side, x, -1, false);
    mpfr_clear(x);
    return found;
}

/* A number is its own root of order 1, and other orders but -1 give nothing at the ends. */
static bool is_root(const struct case_of *one, enum side side) {
    return is_reciprocal(one, side) ||
           (side == EXACTLY && one->odd && is_number(one->format, one->odd, one->exponent));
}

const struct edge_rule edge_rules[] = {{"mul", is_product, true},
                                       {"div", is_quotient, true},
                                       {"add", is_sum, true},
                                       {"sub", is_sum, true},
                                       {"fma", is_anything, true},
                                       {"recip", is_reciprocal, true},
                                       {"hypot", is_long_side, false},
                                       {"pow", is_power, false},
                                       {"powr", is_power, false},
                                       {"pown", is_power_of_order, true},
                                       {"compoundn", is_compound, false},
                                       {"rootn", is_root, true},
                                       {"cast", is_anything, true},
                                       {NULL, NULL, false}};
