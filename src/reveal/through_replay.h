/* Replaying a sum inside of an operation: arrays whose terms are known, and what the operation makes of a sum.
 *
 * Exponentials are drawn from a few hundred that are known: of softmax those that the implementation returned where the
 * sum was 2. What else an operation makes of a sum is not modelled: an array of a few terms is planted that has the sum
 * that the model says, and both have to come to the same result. */
#ifndef DETCHECK_REVEAL_THROUGH_REPLAY_H
#define DETCHECK_REVEAL_THROUGH_REPLAY_H

#include "reveal/subject.h"

enum { THROUGH_FAMILIES = 6 };
extern const char *const through_family_names[THROUGH_FAMILIES];

/* Draws the values and measures them; subject_close frees them. */
bool through_replay_open(struct subject *subject, struct error *error);

/* By rows that are moved as far as exponentials overflow, and below 0 as far. */
bool through_shift_find(struct subject *subject, enum through_shift *shift, struct error *error);

/* Whether exponentials are known as the implementation returned them. */
bool through_is_measured(const struct subject *subject);
enum through_shift through_shift_of(const struct subject *subject);

/* The operands of call number `call`; the reader is one of the terms. */
void through_draw(struct subject *subject, uint64_t seed, uint64_t call);

/* A model of the terms, their sum and what comes of it. */
struct through_model {
    struct order_plan *plan;
    struct through_choice choice;
};

/* What a call of those operands returns by the model: lines times columns, and whether that is known; of sums that could
 * not be planted it is not. The subject's own operands are others after it. */
bool through_expect(struct subject *subject, const struct through_model *model,
                    const struct array_call *call, uint64_t *expected, bool *known,
                    struct error *error);

#endif
