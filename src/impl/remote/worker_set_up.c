/* What a process gives up before it runs code of others. */
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "impl/remote/library.h"

#include <signal.h>
#include <sys/resource.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

/* Where the system counts it, memory that can be written to, and is not shared: a library may set
 * aside much of its address space. */
#if defined(__linux__)
#define MEMORY_LIMIT RLIMIT_DATA
#else
#define MEMORY_LIMIT RLIMIT_AS
#endif

/* A crash is for detcheck to tell: no dump, no handler (a sanitizer's, say), no life after it. And
 * no more rights by way of a program that has them. What a scheduler tells all processes of a job is
 * for detcheck, which ends its workers itself: else their end would look like a crash. */
void worker_set_up(unsigned long memory) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    static const int asides[] = {SIGTERM, SIGUSR1};
    const struct rlimit none = {0, 0};
    const struct rlimit most = {(rlim_t)memory << 20, (rlim_t)memory << 20};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        signal(crashes[i], SIG_DFL);
    for (size_t i = 0; i < sizeof asides / sizeof *asides; i++)
        signal(asides[i], SIG_IGN);
    setrlimit(RLIMIT_CORE, &none);
    if (memory)
        setrlimit(MEMORY_LIMIT, &most);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
}
