/* Policies of one line a rule, "exp fp32 max-ulp 1": the JSON document that says the same, and the line
 * of each of its rules. detcheck-policy-lines(7) says what a line may hold. */
#ifndef DETCHECK_GATE_FLAT_H
#define DETCHECK_GATE_FLAT_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/* The numbers of the lines, from 1, in the order of the document's rules and exceptions; malloc'd. */
struct flat_lines {
    int *rules, *exceptions;
};

/* Whether the text begins as no JSON does: with a letter, a pattern or a remark. */
bool flat_is(const char *text);

/* Takes the text over, in any case. `members` are the names that a rule may have, and end with NULL.
 * NULL with an error that says the line; the document is json_tree_free's. */
cJSON *flat_parse(char *text, size_t length, const char *path, const char *const *members,
                  struct flat_lines *lines, struct error *error);

#endif
