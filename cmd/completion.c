/* `detcheck completion`: a script for bash, made from the tables that parsing uses. */
#include "command.h"

#include "impl/implementation.h"

#include <stdio.h>
#include <string.h>

static const struct option options[] = {{0}};

static void print_words(enum value_kind kind) {
    switch (kind) {
    case VALUE_OPERATIONS:
        for (int i = 0; i < OPERATION_GROUPS; i++)
            printf("%s ", operation_groups[i]);
        print_words(VALUE_OPERATION);
        return;
    case VALUE_OPERATION:
        for (size_t i = 0; i < operation_count; i++)
            printf("%s ", operations[i].name);
        return;
    case VALUE_FORMAT:
        for (size_t i = 0; i < format_count; i++)
            printf("%s ", formats[i].name);
        return;
    case VALUE_ROUNDING:
        for (int i = 0; i <= ROUNDING_COUNT; i++)
            printf("%s ", rounding_names[i]);
        return;
    case VALUE_IMPLEMENTATION:
        for (size_t i = 0; i < implementation_kind_count; i++)
            printf("%s ", implementation_kinds[i]->name);
        return;
    case VALUE_TOPIC:
        printf("operations parameters formats roundings implementations ");
        return;
    case VALUE_SHELL:
        printf("bash ");
        return;
    default:
        return;
    }
}

/* A case of the script: after --name (or -letter) come these words. */
static void print_option_case(const struct command *command, const struct option *option) {
    if (option->kind == VALUE_NONE)
        return;
    printf("        %s:--%s", command->name, option->name);
    if (option->letter)
        printf("|%s:-%c", command->name, option->letter);
    printf(") ");
    if (option->kind == VALUE_CHOICE) {
        printf("words='");
        for (const char *const *choice = option_parameter(option)->choices; *choice; choice++)
            printf("%s ", *choice);
        printf("'");
    } else if (option->kind == VALUE_FILE)
        printf("compopt -o default; return");
    else {
        printf("words='");
        print_words(option->kind);
        printf("'");
    }
    printf(" ;;\n");
}

static void print_argument_case(const struct command *command) {
    printf("        %s) words='", command->name);
    print_words(command->arguments);
    for (const struct option *option = command->options; option->name; option++)
        printf("--%s ", option->name);
    if (command->parameters)
        for (const struct option *option = parameter_options(); option->name; option++)
            printf("--%s ", option->name);
    printf("--help' ;;\n");
}

static void print_bash(void) {
    printf("# bash completion for detcheck, made by 'detcheck completion bash'\n"
           "_detcheck() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
           "    local command=${COMP_WORDS[1]}\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='");
    for (size_t i = 0; i < command_count; i++)
        printf("%s ", commands[i]->name);
    printf("--help --version'\n"
           "    else case $command:$before in\n");
    for (size_t i = 0; i < command_count; i++)
        for (const struct option *option = commands[i]->options; option->name; option++)
            print_option_case(commands[i], option);
    for (size_t i = 0; i < command_count; i++)
        if (commands[i]->parameters)
            for (const struct option *option = parameter_options(); option->name; option++)
                print_option_case(commands[i], option);
    printf("        *) case $command in\n");
    for (size_t i = 0; i < command_count; i++)
        print_argument_case(commands[i]);
    printf("        esac ;;\n    esac; fi\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "}\n"
           "complete -F _detcheck detcheck\n");
}

static int run(const struct arguments *arguments) {
    struct error error;
    if (arguments->positional_count != 1 || strcmp(arguments->positional[0], "bash") != 0) {
        error_set(&error, "completion wants the name of a shell; there is: bash");
        return trouble(&error);
    }
    print_bash();
    return EXIT_OK;
}

const struct command command_completion = {
    .name = "completion",
    .usage = "bash",
    .summary = "print a completion script for the shell",
    .details = "For this shell: source <(detcheck completion bash)\n",
    .arguments = VALUE_SHELL,
    .options = options,
    .run = run,
};
