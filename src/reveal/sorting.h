/* Terms that are sorted before they are added: by what, and in which sequence those that compare equal are. */
#ifndef DETCHECK_REVEAL_SORTING_H
#define DETCHECK_REVEAL_SORTING_H

#include "format/format.h"

/* Of two numbers of one magnitude and unlike signs. Numbers that are the same have no sequence. */
enum sort_ties { TIES_NEGATIVE_FIRST, TIES_POSITIVE_FIRST, TIES_IN_PLACE, SORT_TIES };
extern const char *const sort_ties_names[SORT_TIES];

struct sorting {
    bool sorts;
    bool descending; /* the largest first */
    bool by_value;   /* else by magnitude */
    enum sort_ties ties;
};

/* "magnitude, the least first, of equal ones the negative first" */
const char *sorting_words(const struct sorting *sorting, char *text, size_t room);

/* The numbers of `count` terms, `stride` codes apart, in the sequence in which they are added. */
void sort_terms(const struct sorting *sorting, const struct format *format, const void *codes,
                size_t stride, size_t count, size_t *sequence);

#endif
