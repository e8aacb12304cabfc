/* Arrays drawn to tell models of a matrix unit apart: a few numbers, or products, about the last bits of each other. */
#ifndef DETCHECK_REVEAL_TELLING_H
#define DETCHECK_REVEAL_TELLING_H

#include "reveal/subject.h"

/* Lays array number `number` of a seed into the operands of the subject. */
void telling_draw(struct subject *subject, uint64_t seed, uint64_t number);

#endif
