/* The model of one length: chosen among those that what was found leaves, and replayed. */
#ifndef DETCHECK_REVEAL_CHOOSE_H
#define DETCHECK_REVEAL_CHOOSE_H

#include "reveal/models.h"
#include "reveal/reveal.h"

/* Says in `revealed` which model it is, how its replay went and what stays open; NOT_TOLD where none can be made. False with
 * an error where the environment fails. */
bool choose_model(struct finding *finding, const struct reveal_request *request,
                  struct revealed *revealed, struct error *error);

#endif
