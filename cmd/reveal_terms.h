/* Terms and lengths in the text of `detcheck reveal`: which are dropped, added twice, or rounded before they are added. */
#ifndef DETCHECK_CMD_REVEAL_TERMS_H
#define DETCHECK_CMD_REVEAL_TERMS_H

#include "reveal/lengths.h"

/* "3, 7 to 9": those of `count` that a test picks, of which the first has the number `first`. */
void reveal_print_runs(size_t count, bool (*picks)(const void *context, size_t index),
                       const void *context, size_t first, size_t step);
void reveal_print_weights(const struct revealed *revealed);
/* What the terms that count twice are added to, of the first few. */
void reveal_print_twice(const struct revealed *revealed);
/* Names the products that are rounded before they are added, where others are fused. */
void reveal_print_rounded(const struct revealed *revealed);
/* Where c stands, of lengths that are revealed: each wording once, with how many have it. */
void reveal_print_addends(const struct lengths *lengths);

#endif
