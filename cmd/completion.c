/* `detcheck completion`: a script for a shell, made from the tables that parsing uses. */
#include "completion_words.h"
#include "messages.h"

#include <string.h>

static const struct option options[] = {{0}};

static const struct {
    const char *name;
    completion_function *print;
} shells[] = {{"bash", completion_print_bash},
              {"zsh", completion_print_zsh},
              {"fish", completion_print_fish}};

static int run(const struct arguments *arguments) {
    struct error error;
    const char *name = arguments->positional_count == 1 ? arguments->positional[0] : "";
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(name, shells[i].name) == 0) {
            shells[i].print(arguments->commands);
            return EXIT_OK;
        }
    error_set(&error, "completion needs the name of a shell; there are: bash, zsh, fish");
    return trouble(&error);
}

const struct command command_completion = {
    .name = "completion",
    .usage = "bash|zsh|fish",
    .summary = "print a completion script for the shell",
    .details = "For this shell: source <(detcheck completion bash), the same with zsh, or\n"
               "detcheck completion fish | source\n",
    .arguments = VALUE_SHELL,
    .options = options,
    .run = run,
};
