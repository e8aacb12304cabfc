/* Starting a child by posix_spawn, and talking to it by poll. */
#if defined(__linux__)
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#endif
#include "impl/remote/process.h"

#include "base/clock.h"
#include "impl/remote/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { TICK = 100 /* milliseconds between looks at the clock, the stop flag and the child */ };

static void close_both(const int ends[2]) {
    close(ends[0]);
    close(ends[1]);
}

/* A limit below that number is EINVAL to fcntl. */
int process_move_above(int made) {
    enum { ABOVE = 10 };
    if (made < 0)
        return -1;
    int moved = fcntl(made, F_DUPFD_CLOEXEC, ABOVE);
    int why = moved < 0 && errno == EINVAL ? EMFILE : errno;
    close(made);
    errno = why;
    return moved;
}

const char *process_why(void) {
    return errno == EMFILE ? "too many open files; 'ulimit -n 1024' allows enough"
                           : strerror(errno);
}

/* A pipe whose ends no child inherits but by adddup2, at descriptors above those that the child
 * gets. */
static bool make_pipe(int ends[2]) {
    int made[2];
    if (pipe(made) != 0)
        return false;
    ends[0] = process_move_above(made[0]);
    int why = errno;
    ends[1] = process_move_above(made[1]);
    if (ends[0] >= 0 && ends[1] >= 0)
        return true;
    why = ends[0] < 0 ? why : errno;
    close_both(ends);
    errno = why;
    return false;
}

/* The environment with one variable set; the caller frees the list. NULL where memory fails. */
static char **environment_with(const char *variable) {
    size_t count = 0, name = strcspn(variable, "=") + 1, kept = 0;
    while (environ[count])
        count++;
    char **list = calloc(count + 2, sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        if (strncmp(environ[i], variable, name) != 0)
            list[kept++] = environ[i];
    if (list)
        list[kept] = (char *)(uintptr_t)variable;
    return list;
}

/* `nowhere`: what a quiet child reads from; else -1. */
static int spawn(struct process *process, const struct process_start *start, int in, int out,
                 int nowhere) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, in, start->quiet ? PROCESS_FROM_PARENT : 0);
    posix_spawn_file_actions_adddup2(&actions, out, start->quiet ? PROCESS_TO_PARENT : 1);
    if (start->shared >= 0)
        posix_spawn_file_actions_adddup2(&actions, start->shared, PROCESS_SHARED);
    if (start->quiet) {
        posix_spawn_file_actions_adddup2(&actions, nowhere, 0);
        posix_spawn_file_actions_adddup2(&actions, 2, 1);
    }
    /* A group of its own, so that it can be killed with its children and that Ctrl-C is not taken
     * for a crash; signals as they are by default, SIGPIPE too. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    char **environment = start->variable ? environment_with(start->variable) : environ;
    int failure = !environment ? ENOMEM
                               : posix_spawn(&process->pid, start->words[0], &actions, &attributes,
                                             start->words, environment);
    if (start->variable)
        free(environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static bool open_alone(struct process *process, const struct process_start *start,
                       struct error *error) {
    int there[2], back[2];
    int nowhere = start->quiet ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    if (start->quiet && (nowhere = process_move_above(nowhere)) < 0)
        return error_set(error, "cannot open /dev/null for %s: %s", start->words[0], process_why());
    if (!make_pipe(there)) {
        error_set(error, "cannot make a pipe: %s", process_why());
        close(nowhere);
        return false;
    }
    if (!make_pipe(back)) {
        error_set(error, "cannot make a pipe: %s", process_why());
        close_both(there);
        close(nowhere);
        return false;
    }
    int failure = spawn(process, start, there[0], back[1], nowhere);
    close(nowhere);
    close(there[0]);
    close(back[1]);
    process->to = there[1];
    process->from = back[0];
    fcntl(process->to, F_SETFL, O_NONBLOCK);
    fcntl(process->from, F_SETFL, O_NONBLOCK);
#if defined(F_SETPIPE_SZ)
    fcntl(process->to, F_SETPIPE_SZ, 1 << 18);
    fcntl(process->from, F_SETPIPE_SZ, 1 << 18);
#endif
    if (!failure) {
        keeper_add(process->pid);
        return true;
    }
    process->pid = 0;
    close(process->to);
    close(process->from);
    return error_set(error, "cannot start %s: %s", start->words[0], strerror(failure));
}

bool process_open(struct process *process, const struct process_start *start, struct error *error) {
    bool opened;
    *process = (struct process){0};
    /* One at a time: a child must not inherit the pipe's ends of another one, or the death of that
     * one would go unnoticed. */
#pragma omp critical(process_open)
    opened = open_alone(process, start, error);
    return opened;
}

