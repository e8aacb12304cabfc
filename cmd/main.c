/* detcheck: dispatch to the subcommands. */
#include "command.h"
#include "files.h"
#include "help.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/output.h"
#include "impl/environment.h"
#include "impl/remote/apart.h"
#include "impl/remote/exec_text.h"
#include "impl/remote/library.h"
#include "manual.h"
#include "messages.h"
#include "no_effect.h"
#include "op/formula/rows.h"
#include "oracle/exact.h"
#include "progress.h"
#include "python_package.h"
#include "signals.h"
#include "surroundings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
extern const struct command command_sweep,
                            command_search,
                            command_invariance,
                            command_eval,
                            command_list,
                            command_env,
                            command_bench,
                            command_compare,
                            command_emit,
                            command_explain,
                            command_gate,
                            command_merge,
                            command_plan,
                            command_report,
                            command_reveal,
                            command_table,
                            command_trace,
                            command_verify,
                            command_completion;

static const struct command *const commands[] = {
    &command_sweep,
    &command_search,
    &command_invariance,
    &command_eval,
    &command_list,
    &command_env,
    &command_bench,
    &command_compare,
    &command_emit,
    &command_explain,
    &command_gate,
    &command_merge,
    &command_plan,
    &command_report,
    &command_reveal,
    &command_table,
    &command_trace,
    &command_verify,
    &command_completion,
    NULL,
};
/* clang-format on */

static void print_usage(FILE *stream) {
    fprintf(stream,
            "Usage: detcheck COMMAND [ARGUMENT...] [OPTION...]\n\n"
            "Audits numeric reproducibility: are these the bits, and if not, how far off?\n\n"
            "Commands:\n");
    for (size_t i = 0; commands[i]; i++)
        fprintf(stream, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(stream, "\n'detcheck COMMAND --help' and 'detcheck help WORD' say more.\n"
                    "The main job: detcheck sweep exp\n");
}

static const struct command *find_command(const char *name, struct error *error) {
    const char *names[sizeof commands / sizeof *commands];
    size_t count = 0;
    for (size_t i = 0; commands[i]; i++) {
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
        names[count++] = commands[i]->name;
    }
    const char *nearest = name_nearest(name, names, count);
    if (nearest)
        error_set(error, "unknown command '%.80s'; did you mean %s?", name, nearest);
    else
        error_set(error, "unknown command '%.80s'; 'detcheck --help' lists them", name);
    return NULL;
}

/* The exit code once stdout has been found to hold all of it. Trouble has been told already. */
static int finish(int code) {
    struct error error;
    if (code != EXIT_TROUBLE && !output_flush_stdout(&error))
        return trouble(&error);
    return code;
}

/* Whether "all" follows --help: as an argument elsewhere it is the group of operations. */
static bool asks_for_all(int count, char **words) {
    for (int i = 0; i + 1 < count; i++)
        if (name_matches(words[i], "--help", "-h") && strcmp(words[i + 1], "all") == 0)
            return true;
    return false;
}

static int run_command(const struct command *command, int count, char **words) {
    static struct arguments arguments = {.commands = commands};
    struct error error;
    if (!arguments_parse(command, count, words, &arguments, &error))
        return trouble(&error);
    if (argument_given(&arguments, "help")) {
        if (asks_for_all(count, words))
            help_print_all(command);
        else
            help_print(command, arguments.positional, arguments.positional_count);
        return finish(EXIT_OK);
    }
    if (!options_have_effect(command, &arguments, &error) ||
        !files_check(command, &arguments, &error))
        return trouble(&error);
    for (size_t i = 0; i < arguments.given_count; i++)
        if (strcmp(arguments.given[i].option->name, "operations") == 0 &&
            !formula_read_file(arguments.given[i].value, &error))
            return trouble(&error);
    return finish(command->run(&arguments));
}

/* `detcheck help COMMAND [all | OPERATION...]` and `detcheck help WORD`. */
static int give_help(int count, char **words) {
    struct error error, unknown;
    if (!*words[0]) {
        error_set(&error, "help needs a command or a word, and this one is empty");
        return trouble(&error);
    }
    const struct command *command = find_command(words[0], &error);
    if (!command && help_print_word(commands, help_meant(words[0])))
        return finish(EXIT_OK);
    if (!command) {
        if (!format_find(words[0], &unknown) && !strstr(unknown.text, "unknown format"))
            return trouble(&unknown); /* it may be several */
        const char *nearest = help_nearest(commands, words[0]);
        if (nearest)
            error_set(&unknown, "help knows no '%.80s'; did you mean %s?", words[0], nearest);
        else
            error_set(
                &unknown,
                "help knows no '%.80s': it is not a command, option, format, operation, "
                "implementation, rounding, environment variable, page or word of the glossary",
                words[0]);
        return trouble(&unknown);
    }
    if (count > 1 && strcmp(words[1], "all") == 0)
        help_print_all(command);
    else
        help_print(command, (const char *const *)words + 1, (size_t)count - 1);
    return finish(EXIT_OK);
}

static int run(int count, char **words) {
    struct error error;
    /* A failed write in the middle of an output leaves no reason behind, one at its end does. */
    static char stdout_buffer[1 << 20];
    setvbuf(stdout, stdout_buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof stdout_buffer);
    if (!surroundings_check(&error) || !signals_set(&error) || !environment_take(&error) ||
        !progress_settings_take(&error))
        return trouble(&error);
    memory_guard_libraries();
    if (count < 2) {
        print_usage(stderr);
        return EXIT_TROUBLE;
    }
    const char *name = words[1];
    if (name_matches(name, "--version", "-V version")) {
        printf("detcheck %s\n", DETCHECK_VERSION);
        return finish(EXIT_OK);
    }
    bool asks_help =
        strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0;
    if (asks_help && count == 2) {
        print_usage(stdout);
        return finish(EXIT_OK);
    }
    if (strcmp(name, "survey") == 0)
        return python_package_run(name, (const char *const *)words + 1, (size_t)count - 1);
    if (asks_help)
        return give_help(count - 2, words + 2);
    const struct command *command = find_command(name, &error);
    if (!command)
        return trouble(&error);
    return run_command(command, count - 2, words + 2);
}

int main(int count, char **words) {
    if (count > 1 && strcmp(words[1], LIBRARY_WORKER) == 0)
        return library_worker(count, words);
    if (count > 1 && strcmp(words[1], APART_WORKER) == 0)
        return apart_worker(count, words);
    if (count > 1 && strcmp(words[1], TEXT_WORKER) == 0)
        return text_worker(count, words);
    bool makes_manual = count > 1 && strcmp(words[1], MANUAL_PAGE) == 0;
    int code = makes_manual ? manual_page(count, words, commands) : run(count, words);
    oracle_thread_end();
    signals_end();
    return code;
}
