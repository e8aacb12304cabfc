/* The file that a run is resumed from: the states of its sweeps, one after the other, behind what the
 * run was: which program, where, which command. A hash of all ends it.
 *
 * The file is written beside, synced and renamed, so there is always a whole one. A lock on a file of
 * its own keeps a second run away; the system lets go of that lock when its owner ends, however. */
#ifndef DETCHECK_SWEEP_CHECKPOINT_FILE_H
#define DETCHECK_SWEEP_CHECKPOINT_FILE_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing run of bytes. */
struct bytes {
    uint8_t *data;
    size_t size, room;
    bool failed; /* there was no memory */
};
void bytes_add(struct bytes *bytes, const void *data, size_t size);
void bytes_free(struct bytes *bytes);

/* Puts the text of a document, which is deleted, in the place of the bytes; NULL: there was no memory. */
void bytes_put_document(struct bytes *bytes, cJSON *document);

/* The bytes as a document, for json_tree_free; NULL with an error. `path` is that of the checkpoint. */
cJSON *bytes_document(const struct bytes *bytes, const char *path, struct error *error);

struct checkpoint {
    char *path, *lock_path, *command;
    char build[128], platform[512];
    int lock;                           /* a descriptor; -1: none */
    double every, last;                 /* seconds between two, and when the last was written */
    volatile sig_atomic_t *asked;       /* nonzero: write one now; may be NULL */
    void (*warn)(const struct error *); /* told once when writing begins to fail */
    bool failing;
    void (*tell_resumed)(const struct checkpoint *); /* once, when its first sweep goes on */
    bool resumed;
    bool fresh;             /* something was done that the last one written has not */
    struct bytes *sweeps;   /* their states, in the order of the run */
    size_t sweep_count, at; /* at: the sweep under way */
};

/* Takes the lock and reads the file, if there is one. False where another run has the lock, or the
 * file is no whole checkpoint of this command by this very program on this platform. Close it in any
 * case. */
bool checkpoint_open(struct checkpoint *checkpoint, const char *path, const char *command,
                     double every, struct error *error);

/* Takes the states of a file, which is all that is there, into a checkpoint that is open but for these. */
bool checkpoint_parse(struct checkpoint *checkpoint, const struct bytes *file, struct error *error);

/* Room for the state of the next sweep, which is sweeps[at]; *known says whether the file had one, that
 * is not empty: a run may end before it has done anything. False without memory. */
bool checkpoint_begin(struct checkpoint *checkpoint, bool *known);

/* Tells, once, that the run goes on from what the file had. */
void checkpoint_note_resumed(struct checkpoint *checkpoint);

/* Whether it is to be written now. */
bool checkpoint_is_due(const struct checkpoint *checkpoint);

/* The states are what is to be written next: until more is done, or asked for, it is due no more. */
void checkpoint_settle(struct checkpoint *checkpoint);

/* Writes the states, if there are any. A failure is told by `warn`, and the last file stays as it was. */
void checkpoint_write(struct checkpoint *checkpoint);

/* The run is done and its results are where they belong: removes the file. */
bool checkpoint_done(struct checkpoint *checkpoint, struct error *error);

void checkpoint_close(struct checkpoint *checkpoint);

#endif
