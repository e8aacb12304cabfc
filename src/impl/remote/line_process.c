/* Lines to a child and back. */
#include "impl/remote/line_process.h"

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

enum { READ_AT_ONCE = 1 << 16 };

bool text_add(struct text *text, const char *bytes, size_t length) {
    if (text->length + length > text->room) {
        const size_t room = 2 * (text->length + length);
        char *more = realloc(text->bytes, room);
        if (!more)
            return false;
        text->bytes = more;
        text->room = room;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    return true;
}

static bool make_pipe(int ends[2], int ours) {
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[ours], F_SETFL, O_NONBLOCK) == 0;
}

bool line_process_open(struct line_process *process, const char *command, struct error *error) {
    char *const words[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, (char *)(size_t)command, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t pipes;
    int there[2], back[2];
    *process = (struct line_process){0};
    signal(SIGPIPE, SIG_IGN);
    if (!make_pipe(there, 1) || !make_pipe(back, 0))
        return error_set(error, "cannot make a pipe: %s", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, there[0], 0);
    posix_spawn_file_actions_adddup2(&actions, back[1], 1);
    posix_spawnattr_init(&attributes);
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE); /* as it is by default */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigdefault(&attributes, &pipes);
    const int failure = posix_spawn(&process->pid, words[0], &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(there[0]);
    close(back[1]);
    process->to = there[1];
    process->from = back[0];
    return !failure || error_set(error, "cannot start /bin/sh: %s", strerror(failure));
}

/* The child has closed its output, or is gone. */
static void end_likewise(const struct line_process *process) {
    int status = 0;
    close(process->to);
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(WEXITSTATUS(status));
}

/* Writes what the pipe takes of the lines from *done on. */
static void send_some(const struct line_process *process, const struct text *lines, size_t *done) {
    const ssize_t moved = write(process->to, lines->bytes + *done, lines->length - *done);
    if (moved > 0)
        *done += (size_t)moved;
    else if (moved < 0 && errno == EPIPE)
        *done =
            lines->length; /* it may have answered before; else its end is seen where it is read */
}

/* Reads what is there, and puts a 0 in place of each line feed; *count becomes how many lines have come. False without memory. */
static bool read_some(struct line_process *process, size_t *count, struct error *error) {
    char bytes[READ_AT_ONCE];
    const ssize_t moved = read(process->from, bytes, sizeof bytes);
    if (moved == 0)
        end_likewise(process);
    if (moved > 0 && memchr(bytes, '\0', (size_t)moved)) /* which would end a line here */
        return error_set(error, "it wrote a byte that is 0, which no line of text has");
    for (ssize_t i = 0; i < moved; i++)
        if (bytes[i] == '\n') {
            bytes[i] = '\0';
            ++*count;
        }
    return moved < 0 || text_add(&process->said, bytes, (size_t)moved) ||
           error_set(error, "out of memory for an answer");
}

bool line_process_ask(struct line_process *process, const struct text *lines, size_t count,
                      struct error *error) {
    static const struct timespec nap = {0, 200000};
    size_t sent = 0, come = 0;
    struct pollfd early = {process->from, POLLIN, 0};
    process->said.length = 0;
    if (poll(&early, 1, 0) > 0 && early.revents & POLLIN)
        return error_set(error, "it wrote one line too many");
    do {
        struct pollfd ends[] = {{process->from, POLLIN, 0}, {process->to, POLLOUT, 0}};
        const bool all_sent = sent == lines->length;
        if (poll(ends, all_sent ? 1 : 2, -1) < 0 && errno != EINTR)
            return error_set(error, "cannot wait for lines: %s", strerror(errno));
        if (!all_sent && ends[1].revents)
            send_some(process, lines, &sent);
        if (ends[0].revents && !read_some(process, &come, error))
            return false;
        if (come < count && sent == lines->length) /* else each line would wake this process */
            nanosleep(&nap, NULL);
    } while (come < count || sent < lines->length);
    if (come > count || process->said.bytes[process->said.length - 1])
        return error_set(error, "it wrote more than %zu lines for %zu inputs", count, count);
    return true;
}
