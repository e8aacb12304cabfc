/* A quick look before all inputs of a large format are compared: at those that show wrong ports of det. */
#ifndef DETCHECK_CMD_EXPLAIN_TELLING_H
#define DETCHECK_CMD_EXPLAIN_TELLING_H

#include "explain/pass.h"

/* Where one side is det, and all of many inputs are to be compared: asks both for the inputs of vectors that tell det from ports
 * with one step changed. If few of these outputs differ, a note says so, and which range explain takes seconds for.
 * An error here says nothing: explain meets it again, and reports it then. */
void explain_tell_first(const struct explain_request *request);

#endif
