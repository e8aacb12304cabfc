/* The conversions of detmath, for det and cr, which are the same there. */
#ifndef DETCHECK_IMPL_CAST_H
#define DETCHECK_IMPL_CAST_H

#include "impl/implementation.h"

/* As the calls of a kind, for requests of the operation cast. */
bool cast_bind(struct binding *binding, struct error *why);
bool cast_fill(struct binding *binding, const struct slice *slice, struct error *error);
void cast_unbind(struct binding *binding);

#endif
