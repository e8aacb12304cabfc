/* Cases whose results may tell models of a matrix unit apart. */
#ifndef DETCHECK_REVEAL_CASE_DRAW_H
#define DETCHECK_REVEAL_CASE_DRAW_H

#include "reveal/unit_cases.h"

/* Adds `count` of them, d left 0. False: no memory. */
bool case_draw(struct unit_cases *cases, size_t count, uint64_t seed);

#endif
