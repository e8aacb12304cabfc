/* J_n(x) and Y_n(x) where n is so large that Arb's series are long, and x no larger than about n^2:
 * by integrals over paths on which nothing swings.
 *
 * For x > 0 Hankel's function J_n + i Y_n is 1/(pi i) times the integral of e^f(t), f(t) = x sinh t -
 * n t, from -infinity to infinity + pi i (DLMF 10.9.18). The integrand is entire, so the path may be
 * any. It goes through a point where f' is 0, where cosh t = n/x, in straight lines down from there,
 * and Arb's integration encloses it. With h the distance from that point,
 *     f - f(point) = k (cosh h - 1) + n (sinh h - h), k = x sinh(point).
 *
 * x >= n: the point is i b, cos b = n/x; k = i c, c = (x^2 - n^2)^(1/2); f = i (c - n b) there. One
 * line goes left with the angle 195 degrees, one right with 60.
 *
 * x < n: the points are a and -a, cosh a = n/x. c = (n^2 - x^2)^(1/2). J_n is 1/pi times the
 * imaginary part of the integral from a to infinity + pi i: f is real up to a. k = c and f = c - n a
 * there, and the line right has 60 degrees again. Y_n is -1/pi times its real part and the integral
 * from -infinity to a, along the real axis, with its summit at -a, where k = -c and f = n a - c.
 *
 * What the lines leave out. Right of their end u + iv, with u > 0 and 0 <= v <= pi, the path goes up
 * to u + pi i, where Re f falls, and on to the right, where it falls with a slope of x + n at least:
 * at most (pi + 1/(x + n)) e^Re f(end). Left of an end with u < 0 it goes to the real axis, where
 * Re f falls too, and on to the left, where the slope is x cosh u - n at least. */
#ifndef DETCHECK_OP_FUNCTION_BESSEL_INTEGRAL_H
#define DETCHECK_OP_FUNCTION_BESSEL_INTEGRAL_H

#include <arb.h>
#include <stdbool.h>

/* Encloses J_n(x) and Y_n(x) for n > 0 and an exact x > 0; j or y may be NULL. */
void bessel_integral(arb_t j, arb_t y, ulong n, const arb_t x, slong precision);

/* Whether x < n, and J_n(x), which is positive then, is so small that its size is all that matters
 * (INTERVAL_DECIDED_BY_SIZE) by far: by 2^32 and more. J_n(x) <= e^(c - n a) (Watson, 8.4). */
bool bessel_j_is_tiny(ulong n, const arb_t x);

#endif
