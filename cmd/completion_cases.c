/* The completion scripts for bash and zsh: a case for each option that takes a value, and one for
 * each command, in the words of the shell. */
#include "completion_words.h"

#include <stdio.h>

/* How a shell offers things; the words of a list are printed between `words` and `words_end`. */
struct shell {
    const char *files;          /* files, and nothing else */
    const char *files_or_words; /* what stands before words where files are offered too */
    const char *words, *words_end;
    const char *option_end; /* ends the case of an option */
};

static const struct shell bash = {.files = "compopt -o default; return",
                                  .files_or_words =
                                      "[[ $current == -* ]] || { compopt -o default; return; }; ",
                                  .words = "words='",
                                  .words_end = "'",
                                  .option_end = ""};
static const struct shell zsh = {.files = "_files",
                                 .files_or_words = "_files; ",
                                 .words = "compadd -- ",
                                 .words_end = "",
                                 .option_end = "; return"};

/* After --name (or -letter) of a command come these words. */
static void print_option_case(const struct shell *shell, const struct command *command,
                              const struct option *option) {
    if (option->kind == VALUE_NONE)
        return;
    printf("        %s:--%s", command->name, option->name);
    if (option->letter)
        printf("|%s:-%c", command->name, option->letter);
    printf(") ");
    if (option->kind == VALUE_FILE || option->kind == VALUE_OUTPUT)
        printf("%s", shell->files);
    else {
        printf("%s", shell->words);
        completion_print_words(option->kind, option);
        printf("%s", shell->words_end);
    }
    printf("%s ;;\n", shell->option_end);
}

static void print_option_cases(const struct shell *shell, const struct command *const *commands) {
    const struct option *option;
    for (size_t i = 0; commands[i]; i++)
        for (size_t at = 0; (option = completion_option(commands[i], at)); at++)
            print_option_case(shell, commands[i], option);
}

/* Arguments of a command, and its options. */
static void print_argument_cases(const struct shell *shell, const struct command *const *commands) {
    for (size_t i = 0; commands[i]; i++) {
        const struct command *command = commands[i];
        const struct option *option;
        printf("        %s) %s%s", command->name,
               command->arguments == VALUE_FILE || command->arguments == VALUE_TRACE
                   ? shell->files_or_words
                   : "",
               shell->words);
        completion_print_words(command->arguments, NULL);
        for (size_t at = 0; (option = completion_option(command, at)); at++)
            printf("--%s ", option->name);
        printf("%s ;;\n", shell->words_end);
    }
}

static void print_commands(const struct command *const *commands) {
    for (size_t i = 0; commands[i]; i++)
        printf("%s ", commands[i]->name);
    printf("--help --version");
}

void completion_print_bash(const struct command *const *commands) {
    printf("# bash completion for detcheck, made by 'detcheck completion bash'\n"
           "_detcheck() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
           "    local command=${COMP_WORDS[1]}\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='");
    print_commands(commands);
    printf("'\n    else case $command:$before in\n");
    print_option_cases(&bash, commands);
    printf("        *) case $command in\n");
    print_argument_cases(&bash, commands);
    printf("        esac ;;\n    esac; fi\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "}\n"
           "complete -F _detcheck detcheck\n");
}

/* A file that compinit finds, or a source for this shell. */
void completion_print_zsh(const struct command *const *commands) {
    printf("#compdef detcheck\n"
           "# zsh completion for detcheck, made by 'detcheck completion zsh'\n"
           "_detcheck() {\n"
           "    local command=$words[2] before=$words[CURRENT-1]\n"
           "    if (( CURRENT == 2 )); then\n"
           "        compadd -- ");
    print_commands(commands);
    printf("\n        return\n    fi\n    case $command:$before in\n");
    print_option_cases(&zsh, commands);
    printf("    esac\n    case $command in\n");
    print_argument_cases(&zsh, commands);
    printf("    esac\n"
           "}\n"
           "if [[ $funcstack[1] == _detcheck ]]; then _detcheck \"$@\"; else compdef _detcheck "
           "detcheck; fi\n");
}
