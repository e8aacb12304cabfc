/* Starting threads before the work begins. OpenMP's library keeps them for all parallel regions of
 * as many; where the system refuses one it prints a line of its own and exits, in the middle of
 * what it was called for. Here nothing has been written yet, and stderr is kept from it. */
#include "threads.h"

#include "messages.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 256 };

static int starting;                           /* threads that are being started, or 0 */
static volatile sig_atomic_t kept_stderr = -1; /* while nothing is to get to stderr */

static void silence_stderr(void) {
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    kept_stderr = nowhere < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (kept_stderr >= 0)
        dup2(nowhere, STDERR_FILENO);
    if (nowhere >= 0)
        close(nowhere);
}

static void restore_stderr(void) {
    if (kept_stderr < 0)
        return;
    int kept = kept_stderr;
    dup2(kept, STDERR_FILENO);
    kept_stderr = -1;
    close(kept);
}

int threads_stderr(void) {
    int kept = kept_stderr;
    return kept < 0 ? STDERR_FILENO : kept;
}

void threads_tell_refused(void) {
    if (!starting)
        return;
    restore_stderr();
    char line[128];
    int length = snprintf(line, sizeof line,
                          "detcheck: cannot start %d threads: %s; --threads asks for fewer\n",
                          starting, strerror(EAGAIN));
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        _exit(EXIT_TROUBLE);
    _exit(EXIT_TROUBLE);
}

void threads_start(int threads) {
    static atomic_int started;
    silence_stderr();
    starting = threads;
#pragma omp parallel num_threads(threads)
    atomic_fetch_add(&started, 1); /* an empty region would be left out */
    starting = 0;
    restore_stderr();
}

bool threads_given(const struct arguments *arguments, int *threads, struct error *error) {
    unsigned long long count;
    int processors = omp_get_num_procs();
    unsigned usual = processors < MOST_THREADS ? (unsigned)processors : MOST_THREADS;
    if (!argument_number(arguments, "threads", 1, MOST_THREADS, usual, &count, error))
        return false;
    *threads = (int)count;
    threads_start(*threads);
    return true;
}
