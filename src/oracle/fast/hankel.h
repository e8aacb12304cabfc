/* How are J_n and Y_n, n = 0 or 1, found at large x, where a block spans a swing or many?
 *
 * J_n(x) + i Y_n(x) = h(x) e^ix for x > 0, where h is smooth (DLMF 10.17.5): with a_0 = 1, a_k = a_(k-1)
 * (4 n^2 - (2k-1)^2) / (8k) and N even,
 *     h(x) = (2 / (pi x))^(1/2) e^(-i pi (n/2 + 1/4)) (q_0(x) + ... + q_(N-1)(x) + R),
 *     q_k(x) = i^k a_k x^-k.
 * The real and the imaginary part of R are at most the first terms that they leave out (DLMF 10.17(iii),
 * for N >= 2): |R| <= |a_N| x^-N + |a_(N+1)| x^-(N+1).
 *
 * Let c be a block's centre, x = c (1 + r), q_k = q_k(c), Q = q_0 + ... + q_(N-1), and h_0 what h is at c
 * without R. Then h(x) without R is h_0 (1 + w(r)),
 *     1 + w(r) = (1 + r)^(-1/2) sum q_k/Q (1 + r)^-k = sum over j of w_j r^j,
 *     w_j = sum over k of q_k/Q (-1/2-k over j).
 * The terms from r^8 on are left out. |1 + w| <= B = sum |q_k/Q| 2^(k + 1/2) for |r| = 1/2, so by Cauchy
 * they are below 1.01 B (2|r|)^8, as |r| < 2^-10 in all blocks.
 *
 * With M = |h_0| and the direction D(x) = h_0/|h_0| e^ix = C + iS, which rotations reach from that of the
 * block's first input (rotation.h), and w = u + iv,
 *     J_n(x) = M (C + (u C - v S)),  Y_n(x) = M (S + (u S + v C)).
 *
 * Let U = 2^-53. C and S come as p + tail, with an error of e = ROTATION_ABSOLUTE each. The small term d
 * is found from the p alone, in plain doubles: by what fit.h says of Horner's rule, and for two products,
 * their sum and the tails, its error is below 1.02 U sum (2j + 6) (|u_j| + |v_j|), u_j and v_j being the
 * coefficients in the block's t. p + d = s + rest by Knuth's sum, exactly; the rest and the tail, of at
 * most 2.1 U, have a sum t with a rounding of U 2.1 U < 2^-104.
 *
 * The product with M = m + m', m being cut to 50 bits, and M - m - m' below 2^-103 M: w = RN(m s). With
 * halves of m of 25 bits, and s cut to 26 bits and a rest of 27, w's error is exact, as in cotangent.h.
 * m t + m' s is below 2^-49 M, so its three roundings and that of its sum with w's error are below 2^-100 M
 * together. The last sum is exact in two parts, by Knuth.
 *
 * So the bound of all is M (2.1 e + 2^-99 + 1.02 U sum (2j + 6) (|u_j| + |v_j|) + 1.01 B (2|r|)^8). It
 * covers R, which is below 2^-110: (2 / (pi x))^(1/2) < 1.1 M. In fp32 the tail is left out, which is 2^-53 of the value.
 *
 * Negative x: J_0 is even, and J_1 is odd. Y is NaN there. */
#ifndef DETCHECK_ORACLE_FAST_HANKEL_H
#define DETCHECK_ORACLE_FAST_HANKEL_H

#include "oracle/fast/rotation.h"

enum {
    HANKEL_TERMS = 8,
    /* From here on a swing takes 2^18 inputs of fp32 or fewer. In fp64 polynomials would do for large
     * blocks until 2^11, but from 2^19 on not even for small ones near zeros. */
    LEAST_HANKEL_EXPONENT = 8,
    HANKEL_MOST_LOG2 = 14 /* of inputs in a block: |r| < 2^-10 */
};

/* Of a block, besides its rotation. */
struct hankel {
    bool second;                                        /* Y, not J */
    double real[HANKEL_TERMS], imaginary[HANKEL_TERMS]; /* u and v: of t^0, which is 0, .. t^7 */
    double scale[2], scale_tail;                        /* m in two halves, and m' */
};

/* For the 2^log2_count numbers from x > 0 on, `spacing` apart. The turn is that of the first one. False
 * where the series is not good enough. */
bool hankel_make(struct hankel *hankel, unsigned order, bool second, double x, double spacing,
                 int log2_count, struct turn *first, double *bound);

#endif
