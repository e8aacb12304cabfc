/* Where c stands, that comes into sums of products (--addend), in an order that is known. */
#ifndef DETCHECK_REVEAL_ADDEND_H
#define DETCHECK_REVEAL_ADDEND_H

#include "reveal/replay.h"

enum { ADDEND_TEXT = 256 };

/* The places, in words, at which the model gives all results of calls with c; "" where none comes in. False with an error where
 * the environment fails. The model is that of calls whose c is 0. */
bool addend_find(struct subject *subject, const struct model *model, uint64_t seed,
                 char words[ADDEND_TEXT], struct error *error);

#endif
