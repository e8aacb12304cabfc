/* Names with aliases, and the nearest name to a misspelt one. */
#ifndef DETCHECK_BASE_NAMES_H
#define DETCHECK_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `text` is `name` or one of the space-separated words of `aliases` (which may be NULL).
 * Upper and lower case are the same, and so are '-' and '_'. */
bool name_matches(const char *text, const char *name, const char *aliases);

/* Whether the name or an alias begins with `text`, which is not empty, in the same way. */
bool name_begins(const char *text, const char *name, const char *aliases);

/* The entry nearest to `text` by edit distance (insert, delete, replace, swap of neighbours), or
 * NULL when none is near enough to be what was meant (more than a third of the letters differ). */
const char *name_nearest(const char *text, const char *const *names, size_t count);

#endif
