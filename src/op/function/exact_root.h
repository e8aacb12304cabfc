/* Exact results of roots: the only ones of algebraic functions that come by the thousand, and that
 * no approximation can tell from their neighbours. */
#ifndef DETCHECK_OP_FUNCTION_EXACT_ROOT_H
#define DETCHECK_OP_FUNCTION_EXACT_ROOT_H

#include "format/real.h"

#include <stdbool.h>

/* Whether y^root = x, by integer arithmetic, for root 2 or 3 and numbers of at most 53 bits. False
 * for anything but finite numbers other than zero. */
bool is_exact_root(const struct real *y, const struct real *x, int root);

#endif
