/* A JSON document as the outcome of a command. */
#ifndef DETCHECK_BASE_JSON_OUTPUT_H
#define DETCHECK_BASE_JSON_OUTPUT_H

#include "base/error.h"
#include "base/output.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes the document and the end of a line to a stream, and deletes it in any case. False when
 * there is no memory; whether the text arrived is for who closes the stream to say. */
bool json_print(cJSON *document, FILE *stream);

/* The same to an open output, which is committed. False with an error when there is no memory or
 * the output cannot be written; the output is closed either way. */
bool json_commit(cJSON *document, struct output *output, struct error *error);

#endif
