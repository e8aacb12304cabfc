/* Words and options, from the tables. */
#include "completion_words.h"

#include "impl/forms/forms.h"
#include "impl/implementation.h"
#include "invariance/property.h"

#include <stdio.h>

const struct option *completion_option(const struct command *command, size_t at) {
    const struct option *lists[] = {command->options,
                                    command->plans ? command->plans->options : NULL,
                                    parameter_options(command->parameters)};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct option *option = lists[i]; option && option->name; option++)
            if (at-- == 0)
                return option;
    return at == 0 ? &help_option : NULL;
}

void completion_print_words(enum value_kind kind, const struct option *option) {
    switch (kind) {
    case VALUE_OPERATIONS:
    case VALUE_COMPARED:
        for (int i = 0; i < OPERATION_GROUPS; i++)
            printf("%s ", operation_groups[i]);
        completion_print_words(VALUE_OPERATION, NULL);
        return;
    case VALUE_OPERATION:
        for (size_t i = 0; operation_at(i); i++)
            printf("%s ", operation_at(i)->name);
        return;
    case VALUE_FORMAT:
        for (size_t i = 0; i < format_count; i++)
            printf("%s ", formats[i].name);
        return;
    case VALUE_ROUNDING:
        for (int i = 0; i < ROUNDING_NAMES; i++)
            printf("%s ", rounding_names[i]);
        return;
    case VALUE_IMPLEMENTATION:
        for (size_t i = 0; i < implementation_kind_count; i++)
            printf("%s ", implementation_kinds[i]->name);
        return;
    case VALUE_FORM:
        for (size_t i = 0; form_name_at(i); i++)
            printf("%s ", form_name_at(i));
        return;
    case VALUE_CHOICE:
        for (const char *const *choice = option_parameter(option)->choices; *choice; choice++)
            printf("%s ", *choice);
        return;
    case VALUE_TOPIC:
        printf("operations parameters formats roundings implementations policies ");
        return;
    case VALUE_PROPERTY:
        for (size_t i = 0; i < property_row_count; i++)
            printf("%s ", property_rows[i]->name);
        return;
    case VALUE_TRACE:
        printf("compare show replay record ");
        return;
    case VALUE_SHELL:
        printf("bash zsh fish ");
        return;
    default:
        return;
    }
}

void completion_print_quoted(const char *text) {
    putchar('\'');
    for (; *text && *text != '\n'; text++)
        if (*text != '\'' && *text != '\\')
            putchar(*text);
    putchar('\'');
}
