/* detcheck: dispatch to the subcommands. */
#include "command.h"

#include "base/names.h"
#include "base/output.h"
#include "impl/remote/library.h"
#include "manual.h"
#include "oracle/exact.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
extern const struct command command_sweep,
                            command_eval,
                            command_list,
                            command_env,
                            command_bench,
                            command_compare,
                            command_emit,
                            command_gate,
                            command_merge,
                            command_report,
                            command_table,
                            command_verify,
                            command_completion;

const struct command *const commands[] = {
    &command_sweep,
    &command_eval,
    &command_list,
    &command_env,
    &command_bench,
    &command_compare,
    &command_emit,
    &command_gate,
    &command_merge,
    &command_report,
    &command_table,
    &command_verify,
    &command_completion,
};
/* clang-format on */
const size_t command_count = sizeof commands / sizeof *commands;

volatile sig_atomic_t interrupted;

/* Seconds that an implementation under test has to return once the user has had enough. */
enum { PATIENCE = 10 };

static bool finished;

static void say(const char *line) {
    /* Nothing can be done here about a stderr that does not take it. */
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        _exit(EXIT_TROUBLE);
}

static void on_interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
    alarm(PATIENCE);
}

static void on_alarm(int signal_number) {
    (void)signal_number;
    say("detcheck: interrupted; the implementation under test does not return\n");
    _exit(EXIT_INTERRUPTED);
}

#if !defined(__SANITIZE_ADDRESS__)
static void on_crash(int signal_number) {
    (void)signal_number;
    say("detcheck: crashed, most likely in the implementation under test\n");
    _exit(EXIT_JUDGED_BAD);
}
#endif

/* Runs at exit: nothing here calls exit before main returns, but a library under test may. */
static void on_exit_early(void) {
    if (finished)
        return;
    say("detcheck: the implementation under test ended the process\n");
    _exit(EXIT_JUDGED_BAD);
}

int trouble(const struct error *error) {
    fflush(stdout);
    fprintf(stderr, "detcheck: %s\n", error->text);
    return EXIT_TROUBLE;
}

void remark(const char *kind, const struct error *line) {
    if (line->text[0])
        fprintf(stderr, "detcheck: %s: %s\n", kind, line->text);
}

static void print_usage(FILE *stream) {
    fprintf(stream, "Usage: detcheck COMMAND [ARGUMENT...] [OPTION...]\n\n"
                    "Audits numeric reproducibility: are these the bits, and if not, how far off, "
                    "where?\n\nCommands:\n");
    for (size_t i = 0; i < command_count; i++)
        fprintf(stream, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(stream, "\n'detcheck COMMAND --help' says more. The main job: detcheck sweep exp\n");
}

static const struct command *find_command(const char *name, struct error *error) {
    const char *names[32];
    for (size_t i = 0; i < command_count; i++) {
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
        names[i] = commands[i]->name;
    }
    const char *nearest = name_nearest(name, names, command_count);
    if (nearest)
        error_set(error, "unknown command '%.80s'; did you mean %s?", name, nearest);
    else
        error_set(error, "unknown command '%.80s'; 'detcheck --help' lists them", name);
    return NULL;
}

/* A closed descriptor would be handed to the next file opened; /dev/null holds its place. */
static bool hold_descriptors(struct error *error) {
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF)
            continue;
        if (open("/dev/null", descriptor ? O_WRONLY : O_RDONLY) < 0)
            return error_set(error, "cannot open /dev/null: %s", strerror(errno));
        if (descriptor == 1)
            return error_set(error, "stdout is closed; results have nowhere to go");
    }
    return true;
}

static void set_signals(void) {
    struct sigaction stop = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGHUP, &stop, NULL);
    sigaction(SIGPIPE, &ignore, NULL); /* a closed pipe is then an error that can be told, */
    sigaction(SIGXFSZ, &ignore, NULL); /* and so is a limit on the size of files */
    struct sigaction late = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &late, NULL);
#if !defined(__SANITIZE_ADDRESS__)
    struct sigaction crash = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND};
    int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i], &crash, NULL);
#endif
    atexit(on_exit_early);
}

/* The exit code once stdout has been found to hold all of it. Trouble has been told already. */
static int finish(int code) {
    struct error error;
    if (code != EXIT_TROUBLE && !output_flush_stdout(&error))
        return trouble(&error);
    return code;
}

static int run_command(const struct command *command, int count, char **words) {
    static struct arguments arguments;
    struct error error;
    if (!arguments_parse(command, count, words, &arguments, &error))
        return trouble(&error);
    if (argument_given(&arguments, "help")) {
        command_help(command);
        return finish(EXIT_OK);
    }
    return finish(command->run(&arguments));
}

static int run(int count, char **words) {
    struct error error;
    /* A failed write in the middle of an output leaves no reason behind, one at its end does. */
    static char stdout_buffer[1 << 20];
    setvbuf(stdout, stdout_buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof stdout_buffer);
    if (!hold_descriptors(&error))
        return trouble(&error);
    set_signals();
    if (count < 2) {
        print_usage(stderr);
        return EXIT_TROUBLE;
    }
    const char *name = words[1];
    if (strcmp(name, "--version") == 0) {
        printf("detcheck %s\n", DETCHECK_VERSION);
        return finish(EXIT_OK);
    }
    bool asks_help =
        strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0;
    if (asks_help && count == 2) {
        print_usage(stdout);
        return finish(EXIT_OK);
    }
    const struct command *command = find_command(asks_help ? words[2] : name, &error);
    if (!command)
        return trouble(&error);
    if (asks_help) {
        command_help(command);
        return finish(EXIT_OK);
    }
    return run_command(command, count - 2, words + 2);
}

int main(int count, char **words) {
    if (count > 1 && strcmp(words[1], LIBRARY_WORKER) == 0)
        return library_worker(count, words);
    bool makes_manual = count > 1 && strcmp(words[1], MANUAL_PAGE) == 0;
    int code = makes_manual ? manual_page(count, words) : run(count, words);
    oracle_thread_end();
    finished = true;
    return code;
}
