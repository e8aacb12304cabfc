/* Tables of codes, in six forms that are the same to the byte for the same table. */
#ifndef DETCHECK_REPORT_TABLE_H
#define DETCHECK_REPORT_TABLE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 8, TABLE_CELL = 320 };

/* How a column's cells are written where that matters: as they are, or as a number. */
enum column_kind { COLUMN_TEXT, COLUMN_NUMBER };

struct table_column {
    const char *name;
    enum column_kind kind;
    unsigned width; /* in the text form */
};

struct table {
    char title[256];  /* one line: what it is, how it was made */
    char c_name[128]; /* of the array in the C form */
    const struct table_column *columns;
    size_t column_count;
    uint64_t rows;
    /* Writes the cells of a row. */
    void (*row)(void *context, uint64_t row, char cells[TABLE_COLUMNS][TABLE_CELL]);
    void *context;
    /* For the forms c and raw. An element of the array as C writes it: a code or a struct of them.
     */
    const char *c_header, *c_type;
    size_t c_cells[TABLE_COLUMNS]; /* columns that make the element, `c_cell_count` of them */
    size_t c_cell_count;
    /* The code of a row and its bytes; NULL where there is no raw form. */
    uint64_t (*code)(void *context, uint64_t row);
    size_t code_bytes;
};

enum table_form {
    TABLE_TEXT,
    TABLE_MARKDOWN,
    TABLE_CSV,
    TABLE_JSON,
    TABLE_C,
    TABLE_RAW,
    TABLE_FORMS
};
/* "text", "markdown", "csv", "json", "c", "raw". */
extern const char *const table_form_names[TABLE_FORMS];

/* Writes the table. False only where it has no such form; whether all of it arrived is for
 * output_commit to say. */
bool table_write(const struct table *table, enum table_form form, FILE *stream,
                 struct error *error);

#endif
