/* Keeps the text of rows until all are there, since the verdict stands above them. */
#include "compare_rows.h"

#include "compare_output.h"
#include "signals.h"

#include "base/memory.h"
#include "report/text.h"

#include <stdlib.h>

bool compare_rows_open(struct compare_rows *rows, struct error *error) {
    rows->all.stream = memory_stream(&rows->all.text, &rows->all.length);
    rows->shown.stream = memory_stream(&rows->shown.text, &rows->shown.length);
    return (rows->all.stream && rows->shown.stream) || error_set(error, "out of memory");
}

void compare_rows_take(struct compare_rows *rows, const struct compare_row *row) {
    rows->count++;
    rows->different += !row->equal;
    rows->partial += row->of || row->of_bits;
    if (rows->csv)
        compare_row_csv(stdout, row);
    else if (!rows->quiet) {
        compare_row_print(rows->all.stream, row);
        if (!row->equal)
            compare_row_print(rows->shown.stream, row);
    }
}

/* "3 results equal, 1 differs, 4 in one file only; 2 of a part of the inputs only" */
static void print_verdict(const struct compare_rows *rows) {
    char equal[32], differ[32], partial[32], unpaired[32];
    const size_t same = rows->count - rows->different;
    printf("%s result%s equal, %s differ%s%s%s%s%s%s%s\n", text_grouped(same, equal),
           same == 1 ? "" : "s", text_grouped(rows->different, differ),
           rows->different == 1 ? "s" : "", rows->unpaired ? ", " : "",
           rows->unpaired ? text_grouped(rows->unpaired, unpaired) : "",
           rows->unpaired ? " in one file only" : "", rows->partial ? "; " : "",
           rows->partial ? text_grouped(rows->partial, partial) : "",
           rows->partial ? " of a part of the inputs only" : "");
}

void compare_rows_print(struct compare_rows *rows) {
    const bool before = signals_begin_printing();
    fclose(rows->all.stream);
    fclose(rows->shown.stream);
    if ((rows->count > 1 || (rows->count && rows->unpaired)) && !rows->quiet && !rows->csv)
        print_verdict(rows);
    fputs(rows->verbose || rows->count == 1 ? rows->all.text : rows->shown.text, stdout);
    free(rows->all.text);
    free(rows->shown.text);
    signals_end_printing(before);
}
