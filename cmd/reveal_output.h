/* What `reveal` found, as text and as JSON. */
#ifndef DETCHECK_CMD_REVEAL_OUTPUT_H
#define DETCHECK_CMD_REVEAL_OUTPUT_H

#include "reveal/lengths.h"

#include <cjson/cJSON.h>

/* To stdout, for people. */
void reveal_print(const struct reveal_request *request, const struct lengths *lengths);

/* An entry of "results". */
cJSON *reveal_document(const struct reveal_request *request, const struct lengths *lengths);

#endif
