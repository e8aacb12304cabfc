/* What `reveal` found, as text. */
#ifndef DETCHECK_CMD_REVEAL_OUTPUT_H
#define DETCHECK_CMD_REVEAL_OUTPUT_H

#include "reveal/lengths.h"

/* To stdout, for people. */
void reveal_print(const struct reveal_request *request, const struct lengths *lengths);

#endif
