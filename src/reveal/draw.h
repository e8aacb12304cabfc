/* Random arrays of several families. */
#ifndef DETCHECK_REVEAL_DRAW_H
#define DETCHECK_REVEAL_DRAW_H

#include "reveal/subject.h"

enum { REPLAY_FAMILIES = 6 };
extern const char *const replay_family_names[REPLAY_FAMILIES];

/* The operands of call number `call`, drawn: those of a family by turns. */
void replay_draw(struct subject *subject, uint64_t seed, uint64_t call);

/* Puts the terms of the first line into another sequence, of both factors. */
void replay_permute(struct subject *subject, uint64_t seed, uint64_t call);

/* Gives numbers of one magnitude one sign, so that sorting the first line has one result. */
void replay_untie(struct subject *subject);

#endif
