/* Places where the errors of a function are known to grow, whoever implements it. */
#ifndef DETCHECK_SWEEP_SEARCH_GROWTH_H
#define DETCHECK_SWEEP_SEARCH_GROWTH_H

#include "sweep/search/population.h"

/* Whether such places are known:
 *   of functions with poles at the negative integers, next to a pole, or to a zero between two poles;
 *   of powers, where the exponent of the result is near the largest or the smallest one. */
bool growth_is_known(const struct operation *operation);

/* The codes of one of them, which need not be among what is searched. */
void growth_draw(const struct operation *operation, const struct draws *draws, uint64_t *codes);

#endif
