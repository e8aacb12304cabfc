/* The completion script for fish. */
#include "completion_words.h"

#include <stdio.h>

static void print_condition(const struct command *command) {
    printf("complete -c detcheck -n '__fish_seen_subcommand_from %s'", command->name);
}

static void print_option(const struct command *command, const struct option *option) {
    print_condition(command);
    printf(" -l %s", option->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    if (option->kind == VALUE_FILE || option->kind == VALUE_OUTPUT)
        printf(" -r -F");
    else if (option->kind != VALUE_NONE) {
        printf(" -x -a '");
        completion_print_words(option->kind, option);
        printf("'");
    }
    printf(" -d ");
    completion_print_quoted(option->help);
    printf("\n");
}

void completion_print_fish(const struct command *const *commands) {
    printf("# fish completion for detcheck, made by 'detcheck completion fish'\n"
           "complete -c detcheck -f\n"
           "complete -c detcheck -n __fish_use_subcommand -l help -s h\n"
           "complete -c detcheck -n __fish_use_subcommand -l version\n");
    for (size_t i = 0; commands[i]; i++) {
        const struct command *command = commands[i];
        const struct option *option;
        printf("complete -c detcheck -n __fish_use_subcommand -a %s -d ", command->name);
        completion_print_quoted(command->summary);
        printf("\n");
        print_condition(command);
        if (command->arguments == VALUE_FILE)
            printf(" -F\n");
        else {
            printf("%s -a '", command->arguments == VALUE_TRACE ? " -F" : "");
            completion_print_words(command->arguments, NULL);
            printf("'\n");
        }
        for (size_t at = 0; (option = completion_option(command, at)); at++)
            print_option(command, option);
    }
}
