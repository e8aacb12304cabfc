/* Handlers of signals. */
#include "signals.h"

#include "messages.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

volatile sig_atomic_t interrupted;

/* Seconds that a command which ends by itself has to do so, once the user has had enough. */
enum { PATIENCE = 10 };

static volatile sig_atomic_t patient;

static bool finished;

static void say(const char *line) {
    /* Nothing can be done here about a stderr that does not take it. */
    if (write(threads_stderr(), line, strlen(line)) < 0)
        _exit(EXIT_TROUBLE);
}

static void end_at_once(void) {
    say("detcheck: interrupted\n");
    _exit(EXIT_INTERRUPTED);
}

static void on_interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
    if (!patient)
        end_at_once();
    alarm(PATIENCE);
}

static void on_alarm(int signal_number) {
    (void)signal_number;
    say("detcheck: interrupted; a call of the implementation or of the oracle does not return\n");
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
    threads_tell_refused();
    say("detcheck: the implementation under test ended the process\n");
    _exit(EXIT_JUDGED_BAD);
}

/* The parent may be gone by now. Nothing that this process starts is to look at the variable. */
static void end_with_parent(void) {
    const char *parent = getenv("DETCHECK_PARENT");
    if (!parent)
        return;
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    bool is_gone = strtol(parent, NULL, 10) != (long)getppid();
    unsetenv("DETCHECK_PARENT");
    if (is_gone)
        end_at_once();
}

void signals_set(void) {
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
    int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i], &crash, NULL);
#endif
    atexit(on_exit_early);
    end_with_parent();
}

bool signals_leave_to_command(bool leave) {
    bool before = patient;
    patient = leave;
    if (!leave && interrupted) /* it came before this */
        end_at_once();
    return before;
}

static volatile sig_atomic_t asked;

static void on_asked(int signal_number) {
    (void)signal_number;
    asked = 1;
}

volatile sig_atomic_t *signals_ask_for_checkpoints(void) {
    struct sigaction ask = {.sa_handler = on_asked, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &ask, NULL);
    return &asked;
}

void signals_end(void) {
    finished = true;
}
