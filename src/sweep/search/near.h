/* Inputs of a line whose exact results lie in a narrow band of fractions, without trying the others.
 *
 * An output is a whole number of ulps, so an input whose error is e has an exact result whose
 * fraction is that of -e. Where only errors in a narrow band are wanted, all other inputs can be
 * left out before anything is called; and hard cases lie in such a band by their definition. */
#ifndef DETCHECK_SWEEP_SEARCH_NEAR_H
#define DETCHECK_SWEEP_SEARCH_NEAR_H

#include "sweep/search/line.h"

/* Of the inputs at whole offsets from `first` on, 2^spacing_log2 apart, `length` of them, in order:
 * those whose exact results in units are `low` to `low + width` above a whole number, near enough. At
 * most `most`; returns how many. *length is set to how many were looked at. */
size_t line_near(const struct line_result *result, double first, unsigned spacing_log2,
                 uint64_t *length, double low, double width, double *offsets, size_t most);

/* The width of a band of such inputs, at an offset, below which pieces would hold too few of them to
 * be worth their setting up: a power of two, 1 at most. */
double line_near_least(const struct line_result *result, double at, unsigned spacing_log2);

#endif
