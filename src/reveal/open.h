/* What no array decides of a model that is revealed. */
#ifndef DETCHECK_REVEAL_OPEN_H
#define DETCHECK_REVEAL_OPEN_H

#include "reveal/reveal.h"
#include "reveal/rivals.h"

/* A line more, where there is room. */
void open_add(void *revealed, const char *line);
/* A line for each axis with other rows by which no sample differs either; then those of nodes. */
bool open_find(const struct finding *finding, struct replay_samples *samples,
               const struct choice *chosen, const struct rivals *rivals, struct revealed *revealed,
               struct error *error);

#endif
