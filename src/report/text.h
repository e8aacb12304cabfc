/* A run as text on a terminal. */
#ifndef DETCHECK_REPORT_TEXT_H
#define DETCHECK_REPORT_TEXT_H

#include "sweep/sweep.h"

#include <stdbool.h>
#include <stdio.h>

/* What the inputs are, for people: "all 65,536 inputs", "shard 3/64 of all 4,294,967,296 inputs". */
enum { TEXT_INPUTS = 320 };
const char *text_inputs(const struct sweep_request *request, char text[TEXT_INPUTS]);

/* One operation: a screen of everything that matters. `colour` marks trouble. */
void text_print_sweep(FILE *stream, const struct sweep_request *request,
                      const struct sweep_outcome *outcome, bool colour);

/* A table of many operations. What has one value in all rows stands above it, not in a column. */
enum text_name {
    TEXT_FORMAT,
    TEXT_ROUNDING,
    TEXT_OPERATION,
    TEXT_FAMILY, /* of arrays */
    TEXT_IMPLEMENTATION,
    TEXT_NAMES
};
/* How far the outputs of an implementation are those of the first one, in the rows so far that are counted. */
enum { TEXT_APART_LINES = 10, TEXT_APART_LINE = 160, TEXT_APART_COMMAND = 1024 };
struct text_cases {
    size_t count;
    char lines[TEXT_APART_LINES][TEXT_APART_LINE]; /* the first ones */
};
struct text_apart {
    size_t compared, incomplete; /* cases; those of runs that were stopped */
    struct text_cases differ;    /* "exp fp32 nearest-even: other bits for 778 inputs" */
    struct text_cases
        nans; /* where either has NaNs that are not canonical, which are in no count of the above */
    char next
        [TEXT_APART_COMMAND]; /* of arrays: a command that shows the first element with other bits */
};
struct text_table {
    int widths[TEXT_NAMES];
    const char *latest[TEXT_NAMES]; /* what was put there last */
    char operation[64];             /* whose result the latest row is of */
    bool varies[TEXT_NAMES], arrays;
    bool above[TEXT_NAMES]; /* said above the rows, and again where it changes */
    bool laid_out, without_share, numbered;
    struct text_apart apart[MAX_IMPLEMENTATIONS];
};

/* Makes room for what an operation, a format, a rounding, a family of arrays (or NULL) and an
 * implementation will put there; 0s at first. All of it is done before the first row, and the names
 * stay until the last. */
void text_table_fit(struct text_table *table, const struct operation *operation,
                    const struct format *format, enum rounding rounding, const char *family,
                    const char *implementation);

/* A line per result and implementation, below a heading where one is due. Where the rows would take more
 * than 80 columns, formats, roundings and operations on arrays get tables of their own, the share is
 * left out, and implementations are numbered, in this order and as far as needed. */
void text_table_print(FILE *stream, struct text_table *table, const struct sweep_request *request,
                      const struct sweep_outcome *outcome, bool colour);

/* What was found of two implementations, a before b; NULL if they were not compared. */
const struct pair_outcome *text_pair_of(const struct sweep_outcome *outcome, size_t a, size_t b);

/* Whether two implementations, and no more, compute arrays that a command can make again: one may be to have the other's bits. */
bool text_compares_arrays(const struct sweep_request *request);

/* Notes for text_table_print_apart how far a result of an implementation is the first one's; of arrays only where
 * text_compares_arrays, since for more the rows say enough. */
void text_table_count_apart(struct text_table *table, const struct sweep_request *request,
                            const struct sweep_outcome *outcome, size_t implementation, int result);

/* Behind the last row: for each implementation but the first, in how many functions it has the first one's bits, for how many
 * inputs of others it has not, and how many NaNs of either are not canonical. Nothing if no functions of numbers were compared. */
void text_table_print_apart(FILE *stream, const struct text_table *table,
                            const struct implementation *implementations, size_t count);

/* "  --to fp16": each parameter that has a value, as an option. */
void text_print_parameters(FILE *stream, const struct parameters *parameters);

/* An input as bits, or which element of which array: "0x3f800000 0x40000000", "element 0 of draw 1,
 * shape 5x3". */
enum { TEXT_PLACE = 256 };
const char *text_place(const struct sweep_request *request, const uint64_t *input,
                       char text[TEXT_PLACE]);

/* "4,294,967,296". Room for 32 characters. */
const char *text_grouped(uint64_t count, char text[32]);

/* "12.5000 %", or "1.2e-05 %" of what would be 0 otherwise. Room for 32 characters. */
const char *text_share(uint64_t part, uint64_t whole, char text[32]);

/* "1 h 02 min", "3 min 04 s", "5.1 s". Room for 32 characters. */
const char *text_duration(double seconds, char text[32]);

/* An error in ulps, cut to so many digits behind the point: never rounded up past a bound that it
 * respects (0.5 stays 0.5), and 0 only where it is 0. Room for 32 characters. */
const char *text_error(double error, int digits, char text[32]);

/* Two figures that stand beside each other, each a number with or without words behind it: cut as
 * text_error cuts them where they have more than six decimals. Both stay whole where different ones would then
 * read the same. What begins with no decimal number stays as it is. */
enum { FIGURE_TEXT = 64 };
struct text_figures {
    char allowed[FIGURE_TEXT], found[FIGURE_TEXT];
};
struct text_figures text_cut_figures(const char *allowed, const char *found);

/* "12.3 M". Room for 32 characters. */
const char *text_rate(double per_second, char text[32]);

/* What a terminal is told to show what stands out, what is bad, and the rest. */
#define TEXT_BAD    "\033[1;31m"
#define TEXT_STRONG "\033[1m"
#define TEXT_PLAIN  "\033[0m"

/* The operands of an input, with their names. */
void text_print_input(FILE *stream, const struct sweep_request *request, const uint64_t *input);

#endif
