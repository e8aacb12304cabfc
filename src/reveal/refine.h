/* The parameters of the additions of a model, one by one and in pairs: values by which fewer samples differ. */
#ifndef DETCHECK_REVEAL_REFINE_H
#define DETCHECK_REVEAL_REFINE_H

#include "reveal/rivals.h"

/* Whether the parameters are looked for: some additions take several terms at once, or terms are products of a narrow
 * format, as matrix units have them. */
bool refine_provides(const struct finding *finding);

/* How many samples there are: `usual`, or less where parameters are looked for and a call has many products. */
size_t refine_samples(const struct finding *finding, size_t usual);

/* A model of a choice, and what is left beside it. */
struct refined {
    const struct finding *finding;
    struct replay_samples *samples;
    struct choice *choice;
    struct model *model;
    struct rivals *rivals;
};

/* Where samples differ, parameters are changed as long as fewer do, and then the choice; where none does, arrays that tell what
 * else gives all samples apart are drawn and called, which may refute the model: in turns. `sampled` is the replay of
 * the samples before, and then after. */
bool refine_all(const struct refined *refined, uint64_t seed, struct replay *sampled, size_t *tried,
                struct error *error);

#endif
