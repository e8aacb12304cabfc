/* How numbers become packed blocks by definition: what is best, not what a program does. Scales are exact quotients or
 * exact least sums of squares, rounded once, and elements are the nearest codes (op/block/coder.h). */
#ifndef DETCHECK_OP_BLOCK_DEFINE_H
#define DETCHECK_OP_BLOCK_DEFINE_H

#include "op/block/coder.h"

/* By the largest magnitude, or the range where there is a minimum or a zero point. NaN and infinities are passed over.
 * - The scale is that over the largest number that elements have with both signs, or over the distance of their ends,
 *   and over the tensor scale; rounded to the nearest number of its format, at most the largest.
 * - The minimum is the smallest number; 0 at most where the layout subtracts it. The zero point is the integer nearest to
 *   the place of 0, in a range that 0 belongs to.
 * - Where there are sub-scales, the scale is the largest of them over the largest integer that they have with both
 *   signs, and each is the integer nearest to its quotient by the scale as it is stored. Likewise sub-minima. */
void block_define_maximum(const struct block_coder *coder, const float *x, double tensor_scale,
                          uint8_t *bytes);

/* Whether the layout has neither minima nor sub-scales. */
bool block_has_squares(const struct block_layout *layout);

/* By least squares. It takes the scales (and zero points) that can be stored and whose nearest codes have the least exact
 * sum of squared differences from the numbers. It passes over NaN and infinities. If sums are equal, the scale of the
 * smallest magnitude counts, then the first zero point, then the positive scale. Scales may be negative where there is no zero
 * point and elements have an end that the other sign lacks. The scale is 0 where the tensor's is 0 or not finite. False without
 * memory. */
bool block_define_squares(const struct block_coder *coder, const float *x, double tensor_scale,
                          uint8_t *bytes);

#endif
