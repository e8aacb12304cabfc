/* `via:FORMAT`: a conversion in two steps, by way of another format, as programs do that have no
 * direct one. Both steps are detmath's, in the same rounding and profile (the first by the profile
 * ieee where that one has no rules for the format between); what is wrong is the second rounding.
 */
#ifndef DETCHECK_IMPL_VIA_H
#define DETCHECK_IMPL_VIA_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_via;

#endif
