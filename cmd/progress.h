/* How far a run is, on stderr: a bar on a terminal, elsewhere a line once a minute. */
#ifndef DETCHECK_CMD_PROGRESS_H
#define DETCHECK_CMD_PROGRESS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool shown;   /* as a bar */
    double every; /* seconds from one line to the next, where there is no bar; 0: no lines */
    const char *label;
    uint64_t total, before; /* inputs of the whole run, and of the parts that are done */
    double start, last;     /* seconds */
    double share;           /* that was told last, of a computation of unknown length */
    double began, seconds;  /* of a part that ends after a time, not after so many inputs; else 0 */
};

/* Reads DETCHECK_PROGRESS, once for all runs: how many seconds apart lines are, 60 if it is not set, none if it is 0. */
bool progress_settings_take(struct error *error);

/* `total` inputs to come. A quiet run prints no lines. */
void progress_begin(struct progress *progress, uint64_t total, bool quiet);

/* Whether there is a bar, or may be lines. */
static inline bool progress_is_told(const struct progress *progress) {
    return progress->shown || progress->every > 0;
}

/* The part that begins now takes so many seconds, however many inputs that are; 0: as before. */
void progress_expect_seconds(struct progress *progress, double seconds);

/* Takes the bar away, so that a line can be written in its place. */
void progress_hide(const struct progress *progress);

/* A progress_function: `done` inputs of the current part. Draws at most ten times a second. */
void progress_update(void *progress, uint64_t done);

/* A stage_function, for what has no number of inputs. */
void progress_share(void *progress, const char *doing, double share);

/* The current part is over, and had `count` inputs. Clears the line, so that results may follow. */
void progress_part_done(struct progress *progress, uint64_t count);

#endif
