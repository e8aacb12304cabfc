/* Two files of tensors beside one another, as text and as JSON. */
#ifndef DETCHECK_CMD_COMPARE_TENSORS_H
#define DETCHECK_CMD_COMPARE_TENSORS_H

#include "command.h"

#include <cjson/cJSON.h>

struct tensors_compared {
    size_t count; /* of pairs */
    bool differ;
};

/* Compares the two files that the arguments name. Prints the verdict, what differs, and what has no counterpart, unless
 * `quiet`; adds a member for each pair to `rows`, which may be NULL. An error where nothing can be compared. */
bool tensors_compare(const struct arguments *arguments, bool quiet, cJSON *rows,
                     struct tensors_compared *compared, struct error *error);

#endif
