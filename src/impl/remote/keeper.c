/* The keeper: a copy of detcheck, made while that is small, which reads numbers until there are no
 * more. */
#include "impl/remote/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_GROUPS = 1 << 13, MOST_INHERITED = 1024 };

static pid_t keeper;
static int lifeline = -1; /* the end of the keeper's pipe that is written to */

/* Groups that are there: a number to be added, or below 0 to be removed. */
static void note(int32_t groups[MOST_GROUPS], size_t *count, int32_t reported) {
    if (reported > 0) {
        if (*count < MOST_GROUPS)
            groups[(*count)++] = reported;
        return;
    }
    for (size_t i = 0; i < *count; i++)
        if (groups[i] == -reported) {
            groups[i] = groups[--*count];
            return;
        }
}

/* Holds nothing of detcheck open, and does not end by what ends detcheck. */
static void stand_apart(int from) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setpgid(0, 0);
    for (int i = 0; i < MOST_INHERITED; i++)
        if (i != from)
            close(i);
}

static void keep(int from) {
    static int32_t groups[MOST_GROUPS];
    size_t count = 0;
    int32_t reported;
    stand_apart(from);
    for (;;) {
        ssize_t got = read(from, &reported, sizeof reported);
        if (got == (ssize_t)sizeof reported)
            note(groups, &count, reported);
        else if (got >= 0 || errno != EINTR)
            break;
    }
    for (size_t i = 0; i < count; i++)
        kill(-groups[i], SIGKILL);
    _exit(0);
}

static void end_keeper(void) {
    close(lifeline);
    lifeline = -1;
    while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
        continue;
}

static void start_keeper(void) {
    int ends[2];
    if (pipe(ends) != 0)
        return;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    keeper = fork();
    if (keeper == 0)
        keep(ends[0]);
    close(ends[0]);
    if (keeper > 0 && atexit(end_keeper) == 0)
        lifeline = ends[1];
    else
        close(ends[1]);
}

/* A number is written at once or not at all. */
static void tell(int32_t number) {
    while (lifeline >= 0 && write(lifeline, &number, sizeof number) < 0 && errno == EINTR)
        continue;
}

void keeper_add(pid_t group) {
    if (!keeper)
        start_keeper();
    tell((int32_t)group);
}

void keeper_remove(pid_t group) {
    tell(-(int32_t)group);
}
