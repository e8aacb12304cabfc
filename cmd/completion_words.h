/* What completions offer, from the tables of commands, options, operations, formats and
 * implementations. */
#ifndef DETCHECK_CMD_COMPLETION_WORDS_H
#define DETCHECK_CMD_COMPLETION_WORDS_H

#include "command.h"

/* Option number `at` of a command: its own, then the parameters of operations, then --help; NULL
 * behind the last one. */
const struct option *completion_option(const struct command *command, size_t at);

/* Prints what may stand as the option's value, or as an argument of that kind (`option` NULL), each
 * word followed by a space; nothing where anything may. */
void completion_print_words(enum value_kind kind, const struct option *option);

/* Prints the first line of a text between single quotes as all three shells read it; a quote and a
 * backslash are left out. */
void completion_print_quoted(const char *text);

/* The whole script, of a table of commands that ends with NULL. */
typedef void completion_function(const struct command *const *commands);
completion_function completion_print_bash, completion_print_zsh, completion_print_fish;

#endif
