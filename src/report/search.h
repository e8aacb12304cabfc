/* How the inputs of a search were found, in words. */
#ifndef DETCHECK_REPORT_SEARCH_H
#define DETCHECK_REPORT_SEARCH_H

#include "sweep/search/search.h"

#include <stdio.h>

/* What was sought and is no error of an implementation: differences, and distances from a boundary. And errors
 * of answers that did not come again when the finds were judged, which the outcome is of. */
void search_print(FILE *stream, const struct sweep_request *request,
                  const struct search_record *record, const struct sweep_outcome *outcome);

#endif
