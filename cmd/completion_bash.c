/* The completion script for bash. */
#include "completion_words.h"

#include <stdio.h>

/* A case of the script: after --name (or -letter) come these words. */
static void print_option_case(const struct command *command, const struct option *option) {
    if (option->kind == VALUE_NONE)
        return;
    printf("        %s:--%s", command->name, option->name);
    if (option->letter)
        printf("|%s:-%c", command->name, option->letter);
    printf(") ");
    if (option->kind == VALUE_FILE)
        printf("compopt -o default; return");
    else {
        printf("words='");
        completion_print_words(option->kind, option);
        printf("'");
    }
    printf(" ;;\n");
}

static void print_argument_case(const struct command *command) {
    printf("        %s) ", command->name);
    if (command->arguments == VALUE_FILE)
        printf("[[ $current == -* ]] || { compopt -o default; return; }; ");
    printf("words='");
    completion_print_words(command->arguments, NULL);
    const struct option *option;
    for (size_t at = 0; (option = completion_option(command, at)); at++)
        printf("--%s ", option->name);
    printf("' ;;\n");
}

void completion_print_bash(void) {
    printf("# bash completion for detcheck, made by 'detcheck completion bash'\n"
           "_detcheck() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
           "    local command=${COMP_WORDS[1]}\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='");
    for (size_t i = 0; i < command_count; i++)
        printf("%s ", commands[i]->name);
    printf("--help --version'\n"
           "    else case $command:$before in\n");
    const struct option *option;
    for (size_t i = 0; i < command_count; i++)
        for (size_t at = 0; (option = completion_option(commands[i], at)); at++)
            print_option_case(commands[i], option);
    printf("        *) case $command in\n");
    for (size_t i = 0; i < command_count; i++)
        print_argument_case(commands[i]);
    printf("        esac ;;\n    esac; fi\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "}\n"
           "complete -F _detcheck detcheck\n");
}
