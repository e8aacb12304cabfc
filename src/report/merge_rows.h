/* Numbers and rows of JSON that are merged: counts add up, sorted lists become one. */
#ifndef DETCHECK_REPORT_MERGE_ROWS_H
#define DETCHECK_REPORT_MERGE_ROWS_H

#include "record/record.h"

#include <cjson/cJSON.h>

/* A member that is a number; 0 where there is none. */
double merge_number(const cJSON *object, const char *name);

/* Adds to a member that is a number; one that is missing is 0. */
void merge_add(cJSON *object, const char *name, double more);

/* Adds each member of `shard`, numbers all of them, to that of `into`. */
void merge_counts(cJSON *into, const cJSON *shard);

/* Which of two rows comes first: below 0 where that is `a`. */
typedef int row_compare(const void *context, const cJSON *a, const cJSON *b);

/* Makes one row of two. */
typedef void row_join(cJSON *mine, const cJSON *other);

/* Merges two sorted lists, and keeps `most` rows. Rows that compare as equal are joined; `join` NULL
 * keeps both. */
void merge_sorted(cJSON *list, const cJSON *shard, row_compare *compare, const void *context,
                  row_join *join, int most);

/* What both have stands there once, as it does in `mine`. */
void merge_same(cJSON *mine, const cJSON *other);

#endif
