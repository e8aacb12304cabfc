/* How are sin, cos and tan of large fp64 arguments found, where a block spans many periods?
 *
 * Inputs of a block lie evenly spaced, and so do their angles. So each is reached from the block's
 * first input by rotations that are known: input number i = 2^13 a + 2^8 b + l by those of a, b and
 * l steps, with
 *     sin(alpha + beta) = sin alpha cos beta + cos alpha sin beta,
 *     cos(alpha + beta) = cos alpha cos beta - sin alpha sin beta.
 * A table has the rotations of 2^13 a, 2^8 b and l steps for all a, b < 2^5 and l < 2^8. It belongs
 * to a binade. Arb computes the first step of each kind, and sine and cosine of the block's first
 * angle, to 2^-120: no argument is too large for that. The others are powers of the first, which
 * fixed-point arithmetic multiplies: 2^-126 for the first, and 2 16 2^-126 in sine and in cosine for
 * each further one, which makes 2^8 47 2^-126 < 2^-112 in all, since rotations enlarge no error. The angle is |x|, or pi |x| for sinpi, cospi and tanpi.
 *
 * Numbers in three parts. Let u = 2^-53. A sine or cosine v is v1 + v2 + v3: v1 a multiple of
 * 2^-26, v2 one of 2^-52 with |v2| <= 2^-27, and v3 a double with |v3| <= a u. In the tables, and
 * for the first input, a = 1 and v is off by u^2 at most: v3 is off by u^2/2, as a double of at
 * most u, and by 2^-116 for what is rounded before.
 *
 * A product A c + B s of such numbers, which is a sine or cosine again, is the sum of
 *   main  A1 c1 + B1 s1: multiples of 2^-52, at most 1.01 in all, so exact;
 *   mid   A1 c2 + A2 c1 + B1 s2 + B2 s1: multiples of 2^-78, at most 2^-25 in all, so exact;
 *   low   (A1 + A2) c3 + (A2 + A3) c2 + A3 c1 and the same of B and s.
 * The table has c and s, so |c3|, |s3| <= u, while |A3|, |B3| <= a u. As A and B make a turn, and c
 * and s, the six products of low are below L u together, L = 1.42 + 1 + 1.42 a. Dekker's sum of main
 * and mid is exact, because main is a multiple of the last place of mid; its rest is at most u. The
 * rest, low, and what v2 of the product leaves, at most u, are its v3. So the a of a product is 2 +
 * L: 5.84 after one turn, and 12.72 (2^-49.3) after two.
 *
 * In units of u^2, low's products are off by L, and its sums by 2 L + 2.42. The rounding of A2 + A3
 * counts 1, and A3 c3 + B3 s3, which is left out, 2 a. Adding low to the rest counts 1 + L, and
 * adding that to what v2 leaves 2 + L; the last product has a tail instead, which is off by 1 + L
 * at most where the sum is smaller than the rest, and else exact. All these are 5 L + 2 a + 6.42:
 * below 28, 72 and 135 for the three products. An error e of A and of B adds sqrt(2) e, and that of
 * the table 1.42. So the errors are below 31, 118 and 305 u^2 < 2^-97.7 < ROTATION_ABSOLUTE.
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

#include "format/format.h"
#include "op/function/reduction_kind.h"

#include <acb.h>
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

/* Makes the table for the format's binade of 2^exponent; the angle of x is x, or pi x. */
void rotation_table_make(struct rotation_table *table, const struct format *format, int exponent,
                         bool period_two);

/* Sine and cosine at the angle of x > 0. */
struct turn rotation_first(double x, bool period_two);

/* cos + i sin in three parts each. */
void rotation_split(struct turn *turn, const acb_t direction);

#endif
