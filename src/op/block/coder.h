/* The numbers that elements of a layout can be, and the nearest of them, without rounding on the way.
 *
 * An element with number n stands for scale * (n - zero) + minimum. Two neighbours n < m part at half of the sum of what
 * they stand for. That is exact in double for all layouts: a scale has at most 28 bits, or 24 where the elements are of
 * bitsandbytes' tables, whose sums have at most 29. */
#ifndef DETCHECK_OP_BLOCK_CODER_H
#define DETCHECK_OP_BLOCK_CODER_H

#include "op/block/layout.h"

enum { BLOCK_NUMBERS = 256 };

struct block_coder {
    const struct block_layout *layout;
    unsigned count;                /* finite numbers; of equal ones, the one that comes first */
    double numbers[BLOCK_NUMBERS]; /* ascending */
    uint8_t codes[BLOCK_NUMBERS];
    int negative_zero, nan; /* their codes; -1: there is none */
};

void block_coder_prepare(struct block_coder *coder, const struct block_layout *layout);

/* The place of the number that lies nearest to x; of two, the one whose code is even. Infinities are held to the ends. NaN,
 * and everything where the scale is 0 or not finite, or the minimum is not finite, has the place of the number nearest to
 * the zero point. */
unsigned block_nearest(const struct block_coder *coder, const struct block_affine *affine,
                       double x);

/* The code of that: -0 where the quotient is 0 or rounds to it, has the sign, and the elements have -0; NaN for NaN where
 * they have one. */
uint32_t block_nearest_code(const struct block_coder *coder, const struct block_affine *affine,
                            double x);

/* The code of the number of a format that lies nearest to one, at most the largest; ties to even. Of NaN
 * that of 0, and where the format lacks 0, of its smallest number. */
uint32_t block_nearest_scale(const struct format *format, double number);

/* Writes the nearest codes of a block whose other fields are there, and sums of elements where the layout has them. The
 * bits of both are 0 before. */
void block_code_elements(const struct block_coder *coder, const float *x, double tensor_scale,
                         uint8_t *bytes);

#endif
