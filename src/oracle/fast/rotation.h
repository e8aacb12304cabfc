/* How are sin, cos and tan of large fp64 arguments found, where a block spans many periods?
 *
 * Inputs of a block lie evenly spaced, and so do their angles. So each is reached from the block's
 * first input by rotations that are known: input number i = 2^13 a + 2^8 b + l by those of a, b and
 * l steps, with
 *     sin(alpha + beta) = sin alpha cos beta + cos alpha sin beta,
 *     cos(alpha + beta) = cos alpha cos beta - sin alpha sin beta.
 * A table has the rotations of 2^13 a, 2^8 b and l steps for all a, b < 2^5 and l < 2^8. It belongs
 * to a binade. Arb computes it, and sine and cosine of the block's first angle, to 2^-120: no
 * argument is too large for that. The angle is |x|, or pi |x| for sinpi, cospi and tanpi.
 *
 * Numbers in three parts. A sine or cosine v is v1 + v2 + v3: v1 a multiple of 2^-26, v2 one of
 * 2^-52 with |v2| <= 2^-27, and v3 a double with |v3| < 2^-51.5. It is off by 2^-105 at most.
 *
 * A product A c + B s of such numbers, which is a sine or cosine again, is the sum of
 *   main  A1 c1 + B1 s1: multiples of 2^-52, at most 1.01 in all, so exact;
 *   mid   A1 c2 + A2 c1 + B1 s2 + B2 s1: multiples of 2^-78, at most 2^-25 in all, so exact;
 *   low   (A1 + A2) c3 + (A2 + A3) c2 + A3 c1 and the same of B and s: six products and five sums,
 *         all below 2^-50, each off by 2^-104 at most.
 * Left out is A3 c3 + B3 s3 < 2^-102. The rounding of A2 + A3 counts 2^-80 2^-27. Dekker's sum of
 * main and mid is exact, because main is a multiple of the last place of mid; its rest and low make
 * one more rounding, 2^-104. So a product is off by less than 2^-100. An error of its factors, e in
 * each of A and B, adds sqrt(2) e, and one of the table 2^-104. After three products the error is
 * below (1 + 1.42 + 2) 1.05 2^-100 < 2^-97 = ROTATION_ABSOLUTE.
 *
 * The tangent is the quotient of sine p + s and cosine q + c (values with their tails). Let v = RN(p
 * / q). With v and q cut to 26 bits and rests of 27, p - v q is computed with an error below 2^-103
 * |p|, and (p - v q + s - v c) / q is the tail; its two other roundings, each relative to at most
 * 2^-51 |v|, are below 2^-102 |v|. Errors of sine and cosine, e = ROTATION_ABSOLUTE each, count
 *     e / |cos| + e |sin| / cos^2 <= e (1 + |y|)^2 <= e + e (2 + Y) |y|  for |y| <= Y.
 * Where |v| is above Y = 2^20 nothing is claimed, and v is NaN. So the bound is e, and relative to
 * |v| it is e (3 + 2^20), which covers the rest. */
#ifndef DETCHECK_ORACLE_FAST_ROTATION_H
#define DETCHECK_ORACLE_FAST_ROTATION_H

#include "op/function/reduction_kind.h"

#include <stdbool.h>
#include <stdint.h>

#define ROTATION_ABSOLUTE     0x1p-97
#define ROTATION_MOST_TANGENT 0x1p20
#define ROTATION_TANGENT      (ROTATION_ABSOLUTE * (ROTATION_MOST_TANGENT + 3))

enum { ROTATION_STEPS = 1 << 8, ROTATION_ROWS = 1 << 5 };

/* Sine and cosine, each in three parts. */
struct turn {
    double sine[3], cosine[3];
};

struct rotation_table {
    int exponent; /* of the binade that it is for */
    bool known;
    double sines[3][ROTATION_STEPS], cosines[3][ROTATION_STEPS]; /* of l steps */
    struct turn rows[2][ROTATION_ROWS];                          /* of 2^8 b, and 2^13 a steps */
};

/* Of a block. */
struct rotation {
    enum reduction_kind function;
    const struct rotation_table *table;
    struct turn first; /* the first input's angle */
    double sign;       /* of the inputs: 1 or -1 */
};

/* Makes the table for the binade of 2^exponent; the angle of x is x, or pi x. */
void rotation_table_make(struct rotation_table *table, int exponent, bool period_two);

/* Sine and cosine at the angle of x > 0. */
struct turn rotation_first(double x, bool period_two);

#endif
