/* Where the rounding of an exact result changes.
 *
 * A boundary of a rounding to a format is a real number at which what the rounding returns changes:
 * the codes that it gives just below, at and just above that number are not all the same. To
 * nearest, these are the middles between two neighbouring numbers; in the directed roundings, the
 * numbers themselves. At the ends only what does change counts: where overflow becomes the largest
 * number nothing changes beyond the last boundary before it, and where small numbers become 0,
 * rounding toward 0, nothing changes at 0. A result has its own sign, and the change from -0 to 0
 * does not count. */
#ifndef DETCHECK_ORACLE_BOUNDARY_H
#define DETCHECK_ORACLE_BOUNDARY_H

#include "format/cast.h"

/* Whether a result is one whose distance is known: finite, not 0, and not far beyond the range of
 * the format, where it is a quarter of the smallest number at least. */
bool boundary_is_near(const struct format *format, const struct real *y);

/* The distance of such an exact result from the nearest boundary, in ulp(y) (ARCHITECTURE.md, "The
 * error in ulps"): at most 0.5 to nearest, where the format has a zero and y does not overflow; at
 * most 2 wherever it is. The cast is that to the format, whose rounding is not stochastic; of the
 * results of all other operations the one by the profile ieee. 0 where y lies at a boundary
 * exactly; at least boundary_resolution where y is inexact. Infinite where there is none: a result
 * below 0 in a format without sign. */
double boundary_distance(const struct cast *cast, const struct real *y);

/* The distances below this cannot be told from each other by a result of ORACLE_MOST_BITS. */
double boundary_resolution(const struct format *format);

#endif
