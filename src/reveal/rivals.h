/* What is left beside a model that gives all samples: models that differ from it in a parameter or two, or in a row of an
 * axis, and give them, too. Arrays on which they differ from the model, or from each other, are drawn, and the
 * implementation is called on these, until no array tells those that are left apart. */
#ifndef DETCHECK_REVEAL_RIVALS_H
#define DETCHECK_REVEAL_RIVALS_H

#include "reveal/node_parameters.h"

struct rival;
struct rivals {
    struct rival **of;
    size_t count, room;
    /* Values of each parameter of each node, by their places in node_parameter_values, that some model among them has. */
    uint64_t has[ORDER_MOST_NODES][NODE_PARAMETERS];
};

/* Draws and calls, and takes another model in place of one that a call refutes: `refuted` says that no rival is left that
 * would give all samples. */
struct telling {
    const struct finding *finding;
    struct replay_samples *samples;
    struct choice *choice;
    struct model *model;
    uint64_t seed, drawn;
    size_t tried; /* models */
};
bool rivals_tell(struct rivals *rivals, struct telling *telling, bool *refuted,
                 struct error *error);
/* For each parameter of which models with several values give all samples: a line with all of them. */
void rivals_open(const struct rivals *rivals, const struct finding *finding,
                 const struct model *model, void (*say)(void *context, const char *line),
                 void *context);
void rivals_close(struct rivals *rivals);

#endif
