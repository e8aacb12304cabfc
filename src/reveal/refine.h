/* The parameters of the additions of a model, one by one: values by which fewer samples differ, and those that no sample
 * tells apart. */
#ifndef DETCHECK_REVEAL_REFINE_H
#define DETCHECK_REVEAL_REFINE_H

#include "reveal/models.h"

enum { REFINE_TEXT = 200 };

/* Whether the parameters are looked for: some additions take several terms at once, or terms are products of a narrow
 * format, as matrix units have them. */
bool refine_provides(const struct finding *finding);

/* Changes the nodes of a model, one parameter at a time, as long as fewer samples differ. `replay` is that of the model
 * before, and then after. */
bool refine(const struct finding *finding, const struct replay_samples *samples,
            struct model *model, struct replay *replay, size_t *tried, struct error *error);

/* For each parameter that has other values by which no sample differs either: a line with all of them. */
bool refine_open(const struct finding *finding, const struct replay_samples *samples,
                 struct model *model, void (*say)(void *context, const char *line), void *context,
                 struct error *error);

#endif
