/* The JSON of a trace, of which a run that was killed while it wrote may have left the beginning only. */
#ifndef DETCHECK_TRACE_DOCUMENT_H
#define DETCHECK_TRACE_DOCUMENT_H

#include "base/error.h"

#include <cjson/cJSON.h>

/* Reads trace.json. Where its end is torn off, the whole lines before that are taken, an operation each, and the
 * trace is one that is not complete. NULL with an error; json_tree_free lets go of it. */
cJSON *trace_document_read(const char *path, struct error *error);

#endif
