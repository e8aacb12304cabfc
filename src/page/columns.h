/* The histogram as it is drawn: in columns of even steps of log2. A report has finer buckets just above 1/2, which the
 * table beside the plot shows. */
#ifndef PAGE_COLUMNS_H
#define PAGE_COLUMNS_H

#include <cjson/cJSON.h>

/* Errors of 0; those up to 2^-4, 2^-3, ..., 2^24 ulps; and those beyond. */
enum {
    COLUMN_LEAST_LOG2 = -4,
    COLUMN_MOST_LOG2 = 24,
    COLUMNS = COLUMN_MOST_LOG2 - COLUMN_LEAST_LOG2 + 3
};

/* The largest error in ulps of a column; INFINITY of the last one. */
double column_end(int column);
/* How many outputs each column has, by the "histogram" of a report, whose buckets may have other ends: one goes to the column
 * that its end lies in. Without one, NULL, all are 0. */
void columns_of(const cJSON *buckets, double counts[COLUMNS]);
/* The columns without those behind the last one that has any output. */
int columns_used(const double counts[COLUMNS]);

#endif
