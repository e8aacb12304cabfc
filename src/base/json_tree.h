/* A JSON text as a tree of cJSON that holds little more than the text: the nodes lie in blocks, and
 * names and strings stay where they stand in the text.
 *
 * Such a tree is read, compared and copied with cJSON's functions; it must not be changed. Copies
 * of cJSON_Duplicate share the names, so the tree outlives them; those of json_copy do not. */
#ifndef DETCHECK_BASE_JSON_TREE_H
#define DETCHECK_BASE_JSON_TREE_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stddef.h>

/* Parses one JSON value, and takes over `text`, from malloc, of `length` bytes and a NUL, in any
 * case. `path` is for errors, which say the line and the column: no UTF-8, a NUL,
 * nested too deep, no JSON, a name twice in an object, and so many values for the length of the
 * text that they would take up much more memory than the text did. */
cJSON *json_tree_make(char *text, size_t length, const char *path, struct error *error);
void json_tree_free(cJSON *tree); /* or NULL */

/* A copy of an item with all below it, the caller's to cJSON_Delete, that needs nothing of the
 * original. NULL when there is no memory. */
cJSON *json_copy(const cJSON *item);

#endif
