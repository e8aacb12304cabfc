/* Built inputs among special ones. */
#ifndef DETCHECK_SWEEP_BUILT_SPECIALS_H
#define DETCHECK_SWEEP_BUILT_SPECIALS_H

#include "sweep/built/built.h"
#include "sweep/domain.h"

/* Adds BUILT_SPECIALS inputs to a domain of numbers, which is a list then, of the same kind. On failure it is as it was. */
bool domain_add_built(struct domain *domain, const struct built_request *request,
                      struct error *error);

#endif
