/* What the first array refutes that differs from a model: in the text of `detcheck reveal`, and in its JSON. */
#ifndef DETCHECK_CMD_REVEAL_REFUTED_H
#define DETCHECK_CMD_REVEAL_REFUTED_H

#include "base/json.h"
#include "reveal/refute.h"

/* Nothing where nothing was looked at. */
void reveal_print_refuted(const struct refuted *refuted);
void reveal_add_refuted(cJSON *object, const struct refuted *refuted);

#endif
