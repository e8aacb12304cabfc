/* Whether files of inputs hold at the end of a run what was read of them: another process may write or cut one
 * meanwhile, and what was tried is then no list that anybody has. */
#ifndef DETCHECK_BASE_FILE_STATE_H
#define DETCHECK_BASE_FILE_STATE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

struct file_state {
    bool is_file; /* else it is a pipe or the like, of which nothing is known */
    dev_t device;
    ino_t node;
    off_t size;
    struct timespec written;
};

/* The state of the file that a stream reads; to be called before the first byte is read. */
struct file_state file_state_of(FILE *stream);

/* After the last byte: that nobody wrote meanwhile. False with an error that names the file. */
bool file_state_stays(const struct file_state *before, FILE *stream, const char *path,
                      struct error *error);

/* Of a file of inputs that was just read: that it is what it was when this process first read it. From here on
 * files_stay asks for it too. */
bool file_keep(const char *path, struct error *error);

/* At the end of a run, by one thread: that all files of inputs are what they were. */
bool files_stay(struct error *error);

#endif
