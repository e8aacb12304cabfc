/* Numbers in two parts of double, to about 2^-100: see parts.h for those of float. */
#ifndef DETMATH_TWOFOLD_H
#define DETMATH_TWOFOLD_H

#include "core.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

struct detmath_twofold {
    double high, low;
};

DETMATH_FUNCTION struct detmath_twofold detmath_twofold_of(double high, double low) {
    struct detmath_twofold pair;
    pair.high = high;
    pair.low = low;
    return pair;
}

/* a + b exactly, high being the rounded sum. */
DETMATH_FUNCTION struct detmath_twofold detmath_twofold_exact_sum(double a, double b) {
    double sum = a + b, part = sum - a;
    return detmath_twofold_of(sum, (a - (sum - part)) + (b - part));
}

/* high + low with nothing lost, |low| at most half a unit of high's last place; |high| >= |low|. */
DETMATH_FUNCTION struct detmath_twofold detmath_twofold_settled(double high, double low) {
    double sum = high + low;
    return detmath_twofold_of(sum, low - (sum - high));
}

/* a + b within 2^-103 of |a| + |b|. */
DETMATH_FUNCTION struct detmath_twofold detmath_twofold_sum(struct detmath_twofold a,
                                                            struct detmath_twofold b) {
    struct detmath_twofold sum = detmath_twofold_exact_sum(a.high, b.high);
    return detmath_twofold_settled(sum.high, sum.low + (a.low + b.low));
}

/* a * b within 2^-102 of itself. */
DETMATH_FUNCTION struct detmath_twofold detmath_twofold_product(struct detmath_twofold a,
                                                                struct detmath_twofold b) {
    double product = detmath_product(a.high, b.high);
    double rest = detmath_fma(a.high, b.high, -product);
    rest = detmath_fma(a.high, b.low, detmath_fma(a.low, b.high, rest));
    return detmath_twofold_settled(product, rest);
}

/* e^(x + low) = 2^*n (1 + what is returned), for |x| <= 800 and |low| at most half a unit of x's
 * last place. 1 + what is returned is within 2^-96 of itself, and so is what is returned where n is
 * 0: low, which is 2^-44 or less, and what follows are rounded to one part.
 *
 * ln 2 has three parts, of 42, 42 and 53 bits, so that its products with n are exact but the last.
 * The series ends with r^23/23!, and its terms from r^13/13! on are in one part. With these very
 * coefficients it is e^r - 1 to 2^-104.14 (twofold_series) of that. exp.sollya has them. */
DETMATH_FUNCTION struct detmath_twofold detmath_twofold_power(double x, double low,
                                                              detmath_i32 *n) {
    double shifted = detmath_fma(x, 0x1.71547652b82fep0, 0x1.8p52), k = shifted - 0x1.8p52;
    *n = (detmath_i32)(detmath_u32)detmath_bits_f64(shifted);
    double exact = detmath_fma(k, -0x1.62e42fefa38p-1, x);
    struct detmath_twofold r =
        detmath_twofold_exact_sum(exact, detmath_product(k, -0x1.ef35793c768p-45));
    r = detmath_twofold_settled(r.high, r.low + detmath_fma(k, 0x1.9ff0342542fc3p-90, low));
    double h = r.high, q = detmath_fma(h, 0x1.761b41316381ap-75, 0x1.0ce396db7f853p-70);
    q = detmath_fma(h, q, 0x1.71b8ef6dcf572p-66);
    q = detmath_fma(h, q, 0x1.e542ba4020225p-62);
    q = detmath_fma(h, q, 0x1.2f49b46814157p-57);
    q = detmath_fma(h, q, 0x1.6827863b97d97p-53);
    q = detmath_fma(h, q, 0x1.952c77030ad4ap-49);
    q = detmath_fma(h, q, 0x1.ae7f3e733b81fp-45);
    q = detmath_fma(h, q, 0x1.ae7f3e733b81fp-41);
    q = detmath_fma(h, q, 0x1.93974a8c07c9dp-37);
    q = detmath_fma(h, q, 0x1.6124613a86d09p-33);
    struct detmath_twofold p = detmath_twofold_of(q, 0.0);
#define DETMATH_TWOFOLD_STEP(HIGH, LOW)                                                            \
    p = detmath_twofold_sum(detmath_twofold_of(HIGH, LOW), detmath_twofold_product(r, p))
    DETMATH_TWOFOLD_STEP(0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83);
    DETMATH_TWOFOLD_STEP(0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80);
    DETMATH_TWOFOLD_STEP(0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76);
    DETMATH_TWOFOLD_STEP(0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73);
    DETMATH_TWOFOLD_STEP(0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76);
    DETMATH_TWOFOLD_STEP(0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73);
    DETMATH_TWOFOLD_STEP(0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65);
    DETMATH_TWOFOLD_STEP(0x1.1111111111111p-7, 0x1.1111111111111p-63);
    DETMATH_TWOFOLD_STEP(0x1.5555555555555p-5, 0x1.5555555555555p-59);
    DETMATH_TWOFOLD_STEP(0x1.5555555555555p-3, 0x1.5555555555555p-57);
    DETMATH_TWOFOLD_STEP(0.5, 0.0);
#undef DETMATH_TWOFOLD_STEP
    return detmath_twofold_sum(r, detmath_twofold_product(detmath_twofold_product(r, r), p));
}

#endif

#include "shield_end.inc"

#endif
