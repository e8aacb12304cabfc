/* A JSON document as the outcome of a command. */
#ifndef DETCHECK_BASE_JSON_OUTPUT_H
#define DETCHECK_BASE_JSON_OUTPUT_H

#include "base/error.h"
#include "base/output.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Writes the document and the end of a line to an open output and commits that. Deletes the
 * document in any case. False with an error when there is no memory or the output cannot be
 * written. */
bool json_commit(cJSON *document, struct output *output, struct error *error);

#endif
