/* What became of the variants of the property processor, as JSON and as lines. */
#ifndef DETCHECK_REPORT_VARIANTS_H
#define DETCHECK_REPORT_VARIANTS_H

#include "invariance/invariance.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* A line for each, of a property that was tested. */
void variants_print(FILE *stream, const struct property_outcome *one,
                    const struct variants *variants, int result);

#endif
