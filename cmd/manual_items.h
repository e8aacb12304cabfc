/* The rows of the program's tables as mdoc, for the lists of manual pages. */
#ifndef DETCHECK_CMD_MANUAL_ITEMS_H
#define DETCHECK_CMD_MANUAL_ITEMS_H

#include "command.h"
#include "invariance/property.h"
#include "op/operation.h"
#include "record/record.h"

#include <stdio.h>

/* An item of a list: one of these rows. Of a parameter, `option` is what was made of it. */
struct manual_item {
    const char *name;
    const struct option *option;
    const struct parameter *parameter;
    const struct operation *operation;
    const struct property *property;
    const struct record_member *member;
    const char *subject; /* of a cause: what its sentence begins with, or "" */
    const char *says; /* of a cause, and of a rewriting, of which there is the first row's place */
    size_t rewriting;
    bool is_name; /* `says` begins with the name of an operation or a formula, and is no sentence */
};

/* Stores the items of a list, at most `most`; returns their number, 0 where the argument (one of
 * the commands, or a group of operations, "" for none; "numbers" or "arrays" of properties; a record of a report, alone or with a space and the names of the members that the list has; "bits", "conversions", "sums", "places" or "rewritings" of causes; an operation that has forms; "aten", "jax", "onnx" or "numpy" of names) names nothing. Tables of commands end with
 * NULL. */
typedef size_t manual_gather(const struct command *const *commands, const char *argument,
                             struct manual_item *items, size_t most);
manual_gather manual_options, manual_parameters, manual_operations, manual_properties,
    manual_members, manual_causes, manual_forms, manual_names;

/* Whether the operation takes the parameter of that number. */
bool manual_takes(const struct operation *operation, int parameter);

/* The tag of the item and what its row says in words, of a member only where the template says nothing; then, after what the template adds
 * (`more_follows`), what else the row has: range, default, operations. */
void manual_print_item(FILE *stream, const struct manual_item *item, bool more_follows);
void manual_print_item_end(FILE *stream, const struct manual_item *item);

/* The options of a command as a synopsis has them; false where there is no such command. */
bool manual_print_synopsis(FILE *stream, const struct command *const *commands, const char *name);

/* An item for each command. */
void manual_print_commands(FILE *stream, const struct command *const *commands);

#endif
