/* What a page says of two implementations that were compared: a comparison of detcheck-compare(1), an explanation of
 * detcheck-explain(1), or both of the same two. */
#ifndef DETCHECK_PAGE_PAIRS_H
#define DETCHECK_PAGE_PAIRS_H

#include "page/figure.h"

enum { PAIR_NAME = 256 };

struct page_pair {
    const struct read_compared *compared;        /* or NULL */
    const struct read_result *result;            /* of the explanation */
    const struct read_implementation *explained; /* or NULL */
    const char *path;                            /* of the first of the two */
    bool is_figure; /* the page has only explanations, and shows this one among its figures */
    char names
        [2]
        [PAIR_NAME]; /* how the page calls the two: "A" if that is the report, or a name of their own */
};

/* Gathers the pairs of the sources. */
bool pairs_make(struct page *page, const struct page_sources *sources, struct error *error);
void pairs_free(struct page *page);

const char *pair_operation(const struct page_pair *pair);
const char *pair_format(const struct page_pair *pair);
bool pair_differs(const struct page_pair *pair);

/* A text in which the sides are called A and B, with the page's names. */
void pair_text(const struct page *page, const char *const names[2], const char *text);

/* The verdict on each pair: a sentence on the cause, and one with the counts. */
void pairs_headline(const struct page *page);

/* A part for each pair that is no figure. */
void pairs_print(const struct page *page);

#endif
