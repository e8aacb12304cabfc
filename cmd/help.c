/* The help of a command, in short and at length. */
#include "help.h"

#include "base/names.h"
#include "format/format.h"
#include "glossary.h"
#include "impl/implementation.h"
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

static void print_option(const struct option *option) {
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
        print_option(option);
    print_option(&help_option);
    if (command->help)
        command->help();
    if (!command->parameters)
        return;
    printf("\nParameters of operations ('detcheck list operations' says which takes what):\n");
    for (const struct option *option = parameter_options(command->parameters); option->name;
         option++)
        print_option(option);
}

static void print_parameters(const struct operation *operation) {
    const struct option *options = parameter_options(PARAMETERS_ALL);
    if (operation->parameters)
        printf("\nParameters of %s:\n", operation->name);
    for (int i = 0; i < PARAMETER_COUNT; i++)
        if (operation->parameters >> i & 1)
            print_option(&options[i]);
}

static const struct option *find_option(const struct command *command, const char *name) {
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
        print_option(find_option(command, row->options[i]));
    print_option(&help_option);
    for (size_t i = 0; i < count; i++)
        if (command->parameters && operation_row(words[i]))
            print_parameters(operation_row(words[i]));
    printf("\n'detcheck %s --help all' has all %zu options", command->name, options + 1);
    fputs(command->parameters ? ";\n'detcheck help OPERATION' has its parameters" : "", stdout);
    printf(". See detcheck-%s(1).\n", command->name);
}

/* ---- words ---- */

static bool print_glossary(const char *word) {
    bool found = false;
    for (const struct glossary_row *row = glossary; row->word; row++)
        if (name_matches(word, row->word, NULL)) {
            printf("%s (word): ", row->word);
            help_print_filled(row->means, 0);
            found = true;
        }
    return found;
}

static bool print_operation(const char *word) {
    const struct operation *operation = operation_row(word);
    if (!operation)
        return false;
    printf("%s (operation): %s\n", operation->name, operation->formula);
    if (operation->aliases)
        printf("  also called %s\n", operation->aliases);
    printf("  try: detcheck sweep %s\n", operation->name);
    print_parameters(operation);
    return true;
}

static bool print_format(const char *word) {
    struct error unknown;
    const struct format *format = format_find(word, &unknown);
    if (!format)
        return false;
    printf("%s (format): %u bits, precision %d, exponents %d to %d%s%s\n", format->name,
           format->width, format->precision, format->emin, format->emax,
           format->has_infinity ? ", infinity" : "", format->has_nan ? ", NaN" : "");
    if (format->aliases && *format->aliases)
        printf("  also called %s\n", format->aliases);
    return true;
}

static bool print_rounding(const char *word) {
    enum rounding rounding;
    if (!rounding_find(word, &rounding))
        return false;
    printf("%s (rounding): --rounding %s\n", rounding_names[rounding], rounding_names[rounding]);
    return true;
}

static bool print_implementation(const char *word) {
    bool found = false;
    const size_t length = strcspn(word, ":");
    for (size_t i = 0; i < implementation_kind_count; i++) {
        const char *name = implementation_kinds[i]->name;
        if (strcspn(name, ":") != length || strncmp(name, word, length) != 0)
            continue;
        printf("%s (implementation): ", name);
        help_print_filled(implementation_kinds[i]->summary, 0);
        found = true;
    }
    return found;
}

/* Each wording once, with the commands that have it. */
static bool print_options(const struct command *const *commands, const char *word) {
    const char *name = word + strspn(word, "-"), *said[64];
    size_t count = 0;
    for (size_t i = 0; commands[i]; i++) {
        const struct option *option = find_option(commands[i], name);
        bool is_new = option != NULL;
        for (size_t j = 0; j < count && is_new; j++)
            is_new = strcmp(said[j], option->help) != 0;
        if (!is_new || count == sizeof said / sizeof *said)
            continue;
        said[count++] = option->help;
        printf("--%s (option of", name);
        for (size_t j = i; commands[j]; j++) {
            const struct option *other = find_option(commands[j], name);
            if (other && strcmp(other->help, option->help) == 0)
                printf(" %s", commands[j]->name);
        }
        printf(")\n");
        print_option(option);
    }
    for (const struct option *option = parameter_options(PARAMETERS_ALL); option->name; option++)
        if (strcmp(option->name, name) == 0) {
            printf("--%s (parameter of operations)\n", name);
            print_option(option);
            count++;
        }
    return count > 0;
}

bool help_print_word(const struct command *const *commands, const char *word) {
    bool found = print_glossary(word);
    found = print_operation(word) || found;
    found = print_format(word) || found;
    found = print_rounding(word) || found;
    found = print_implementation(word) || found;
    return print_options(commands, word) || found;
}
