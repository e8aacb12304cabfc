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
    char *temporary; /* beside the target, while it is being written */
    char *content;   /* until then; NULL when written to directly */
    size_t size;
    mode_t mode; /* of the file to come */
};

/* Opens early, so that an unwritable place is found before the work and not after it. */
bool output_open(struct output *output, const char *path, struct error *error);

/* Flushes, syncs and renames. On failure nothing is left behind. Either way the output is closed.
 */
bool output_commit(struct output *output, struct error *error);

/* Throws the unfinished file away. Safe on a closed or zeroed output. */
void output_discard(struct output *output);

/* Flushes stdout and says whether everything written to it has arrived. */
bool output_flush_stdout(struct error *error);

#endif
