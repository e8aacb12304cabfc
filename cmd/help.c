/* The help of a command, in short and at length. */
#include "help.h"

#include "op/operation.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, HELP_COLUMN = 28 };

void help_print_filled(const char *text, int column) {
    int at = column;
    bool begun = false;
    while (*text) {
        const int length = (int)strcspn(text, " \n");
        if (begun && at + 1 + length > WIDTH) {
            printf("\n%*s", column, "");
            at = column;
            begun = false;
        }
        at += printf("%s%.*s", begun ? " " : "", length, text);
        begun = begun || length;
        text += length;
        text += *text == ' ' || *text == '\n';
    }
    putchar('\n');
}

void help_print_option(const struct option *option) {
    int length = printf("  %c%c%s --%s%s%s", option->letter ? '-' : ' ',
                        option->letter ? option->letter : ' ', option->letter ? "," : " ",
                        option->name, option->value ? " " : "", option->value ? option->value : "");
    if (length > HELP_COLUMN - 1) {
        putchar('\n');
        length = 0;
    }
    printf("%*s", HELP_COLUMN + 1 - length, "");
    help_print_filled(option->help, HELP_COLUMN + 1);
}

static void print_usage(const struct command *command) {
    help_print_filled(command->usage, printf("Usage: detcheck %s ", command->name));
    putchar('\n');
}

void help_print_all(const struct command *command) {
    print_usage(command);
    printf("%s.\n", command->summary);
    if (command->details) {
        putchar('\n');
        help_print_filled(command->details, 0);
    }
    printf("\nOptions:\n");
    for (const struct option *option = command->options; option->name; option++)
        help_print_option(option);
    help_print_option(&help_option);
    if (command->help)
        command->help();
    if (!command->parameters)
        return;
    printf("\nParameters of operations ('detcheck list operations' says which takes what):\n");
    for (const struct option *option = parameter_options(command->parameters); option->name;
         option++)
        help_print_option(option);
}

void help_print_parameters(const struct operation *operation) {
    const struct option *options = parameter_options(PARAMETERS_ALL);
    if (operation->parameters)
        printf("\nParameters of %s:\n", operation->name);
    for (int i = 0; i < PARAMETER_COUNT; i++)
        if (operation->parameters >> i & 1)
            help_print_option(&options[i]);
}

const struct option *help_find_option(const struct command *command, const char *name) {
    const struct option *option = command->options;
    while (option->name && strcmp(option->name, name) != 0)
        option++;
    return option->name ? option : NULL;
}

void help_print(const struct command *command, const char *const *words, size_t count) {
    const struct help_row *row = help_rows;
    size_t options = 0;
    while (row->command && strcmp(row->command, command->name) != 0)
        row++;
    for (const struct option *option = command->options; option->name; option++)
        options++;
    if (!row->command) {
        help_print_all(command);
        return;
    }
    print_usage(command);
    printf("%c", toupper((unsigned char)command->summary[0]));
    printf("%s.\n", command->summary + 1);
    printf("%s\n\nExamples:\n", row->purpose);
    for (int i = 0; i < HELP_EXAMPLES && row->examples[i]; i++)
        printf("  detcheck %s\n", row->examples[i]);
    printf("\nOptions:\n");
    for (int i = 0; i < HELP_OPTIONS && row->options[i]; i++)
        help_print_option(help_find_option(command, row->options[i]));
    help_print_option(&help_option);
    for (size_t i = 0; i < count; i++)
        if (command->parameters && operation_row(words[i]))
            help_print_parameters(operation_row(words[i]));
    printf("\n'detcheck %s --help all' has all %zu options", command->name, options + 1);
    fputs(command->parameters ? ";\n'detcheck help OPERATION' has its parameters" : "", stdout);
    printf(". See detcheck-%s(1).\n", command->name);
}
