/* Gathering and printing the ratios. */
#include "bench_ratios.h"

#include "base/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 12 };

/* RATIO_COLUMNS where there is no room for one more. */
static size_t column_of(struct bench_ratios *ratios, const char *name) {
    size_t i = 0;
    while (i < ratios->column_count && strcmp(ratios->columns[i], name) != 0)
        i++;
    if (i == ratios->column_count && i < RATIO_COLUMNS)
        snprintf(ratios->columns[ratios->column_count++], sizeof ratios->columns[0], "%s", name);
    return i;
}

bool bench_ratios_add(struct bench_ratios *ratios, const char *operation,
                      const struct bench_outcome *outcome, struct error *error) {
    if (ratios->line_count == ratios->room) {
        size_t room = ratios->room ? 2 * ratios->room : 64;
        struct ratio_line *lines = realloc(ratios->lines, room * sizeof *lines);
        if (!lines)
            return error_set(error, "out of memory");
        ratios->lines = lines;
        ratios->room = room;
    }
    struct ratio_line line = {.operation = operation};
    bool any = false;
    for (size_t i = 0; i < outcome->row_count; i++)
        if (outcome->rows[i].ratio > 0) {
            size_t column = column_of(ratios, outcome->rows[i].name);
            any = true;
            if (column < RATIO_COLUMNS)
                line.ratios[column] = outcome->rows[i].ratio;
        }
    if (any)
        ratios->lines[ratios->line_count++] = line;
    return true;
}

/* What a column is headed by: whose time is divided by whose. */
static int print_head(const char *name) {
    return printf("  %s/%s", bench_is_beside_cr(name) ? "cr" : "det", FOREIGN(name));
}

void bench_ratios_print(const struct bench_ratios *ratios) {
    int widths[RATIO_COLUMNS];
    if (ratios->line_count < 2)
        return;
    printf("time of array forms over another's, below 1 is quicker\n  %-*s", NAME_WIDTH, "");
    for (size_t i = 0; i < ratios->column_count; i++)
        widths[i] = print_head(ratios->columns[i]);
    printf("\n");
    for (size_t i = 0; i < ratios->line_count; i++) {
        printf("  %-*s", NAME_WIDTH, ratios->lines[i].operation);
        for (size_t j = 0; j < ratios->column_count; j++)
            if (ratios->lines[i].ratios[j] > 0)
                printf("%*.2f", widths[j], ratios->lines[i].ratios[j]);
            else
                printf("%*s", widths[j], "-");
        printf("\n");
    }
    printf("\n");
}

void bench_ratios_free(struct bench_ratios *ratios) {
    free(ratios->lines);
    *ratios = (struct bench_ratios){0};
}
