/* What rows of other properties do for operations whose calls can be rearranged (op/array.h). */
#ifndef DETCHECK_INVARIANCE_REARRANGED_H
#define DETCHECK_INVARIANCE_REARRANGED_H

#include "invariance/property.h"

/* Whether the operation has other calls of the property. */
bool rearranged_has(const struct invariance_request *request, const char *property);
/* Whether the implementation can be asked for one of the property's other calls; else why not. */
bool rearranged_applies(const struct invariance_request *request, const char *property,
                        struct error *why);
/* Compares each call of the domain with its other calls of the property. */
bool rearranged_run(const struct invariance_request *request, struct property_tally *tally,
                    const char *property, struct error *error);

#endif
