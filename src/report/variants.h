/* What became of the variants of the property processor, as JSON and as lines. */
#ifndef DETCHECK_REPORT_VARIANTS_H
#define DETCHECK_REPORT_VARIANTS_H

#include "invariance/invariance.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* "variants" of a property's row, whether the property was tested or not; nothing of one that takes none. */
void variants_add(cJSON *row, const struct property_outcome *one, const struct variants *variants,
                  int result);

/* A line for each, of a property that was tested. */
void variants_print(FILE *stream, const struct property_outcome *one,
                    const struct variants *variants, int result);

#endif
