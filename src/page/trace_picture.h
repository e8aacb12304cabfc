/* The picture of a comparison of traces, and histograms of its operations. */
#ifndef DETCHECK_PAGE_TRACE_PICTURE_H
#define DETCHECK_PAGE_TRACE_PICTURE_H

#include "page/figure.h"
#include "trace/compare.h"

/* Whether the row has a place of its own on the page, which its dot leads to: all that did not merely follow, up to some
 * number of them. */
bool trace_has_place(const struct trace_row *row, unsigned number);

/* The run as a line of operations, the largest distance in ulps upwards. */
void trace_picture(const struct page *page, const struct trace_comparison *comparison);

/* How many elements of a row are how far apart. */
void trace_histogram(const struct page *page, const struct trace_row *row);

#endif
