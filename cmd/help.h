/* What `--help` and `detcheck help` print: 80 columns, from the tables of commands and options. */
#ifndef DETCHECK_CMD_HELP_H
#define DETCHECK_CMD_HELP_H

#include "command.h"
#include "op/operation.h"

/* What the short help of a command says besides its summary. */
enum { HELP_EXAMPLES = 2, HELP_OPTIONS = 8 };
struct help_row {
    const char *command;
    const char *purpose; /* a second line, behind the summary */
    const char *examples[HELP_EXAMPLES];
    const char *options[HELP_OPTIONS]; /* the commonest, by name; NULL behind the last */
};
extern const struct help_row help_rows[]; /* ends with a row without a command */

/* A screen: purpose, two examples, the commonest options, and the parameters of the operations among the words. */
void help_print(const struct command *command, const char *const *words, size_t count);

/* All options and parameters, whose rows the manual's are (manual.h). */
void help_print_all(const struct command *command);

/* Prints a text in lines of 80 columns from a column on, where the cursor is. A line end in it is a blank. */
void help_print_filled(const char *text, int column);

/* One row of a list of options. */
void help_print_option(const struct option *option);
/* The parameters of an operation, under a heading; nothing where it has none. */
void help_print_parameters(const struct operation *operation);
/* The command's option of that name, or NULL. */
const struct option *help_find_option(const struct command *command, const char *name);

/* The page's name for a word that people use in its place, such as port; else the word. */
const char *help_meant(const char *word);

/* What a word is: a word of the glossary, an option, a format, a rounding, an operation, an implementation, an
 * environment variable, a page of the manual. False where it is none of these; then nothing is printed. */
bool help_print_word(const struct command *const *commands, const char *word);

/* The nearest of all these and of the commands, or NULL. */
const char *help_nearest(const struct command *const *commands, const char *word);

#endif
