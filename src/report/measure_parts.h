/* Measures that have a figure for each of many parts of the inputs or outputs: the binades, the steps of an
 * envelope, the ends of a histogram. */
#ifndef DETCHECK_REPORT_MEASURE_PARTS_H
#define DETCHECK_REPORT_MEASURE_PARTS_H

#include "report/measures.h"

/* Each reads the parts of a measure whose other members are set, and sets its value: the sum of counts, the largest
 * of others. False when memory is out. Of what is no figure nothing is taken. */

/* A member of each row of "by_binade". */
bool measure_read_binades(struct measure *measure, const cJSON *rows, const char *member);

/* How many outputs have an error above each end of a bucket of "histogram". `beyond` are outputs that have no error in ulps
 * because they are wrong: NaN mismatches, which lie above each end, so that who repairs them makes no figure larger. */
bool measure_read_histogram(struct measure *measure, const cJSON *buckets, double beyond);

/* A member of "envelope", in ulps where it is an error: of "least" how far it is below 0, of "largest" how far
 * above. */
bool measure_read_steps(struct measure *measure, const cJSON *envelope, const char *member);

/* What became of a figure that was `was` and is `is`. */
enum measure_change measure_compare(const struct measure *measure, double was, double is);

/* Part by part; a part that was told of and no longer is, is worse. */
void measure_compare_parts(const struct measure *was, const struct measure *is,
                           struct measure_difference *difference);

#endif
