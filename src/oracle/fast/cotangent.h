/* How is digamma found left of -2^6, where it goes from pole to pole in ever fewer inputs?
 *
 * The reflection formula
 *     psi(x) = psi(1 - x) + pi cot(pi |x|),  x < 0,
 * parts it into a smooth function, which a polynomial fits (fit.h), and a cotangent, whose sine and
 * cosine rotations give (rotation.h). Between -2^6 and 0 polynomials serve.
 *
 * Let u = 2^-53, A + r the polynomial's value and S >= |r| the sum of its coefficients. v + t is the
 * quotient of cosine and sine, with the error of the tangent: with Y = 2^12 instead of 2^20, above
 * which nothing is claimed, it is e + e (2 + Y) |v| for e = ROTATION_ABSOLUTE, and the roundings of
 * the quotient, 2^-101.4 |v|.
 *
 * The product with pi = P + P' (doubles, but for 2^-108): w = RN(v P), and with v and P cut to 26 bits
 * and rests of 27, v P - w is the sum of w and four products, and exact: P's parts have 25 bits, so no
 * partial sum has more than 53. v P' and t P are below 2^-52 |w| and 2^-51 |w|; their roundings, those of their sum and of what it is added to, are below 2^-102
 * |w| together. So w and its rest are off by pi e, and by less than 2^-83 |w|.
 *
 * A + w = sum + error by Knuth's sum, exactly. The sum of the rest and r is rounded, and so is that
 * with the error: u (2 S + 3 2^-51 |w| + 2 u |sum|), and less than 2^-52 S + 2^-100 (|w| + |A|). The
 * last sum is exact, again by Knuth. All in all psi is off by the polynomial's bound, 4 e, 2^-52 S,
 * 2^-100 |A| and 2^-82 |w|; and |w| <= |p| + |A| + S + |low parts|, below |p| + 2 |A|, since |r| <=
 * |A| / 2. So fit.relative is 2^-82, and what does not depend on p is
 *     bound + 2^-94 + 2^-52 S + 2^-80 |A|.
 *
 * In fp32 the polynomial has no base: A = 0, and |w| < |p| + 2 S. The first of the sums and its error, 0,
 * are exact then, so one rounding of S is left, u S, which leaves u S for what |w| adds, 2^-81 S. The low
 * part of the result is left out, which is u of it: fit.relative is 2^-52. */
#ifndef DETCHECK_ORACLE_FAST_COTANGENT_H
#define DETCHECK_ORACLE_FAST_COTANGENT_H

#include "oracle/fast/rotation.h"

enum { LEAST_COTANGENT_EXPONENT = 6 };

#define COTANGENT_MOST     0x1p12
#define COTANGENT_RELATIVE 0x1p-82

#define COTANGENT_PI      0x1.921fb54442d18p+1
#define COTANGENT_PI_1    0x1.921fb5p+1 /* of 26 bits, and the rest */
#define COTANGENT_PI_2    0x1.110b46p-25
#define COTANGENT_PI_TAIL 0x1.1a62633145c07p-53

#endif
