/* Subcommands and their options, as tables.
 *
 * --help, parsing, completions and the tables of the manual pages all come from these rows. */
#ifndef DETCHECK_CMD_COMMAND_H
#define DETCHECK_CMD_COMMAND_H

#include "base/error.h"
#include "op/parameters.h"

#include <stdbool.h>
#include <stddef.h>

/* What may follow an option or stand as an argument; completions offer these. */
enum value_kind {
    VALUE_NONE, /* a flag */
    VALUE_TEXT,
    VALUE_FILE,       /* that is read */
    VALUE_OUTPUT,     /* a file that is written */
    VALUE_OPERATION,  /* one */
    VALUE_OPERATIONS, /* any number, and groups */
    VALUE_COMPARED,   /* the same, or without --impl two files */
    VALUE_FORMAT,
    VALUE_ROUNDING,
    VALUE_IMPLEMENTATION,
    VALUE_FORM,   /* of a kernel: parsing makes --impl form:NAME of it */
    VALUE_CHOICE, /* of those that the parameter's row names */
    VALUE_TOPIC,  /* of `list` */
    VALUE_PROPERTY,
    VALUE_TRACE, /* what `trace` does, and then folders */
    VALUE_SHELL
};

struct option {
    const char *name; /* without the dashes */
    char letter;      /* short form, or 0 */
    enum value_kind kind;
    const char *value; /* its name in the help, NULL for a flag */
    const char *help;
};

/* --help, which every command has beside its own. */
extern const struct option help_option;

enum { MAX_OPTIONS_GIVEN = 256 };

struct command;

/* A parsed command line: options in the order given, then positional arguments. */
struct arguments {
    const struct command *const *commands; /* all that there are; ends with NULL */
    const struct command *planned; /* by the command, whose options are options too; or NULL */
    struct {
        const struct option *option;
        const char *value;
    } given[MAX_OPTIONS_GIVEN];
    size_t given_count;
    const char **positional;
    size_t positional_count;
};

enum command_parameters { PARAMETERS_NONE, PARAMETERS_OF_NUMBERS, PARAMETERS_ALL };

struct command {
    const char *name;
    const char *usage;   /* what follows the name */
    const char *summary; /* one line */
    const char *details; /* more lines for --help, or NULL */
    enum value_kind arguments;
    const struct option *options;       /* ends with a row without name */
    enum command_parameters parameters; /* of operations, which are options too */
    void (*help)(void);                 /* prints what else --help is to say; may be NULL */
    const char *writes;                 /* where --output is not given; NULL: to stdout */
    /* It plans a run of the command that its first argument names, or of this one; NULL: it does not. */
    const struct command *plans;
    int (*run)(const struct arguments *arguments);
};

/* An option for each parameter of operations, in their order, or of those on numbers, or for none; ends
 * with a row without name. */
const struct option *parameter_options(enum command_parameters which);

/* The parameter that the option was made from, or NULL. */
const struct parameter *option_parameter(const struct option *option);

/* Whether the option of that long name is in the command's table. */
bool command_has_option(const struct command *command, const char *name);

/* Parses what follows the subcommand's name, and sets all but `commands`. Numbers such as -1 are
 * arguments, not options. */
bool arguments_parse(const struct command *command, int count, char **words,
                     struct arguments *arguments, struct error *error);

bool argument_given(const struct arguments *arguments, const char *name);

/* The last value given for the option, or `otherwise`. */
const char *argument_value(const struct arguments *arguments, const char *name,
                           const char *otherwise);

/* A whole number from `least` to `most` (1000000, 1e6, 1M, 2^20 or 0x hex), or `otherwise` when not
 * given. */
bool argument_number(const struct arguments *arguments, const char *name, unsigned long long least,
                     unsigned long long most, unsigned long long otherwise,
                     unsigned long long *number, struct error *error);

/* A number of ulps, or `otherwise` when not given. */
bool argument_error(const struct arguments *arguments, const char *name, double otherwise,
                    double *ulps, struct error *error);

/* The place among the names of the one that was given, or `otherwise` when none was. */
bool argument_choice(const struct arguments *arguments, const char *name, const char *const *names,
                     int count, int otherwise, int *choice, struct error *error);

#endif
