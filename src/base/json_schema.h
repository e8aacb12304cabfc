/* Which kind of document a text of JSON is, before it is parsed. */
#ifndef DETCHECK_BASE_JSON_SCHEMA_H
#define DETCHECK_BASE_JSON_SCHEMA_H

#include <stdbool.h>

/* Whether the text begins as an object whose first member is "schema", and that is this one. */
bool json_begins_with_schema(const char *text, const char *schema);

#endif
