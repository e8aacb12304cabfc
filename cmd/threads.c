/* Starting threads before the work begins. OpenMP's library keeps them for all parallel regions of
 * as many; where the system refuses one it prints a line of its own and exits, in the middle of
 * what it was called for. Here nothing has been written yet, and stderr is kept from it. */
#if defined(__linux__)
#define _GNU_SOURCE /* pthread_getattr_np */
#endif
#include "threads.h"

#include "messages.h"
#include "surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

/* KiB that the thread's stack may have; that of the first thread has been looked at. */
static size_t stack_kib(void) {
#if defined(__GLIBC__)
    pthread_attr_t attributes;
    size_t bytes = SIZE_MAX;
    if (omp_get_thread_num() && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstacksize(&attributes, &bytes);
        pthread_attr_destroy(&attributes);
    }
    return bytes >> 10;
#else
    return SIZE_MAX;
#endif
}

/* KiB of stack that the environment asks for: a thread with a few of them would crash while it starts. SIZE_MAX
 * where it does not ask, or not by a number with one of OpenMP's units. */
static size_t asked_kib(void) {
    const char *text = getenv("OMP_STACKSIZE");
    char *end;
    text = text ? text : getenv("GOMP_STACKSIZE");
    if (!text || !*(text += strspn(text, " ")) || !strchr("0123456789", *text))
        return SIZE_MAX;
    errno = 0;
    unsigned long long size = strtoull(text, &end, 10);
    end += strspn(end, " ");
    const char *unit = *end ? strchr("bBkKmMgG", *end) : "K";
    if (errno || !unit || (*end && end[1 + strspn(end + 1, " ")]))
        return SIZE_MAX;
    if (strchr("bB", *unit))
        return (size_t)(size >> 10);
    unsigned shift = strchr("kK", *unit) ? 0 : strchr("mM", *unit) ? 10 : 20;
    return size > SIZE_MAX >> shift ? SIZE_MAX : (size_t)size << shift;
}

void threads_start(int threads) {
    size_t least = threads > 1 ? asked_kib() : SIZE_MAX;
    if (least >= LEAST_STACK_KIB) {
        silence_stderr();
        starting = threads;
#pragma omp parallel num_threads(threads) reduction(min : least)
        least = stack_kib();
        starting = 0;
        restore_stderr();
    }
    if (least >= LEAST_STACK_KIB)
        return;
    struct error error;
    error_set(&error, "threads get a stack of %zu KiB; detcheck needs %d or more (OMP_STACKSIZE)",
              least, LEAST_STACK_KIB);
    trouble(&error);
    _exit(EXIT_TROUBLE);
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
