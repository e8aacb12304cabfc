/* Files that appear whole or not at all. */
#ifndef DETCHECK_BASE_OUTPUT_H
#define DETCHECK_BASE_OUTPUT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* An output in the making. `stream` is written to; nothing shows under the real name before
 * output_commit. "-" is stdout. A name that already belongs to something other than a plain file (a
 * device, a pipe) is written to directly, since it must not be replaced. */
struct output {
    FILE *stream;
    char *path;      /* as the user gave it */
    char *target;    /* what it names, symbolic links followed */
    char *temporary; /* beside the target, while it takes the target's place */
    bool in_memory;  /* until it is whole, where there are no files without a name */
    char *content;   /* then */
    size_t size;
    mode_t mode; /* of the file to come */
};

/* Opens early, so that an unwritable place is found before the work and not after it. What a
 * process that is killed has written is gone, but for a moment in which a new file takes an old
 * one's place, and where the system has no files without a name. */
bool output_open(struct output *output, const char *path, struct error *error);

/* Flushes, syncs and renames. On failure nothing is left behind. Either way the output is closed.
 */
bool output_commit(struct output *output, struct error *error);

/* Throws the unfinished file away. Safe on a closed or zeroed output. */
void output_discard(struct output *output);

/* Which file a path is of, or will be of once it is written. */
struct file_identity {
    dev_t device;
    ino_t inode;    /* of the file, or while there is none, of its folder */
    char name[256]; /* in that folder; empty where there is a file */
};

/* False where it is no plain file and will be none (a device, a pipe, a folder that there is
 * not). */
bool output_identify(const char *path, struct file_identity *identity);
bool output_same(const struct file_identity *a, const struct file_identity *b);

/* Flushes stdout and says whether everything written to it has arrived. */
bool output_flush_stdout(struct error *error);

/* What is printed from now on goes nowhere, waits for nobody and is no failure. For handlers of signals. */
void output_drop_stdout(void);

#endif
