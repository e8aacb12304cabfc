/* The rows of a comparison, printed below the verdict over all of them. */
#ifndef DETCHECK_CMD_COMPARE_ROWS_H
#define DETCHECK_CMD_COMPARE_ROWS_H

#include "report/compare.h"

#include <stdio.h>

struct compare_rows {
    bool quiet, verbose, csv;
    size_t count, different, partial,
        unpaired; /* partial: not of all inputs that there are; unpaired: in one file only */
    struct printed {
        FILE *stream; /* rows, until the verdict stands above them */
        char *text;
        size_t length;
    } all, shown; /* every row, and those that are shown unless all are */
};

/* `quiet`, `verbose` and `csv` are set before. */
bool compare_rows_open(struct compare_rows *rows, struct error *error);

void compare_rows_take(struct compare_rows *rows, const struct compare_row *row);

/* The verdict, and what differs: of one row the row itself, which says both. The rows are closed then. */
void compare_rows_print(struct compare_rows *rows);

#endif
