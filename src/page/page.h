/* Reports as one HTML page that needs nothing but itself: no network, no script to be read.
 *
 * What several reports have of one operation, format and rounding stands side by side. Where their
 * outputs are the same (equal fingerprints) they are told once, with the letters of the reports. */
#ifndef DETCHECK_PAGE_PAGE_H
#define DETCHECK_PAGE_PAGE_H

#include "gate/gate.h"
#include "order/order.h"
#include "report/comparison_read.h"
#include "trace/compare.h"

#include <stdbool.h>
#include <stdio.h>

enum { PAGE_MOST_REPORTS = 26 }; /* a letter each */

/* What a page is made of. Reports stand side by side, a letter each. Comparisons of detcheck-compare(1) and explanations of
 * detcheck-explain(1) are about two implementations: they have no letter, and name those of the reports that they are about. */
struct page_sources {
    const struct read_report *reports;
    size_t report_count;
    const struct read_report *explanations;
    size_t explanation_count;
    const struct read_comparison *comparisons;
    size_t comparison_count;
    const struct gate *gate; /* the verdict over the reports, or NULL */
};

/* Writes the page. Whether it arrived is for the caller to see. */
bool page_write(const struct page_sources *sources, FILE *stream, struct error *error);

/* Likewise of orders: documents of order/order.h or of detcheck-reveal(1), of which `paths` are the names. `first` is the
 * text of the first one, which has been read. */
bool page_is_of_orders(const char *text);
bool page_write_orders(const char *const *paths, size_t count, const char *first, size_t length,
                       FILE *stream, struct error *error);

/* Likewise of a comparison of traces (trace/compare.h). */
bool page_is_of_trace(const char *text);
void page_write_trace(const struct trace_comparison *comparison, FILE *stream);

#endif
