/* The names that causes have, which policies may name. */
#ifndef DETCHECK_EXPLAIN_NAMES_H
#define DETCHECK_EXPLAIN_NAMES_H

#include <stdbool.h>

/* Whether a hypothesis of any kind has the name. */
bool hypothesis_is_name(const char *name);

#endif
