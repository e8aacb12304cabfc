/* The completion script for zsh: a file that compinit finds, or a source for this shell. */
#include "completion_words.h"

#include <stdio.h>

static void print_option_case(const struct command *command, const struct option *option) {
    if (option->kind == VALUE_NONE)
        return;
    printf("    %s:--%s", command->name, option->name);
    if (option->letter)
        printf("|%s:-%c", command->name, option->letter);
    if (option->kind == VALUE_FILE)
        printf(") _files");
    else {
        printf(") compadd -- ");
        completion_print_words(option->kind, option);
    }
    printf("; return ;;\n");
}

static void print_argument_case(const struct command *command) {
    printf("    %s) ", command->name);
    if (command->arguments == VALUE_FILE)
        printf("_files; ");
    printf("compadd -- ");
    completion_print_words(command->arguments, NULL);
    const struct option *option;
    for (size_t at = 0; (option = completion_option(command, at)); at++)
        printf("--%s ", option->name);
    printf(";;\n");
}

void completion_print_zsh(void) {
    printf("#compdef detcheck\n"
           "# zsh completion for detcheck, made by 'detcheck completion zsh'\n"
           "_detcheck() {\n"
           "    local command=$words[2] before=$words[CURRENT-1]\n"
           "    if (( CURRENT == 2 )); then\n"
           "        compadd -- ");
    for (size_t i = 0; i < command_count; i++)
        printf("%s ", commands[i]->name);
    printf("--help --version\n        return\n    fi\n    case $command:$before in\n");
    const struct option *option;
    for (size_t i = 0; i < command_count; i++)
        for (size_t at = 0; (option = completion_option(commands[i], at)); at++)
            print_option_case(commands[i], option);
    printf("    esac\n    case $command in\n");
    for (size_t i = 0; i < command_count; i++)
        print_argument_case(commands[i]);
    printf("    esac\n"
           "}\n"
           "if [[ $funcstack[1] == _detcheck ]]; then _detcheck \"$@\"; else compdef _detcheck "
           "detcheck; fi\n");
}
