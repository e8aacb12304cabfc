/* What `reveal` found, as JSON. */
#ifndef DETCHECK_CMD_REVEAL_DOCUMENT_H
#define DETCHECK_CMD_REVEAL_DOCUMENT_H

#include "reveal/lengths.h"

#include <cjson/cJSON.h>

/* An entry of "results". */
cJSON *reveal_document(const struct reveal_request *request, const struct lengths *lengths);

#endif