/* A list of pieces, as far as it is done. */
struct progress_of {
    const struct buffer *pieces;
    size_t count, at, done;
};

static void skip_empty(struct progress_of *list) {
    while (list->at < list->count && list->done == list->pieces[list->at].length) {
        list->at++;
        list->done = 0;
    }
}

/* Moves what can be moved now; false when the other end is closed. */
static bool move(int descriptor, struct progress_of *list, bool out) {
    for (skip_empty(list); list->at < list->count; skip_empty(list)) {
        char *bytes = (char *)list->pieces[list->at].bytes + list->done;
        size_t length = list->pieces[list->at].length - list->done;
        ssize_t moved = out ? write(descriptor, bytes, length) : read(descriptor, bytes, length);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        if (moved <= 0)
            return false;
        list->done += (size_t)moved;
    }
    return true;
}

/* Milliseconds to wait at a time. */
static int tick(double end) {
    double left = 1e3 * (end - clock_seconds()) + 1;
    return left >= (double)TICK ? TICK : left > 1 ? (int)left : 1;
}

/* Whether the child is no more, though something it left behind may hold the pipe open. */
static bool is_dead(const struct process *process) {
    siginfo_t information = {0};
    int status = waitid(P_PID, (id_t)process->pid, &information, WEXITED | WNOHANG | WNOWAIT);
    return status != 0 || information.si_pid == process->pid;
}

/* Whether there was something left to read in the pipe of a dead child. */
static bool moves_on(const struct process *process, struct progress_of *filled) {
    struct progress_of before = *filled;
    return move(process->from, filled, false) &&
           (filled->at != before.at || filled->done != before.done);
}

static enum exchange carry_on(struct process *process, struct progress_of sent,
                              struct progress_of *filled, const struct patience *patience) {
    double end = clock_seconds() + patience->seconds;
    uint32_t most = 0;
    bool open = move(process->to, &sent, true);
    for (;;) {
        skip_empty(filled);
        if (filled->at == filled->count)
            return sent.at == sent.count ? EXCHANGE_DONE : EXCHANGE_ENDED;
        /* Whatever keeps coming: the clock and the stop flag are looked at each time. */
        if ((patience->stop && *patience->stop) ||
            (patience->until > 0 && clock_seconds() >= patience->until))
            return EXCHANGE_STOPPED;
        if (patience->progress && *patience->progress > most) {
            most = *patience->progress;
            end = clock_seconds() + patience->seconds;
        } else if (clock_seconds() >= end)
            return EXCHANGE_LATE;
        struct pollfd ends[] = {{process->from, POLLIN, 0},
                                {sent.at < sent.count && open ? process->to : -1, POLLOUT, 0}};
        int ready = poll(ends, 2, tick(end));
        if (ready > 0 && ends[1].revents)
            open = move(process->to, &sent, true);
        if (ready > 0 && ends[0].revents && !move(process->from, filled, false))
            return EXCHANGE_ENDED;
        if (ready <= 0 && is_dead(process) && !moves_on(process, filled))
            return EXCHANGE_ENDED;
    }
}

enum exchange process_exchange(struct process *process, const struct buffer *out, size_t out_count,
                               const struct buffer *in, size_t in_count,
                               const struct patience *patience) {
    struct progress_of filled = {in, in_count, 0, 0};
    enum exchange exchange =
        carry_on(process, (struct progress_of){out, out_count, 0, 0}, &filled, patience);
    process->received = filled.done;
    for (size_t i = 0; i < filled.at; i++)
        process->received += in[i].length;
    return exchange;
}

bool process_has_more(const struct process *process) {
    struct pollfd end = {process->from, POLLIN, 0};
    return poll(&end, 1, 0) > 0 && end.revents & POLLIN;
}

bool process_is_there(const struct process *process) {
    struct pollfd end = {process->from, POLLIN, 0};
    return !is_dead(process) && (poll(&end, 1, 0) == 0 ||
                                 (end.revents & POLLIN && !(end.revents & (POLLERR | POLLNVAL))));
}

void process_hang_up(struct process *process) {
    if (process->pid && process->to >= 0) {
        close(process->to);
        close(process->from);
        process->to = process->from = -1;
    }
}

int process_close(struct process *process, double seconds) {
    int status = PROCESS_KILLED;
    double end = clock_seconds() + seconds;
    const struct timespec nap = {0, 1000000};
    if (!process->pid)
        return 0;
    process_hang_up(process);
    while (!is_dead(process) && clock_seconds() < end)
        nanosleep(&nap, NULL);
    bool ended = is_dead(process);
    kill(-process->pid, SIGKILL);
    keeper_remove(process->pid);
    int found = 0;
    while (waitpid(process->pid, &found, 0) < 0 && errno == EINTR)
        continue;
    if (ended)
        status = found;
    process->pid = 0;
    return status;
}
