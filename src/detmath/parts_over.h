/* Quotients of numbers in two parts. */
#ifndef DETMATH_PARTS_OVER_H
#define DETMATH_PARTS_OVER_H

#include "parts.h"

#include "root.h"

#include "shield.inc"

DETMATH_FUNCTION struct detmath_parts detmath_parts_negative(struct detmath_parts x) {
    x.high = -x.high;
    x.low = -x.low;
    return x;
}

/* a / b, for a b that is no 0. */
DETMATH_FUNCTION struct detmath_parts detmath_parts_over(struct detmath_parts a,
                                                         struct detmath_parts b) {
    struct detmath_parts quotient;
    float inverse = detmath_recipf(b.high), q = detmath_productf(a.high, inverse);
    float rest = detmath_fmaf(-q, b.low, detmath_fmaf(-q, b.high, a.high) + a.low);
    quotient.high = detmath_fmaf(rest, inverse, q);
    rest = detmath_fmaf(-quotient.high, b.high, a.high) + a.low;
    quotient.low = detmath_productf(detmath_fmaf(-quotient.high, b.low, rest), inverse);
    return quotient;
}

#include "shield_end.inc"

#endif
