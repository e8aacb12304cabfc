/* A child process at the other end of two pipes, and exchanges with it that never wait for longer
 * than they may. */
#ifndef DETCHECK_IMPL_REMOTE_PROCESS_H
#define DETCHECK_IMPL_REMOTE_PROCESS_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* This very program, as a process of its own has it. */
#define PROCESS_PROGRAM "/proc/self/exe"

struct process {
    pid_t pid;       /* 0: none */
    int to, from;    /* -1: closed */
    size_t received; /* bytes of what the last exchange was to fill */
};

/* How the child is started. */
struct process_start {
    char *const *words; /* of its command line, then NULL; the first is the program's path */
    /* The pipes become descriptors 0 and 1 of the child, unless `quiet`: then they become 3 and 4,
     * and what it prints goes to stderr. */
    bool quiet;
    int shared; /* a descriptor that becomes 5, or -1 */
    const char *
        variable; /* NAME=VALUE that its environment has besides, or in place of its own; or NULL */
};
enum { PROCESS_FROM_PARENT = 3, PROCESS_TO_PARENT = 4, PROCESS_SHARED = 5 };

/* Moves a descriptor above those that a child gets; -1, with errno, where that cannot be. */
int process_move_above(int made);

/* Why a descriptor is not there, and what would be right: by errno. */
const char *process_why(void);

bool process_open(struct process *process, const struct process_start *start, struct error *error);

/* A piece of memory to be sent or to be filled. */
struct buffer {
    void *bytes;
    size_t length;
};

enum exchange {
    EXCHANGE_DONE,
    EXCHANGE_ENDED,   /* the child has closed a pipe, or is no more */
    EXCHANGE_LATE,    /* the time is over */
    EXCHANGE_STOPPED, /* the user wants no more */
};

/* When an exchange has to be over. `progress`, unless NULL, is a number that the child raises while
 * it gets on: each time that it is higher than ever gives the child all of the time again. What
 * comes through the pipe gives it none. */
struct patience {
    double seconds;
    double until; /* nor longer than that, of clock_seconds(), if it is above 0 */
    const volatile sig_atomic_t *stop; /* may be NULL */
    const volatile uint32_t *progress;
};

/* Sends all of `out` and fills all of `in`, both at the same time. */
enum exchange process_exchange(struct process *process, const struct buffer *out, size_t out_count,
                               const struct buffer *in, size_t in_count,
                               const struct patience *patience);

/* Whether the child has written something that nobody has read yet. */
bool process_has_more(const struct process *process);

/* Whether the child is there, and has its output open. */
bool process_is_there(const struct process *process);

/* Closes the pipes, so that the child may end. */
void process_hang_up(struct process *process);

/* Hangs up, unless that is done, and waits for that at most so long; then kills it,
 * with all that it started. Returns what waitpid says of it, or PROCESS_KILLED. */
enum { PROCESS_KILLED = -1 };
int process_close(struct process *process, double seconds);

#endif
