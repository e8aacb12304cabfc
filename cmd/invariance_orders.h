/* What a change did to the order of a sum. */
#ifndef DETCHECK_CMD_INVARIANCE_ORDERS_H
#define DETCHECK_CMD_INVARIANCE_ORDERS_H

#include "report/invariance.h"

/* Where batch, blocking, threads or the process changed the bits of a sum: reveals the call of the first change alone and as
 * it was changed, and says in words which orders these have, and where the two part. False with an error where the environment fails. */
bool invariance_orders_print(FILE *stream, const struct invariance_outcomes *all,
                             struct error *error);

#endif
