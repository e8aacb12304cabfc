/* A child that answers lines by lines. */
#ifndef DETCHECK_IMPL_REMOTE_LINE_PROCESS_H
#define DETCHECK_IMPL_REMOTE_LINE_PROCESS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Bytes that grow; `bytes` is NULL at first. */
struct text {
    char *bytes;
    size_t length, room;
};
bool text_add(struct text *text, const char *bytes, size_t length); /* false without memory */

struct line_process {
    pid_t pid;
    int to, from;
    struct text said; /* the answer to the last lines, with a 0 in place of each line feed */
};

/* Runs the command by the shell, in the process group of its parent: who kills that kills the child. */
bool line_process_open(struct line_process *process, const char *command, struct error *error);

/* Sends lines, and waits for so many, which `said` has then. Writes and reads at the same time. A child that ends before has this
 * process end likewise. False where it writes more lines than that, or memory is gone. */
bool line_process_ask(struct line_process *process, const struct text *lines, size_t count,
                      struct error *error);

#endif
