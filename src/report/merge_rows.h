/* Numbers of JSON that are merged: counts add up. */
#ifndef DETCHECK_REPORT_MERGE_ROWS_H
#define DETCHECK_REPORT_MERGE_ROWS_H

#include "record/record.h"

#include <cjson/cJSON.h>

/* A member that is a number; 0 where there is none. */
double merge_number(const cJSON *object, const char *name);

/* Adds to a member that is a number; one that is missing is 0. */
void merge_add(cJSON *object, const char *name, double more);

#endif
