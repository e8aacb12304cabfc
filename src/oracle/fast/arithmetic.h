/* Sums, products, quotients and remainders of two numbers of a 16-bit format, and fma, exactly, by double
 * arithmetic: a cheap value without any error, where other functions have one with a bound.
 *
 * The operands x and z have P <= 11 significant bits and 2^-133 <= |x|, |z| < 2^128 where they are
 * not 0 (fp16, bf16). u is the distance of doubles next to a value. No operation below overflows or
 * meets a subnormal double. A value p is either the exact result, or the exact result rounded to
 * odd: truncated to 53 bits, of which the last is then set. No number of fewer bits lies between
 * such a p and the exact result, and p is no such number itself; so every comparison of p with a
 * number of the format, with the middle of two, or with an edge of the histogram (a multiple of
 * 2^-10 ulp; an ulp has 53 - P >= 42 bits of p behind it) has the answer of the exact result. A p
 * whose last bit is 0 is exact.
 *
 * Sums. s = RN(x + z), and Knuth's two-sum gives e with x + z = s + e exactly, for any two doubles
 * without overflow. Where e is not 0, x + z lies strictly between s and its neighbour on e's side;
 * one of the two has an odd last bit, and that one is p. (In fp16 all numbers are multiples of
 * 2^-24 below 2^16, so e is always 0.)
 *
 * Products have 2P <= 22 bits: exact.
 *
 * fma with its first two operands fixed is a sum: their product, which is exact and 0 or from 2^-266
 * to 2^256, and z. What is said of sums holds for any two doubles.
 *
 * Quotients. q = RN(x / z) is split into its first 26 bits h and the rest l, of 27 bits at most; h
 * z and l z have 38 bits at most and are exact. The rest r = x - q z is at most |z| u / 2. All of
 * x, h z and l z are multiples of the last place of z times u(q): of x because u(q) <= 2^-52 |x /
 * z|, and the last places of x and z differ from |x| and |z| by 2^P at most. In that unit x - h z
 * is below 2^(27 + P) and r below 2^P: both subtractions are exact. x / z = q + r / z, and r's and
 * z's signs tell on which side of q it lies: p as for sums.
 *
 * fmod is long division in base 2^40. r begins as |x|; for m = |z| 2^(40 s), from the first s with
 * |x| < 2^40 m down to s = 0, n = floor(r / m) is taken and n m subtracted, so that r < m and r <
 * 2^40 m' for the next. Let g be the smaller of the last places of r and m, X = r / g and Y = m /
 * g.
 * - Where g is that of m, Y < 2^P, and X is an integer below 2^(40 + P). If X / Y is no integer, it
 *   is at least 2^-P below the next one, which exceeds what rounding a quotient below 2^40 adds,
 *   2^-14; so RN(X / Y) has the floor of X / Y. n Y <= X < 2^51 is exact, and so is X - n Y < Y,
 *   which has P bits again.
 * - Where g is that of r, and smaller than m's, r is x itself or has not more bits: after a step of
 *   the first kind r's last place is at least m's, and that of the next m is smaller still, so such
 *   a step only comes while no other has. Then X < 2^P. If Y > X, X / Y <= 1 - 2^-(P + 1), n = 0.
 *   Otherwise Y <= X < 2^P, and the reasoning of the first kind holds. X - n Y has P bits.
 * The floor itself: q + 2^52 - 2^52 is q < 2^40 rounded to an integer, and 1 is subtracted where
 * that exceeds q. The result has the sign of x, zero too.
 *
 * remainder goes on from fmod's r < m = |z|, and the last n, whose parity is that of trunc(x / z),
 * since what was subtracted before are multiples of 2^40 z: where 2 r > m, or 2 r = m and n is odd,
 * m is subtracted; exact, since m/2 <= r < m (Sterbenz).
 *
 * fdim is a sum, or 0.
 *
 * In fp64 there are sums, differences and fdim, in two parts: s and e as above, and no rounding to
 * odd. Where got - s is exact, as it is wherever the two are within a few ulps of each other,
 * got - s - e rounded to odd is the error. (Where they are not, the error is none to be sure of.)
 *
 * Where z is 0 or an operand no finite number, quotients and remainders may come to a NaN or an
 * infinity; nothing is claimed then, and MPFR decides. A zero among the sums of x and -x has a sign
 * that depends on the rounding: `is_sum` says where to look out for that. */
#ifndef DETCHECK_ORACLE_FAST_ARITHMETIC_H
#define DETCHECK_ORACLE_FAST_ARITHMETIC_H

#include "op/function/arithmetic_function.h"

#include <stdbool.h>
#include <stdint.h>

/* Of a block: the results at codes first, first + 1, ... of z, for one x. */
struct arithmetic {
    enum arithmetic_function function; /* ARITHMETIC_NONE: the block has another form */
    bool is_sum;                       /* a zero may be a cancelled sum */
    double fixed;                      /* x; of fma x * y */
    uint64_t first;                    /* the code of the block's first z */
    int precision, least_exponent;     /* of the format: P, and emin, biased as in a double */
};

#endif
