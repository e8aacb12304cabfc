/* Handlers of signals. */
#include "signals.h"

#include "messages.h"
#include "threads.h"

#include "base/output.h"
#include "base/sanitizer.h"
#include "impl/others.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
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

/* Whether whoever reads stdout takes no more of it. */
static bool is_stdout_full(void) {
    struct pollfd pipe = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&pipe, 1, 0) == 0;
}

static void on_interrupt(int signal_number) {
    const int before = errno;
    (void)signal_number;
    interrupted = 1;
    if (!patient)
        end_at_once();
    if (is_stdout_full())
        output_drop_stdout();
    alarm(PATIENCE);
    errno = before;
}

static void on_alarm(int signal_number) {
    (void)signal_number;
    say(is_stdout_full() ? "detcheck: interrupted; nobody reads what it prints\n"
        : others_are_running_anywhere()
            ? "detcheck: interrupted; a call of the implementation does not return\n"
            : "detcheck: interrupted; what was under way does not come to an end\n");
    _exit(EXIT_INTERRUPTED);
}

#if !defined(UNDER_ADDRESS_SANITIZER)
/* A crash in code of ours is a mistake of ours: the process dies by its signal, which whoever looks for
 * such mistakes sees. The action is the system's own again; it comes when this returns. */
static void on_crash(int signal_number) {
    if (others_are_running()) {
        say("detcheck: crashed, most likely in the implementation under test\n");
        _exit(EXIT_JUDGED_BAD);
    }
    raise(signal_number);
}
#endif

/* Runs at exit: nothing here calls exit before main returns, but a library may. */
static void on_exit_early(void) {
    if (finished)
        return;
    threads_tell_refused();
    bool others = others_are_running();
    say(others ? "detcheck: the implementation under test ended the process\n"
               : "detcheck: a library that detcheck works with ended the process\n");
    _exit(others ? EXIT_JUDGED_BAD : EXIT_TROUBLE);
}

/* Whether there is a process of that number, and not only what is left of one that has ended. */
static bool is_running(long number) {
    char path[64], line[256] = "";
    if (kill((pid_t)number, 0) != 0 && errno != EPERM)
        return false;
    snprintf(path, sizeof path, "/proc/%ld/stat", number);
    FILE *stream = fopen(path, "r");
    if (stream && !fgets(line, sizeof line, stream))
        *line = '\0';
    if (stream)
        fclose(stream);
    const char *name_end = strrchr(line, ')'); /* "12 (name) R 11 ..." */
    return !name_end || (strncmp(name_end, ") Z", 3) != 0 && strncmp(name_end, ") X", 3) != 0);
}

/* The parent may be gone by now. Nothing that this process starts is to look at the variable. */
static bool end_with_parent(struct error *error) {
    const char *text = getenv("DETCHECK_PARENT");
    char *end = NULL;
    long parent = text ? strtol(text, &end, 10) : 0;
    if (!text)
        return true;
    if (parent < 1 || *end || !isdigit((unsigned char)*text))
        return error_set(error,
                         "DETCHECK_PARENT is '%.80s'; it should be the number of the process that "
                         "starts detcheck, or not be set",
                         text);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    unsetenv("DETCHECK_PARENT");
    if (parent != (long)getppid() && is_running(parent))
        return error_set(error,
                         "DETCHECK_PARENT is %ld, which is not the process that starts detcheck: "
                         "that is %ld; it should be the number of that one, or not be set",
                         parent, (long)getppid());
    if (parent != (long)getppid()) {
        say("detcheck: interrupted: the process that started it, by DETCHECK_PARENT, is gone\n");
        _exit(EXIT_INTERRUPTED);
    }
    return true;
}

bool signals_set(struct error *error) {
    struct sigaction stop = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGHUP, &stop, NULL);
    sigaction(SIGPIPE, &ignore, NULL); /* a closed pipe is then an error that can be told, */
    sigaction(SIGXFSZ, &ignore, NULL); /* and so is a limit on the size of files */
    struct sigaction late = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &late, NULL);
#if !defined(UNDER_ADDRESS_SANITIZER)
    struct sigaction crash = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND};
    int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i], &crash, NULL);
#endif
    if (!end_with_parent(error))
        return false;
    atexit(on_exit_early);
    return true;
}

bool signals_leave_to_command(bool leave) {
    bool before = patient;
    patient = leave;
    if (!leave && interrupted) /* it came before this */
        end_at_once();
    return before;
}

bool signals_begin_printing(void) {
    return !interrupted && signals_leave_to_command(false);
}

void signals_end_printing(bool before) {
    if (before)
        signals_leave_to_command(true);
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
