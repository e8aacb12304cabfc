/* Cells of tables of the page. */
#ifndef DETCHECK_PAGE_CELLS_H
#define DETCHECK_PAGE_CELLS_H

#include "page/figure.h"

#include "format/format.h"

/* The headings of columns, up to NULL; those of numbers have a # before them. */
void cell_headings(const struct page *page, const char *const *names);

void cell_text(const struct page *page, const char *text);
/* A number: `sort` is what the script sorts by. */
void cell_number(const struct page *page, double sort, const char *text);
void cell_count(const struct page *page, uint64_t count, bool bad);

/* In a cell: a code with its value, where the format is one of ours. */
void cell_code(const struct page *page, const struct format *format, const cJSON *item);
/* A cell with an input: a code, or a list of those of the operands. */
void cell_input(const struct page *page, const struct format *format, const cJSON *input);

#endif
