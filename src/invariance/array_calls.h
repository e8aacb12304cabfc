/* Operations on arrays: where its arrays lie, when a call is made, by how many threads, on which processor. These are the
 * hooks of rows that are of numbers, too. */
#ifndef DETCHECK_INVARIANCE_ARRAY_CALLS_H
#define DETCHECK_INVARIANCE_ARRAY_CALLS_H

#include "invariance/property.h"

bool array_repetition_run(const struct invariance_request *request, struct property_tally *tally,
                          struct error *error);
bool array_threads_apply(const struct invariance_request *request, const struct binding *binding,
                         struct error *why);
bool array_threads_run(const struct invariance_request *request, struct property_tally *tally,
                       struct error *error);
bool array_alignment_applies(const struct invariance_request *request,
                             const struct binding *binding, struct error *why);
bool array_alignment_run(const struct invariance_request *request, struct property_tally *tally,
                         struct error *error);
bool array_processor_applies(const struct invariance_request *request,
                             const struct binding *binding, struct error *why);
bool array_variants(const struct invariance_request *request, const struct binding *binding,
                    struct variants *variants, struct error *why);
bool array_processor_run(const struct invariance_request *request, struct property_tally *tally,
                         struct error *error);

#endif
