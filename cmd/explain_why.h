/* Between explain.c, which reads what to explain, and src/explain: one result of two implementations. */
#ifndef DETCHECK_CMD_EXPLAIN_WHY_H
#define DETCHECK_CMD_EXPLAIN_WHY_H

#include "explain/row.h"

/* Asks why, and once more with the rewritings that give what a side gives. They are looked for last, and not where
 * anything happened beside the outputs, so that the look takes no event that the answer should tell of. If the second
 * look is interrupted, the outcome is that of the first. */
bool explain_why(const struct explain_request *request, struct explain_outcome *outcome,
                 struct error *error);

/* The error of an interrupted run: what is known of the inputs that were compared. Unchanged where there are none. */
void explain_say_stopped(const struct explain_row *row, const struct explain_request *request,
                         struct error *error);

#endif
