/* A progress bar on stderr, on terminals only. */
#ifndef DETCHECK_CMD_PROGRESS_H
#define DETCHECK_CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool shown;
    const char *label;
    uint64_t total, before; /* inputs of the whole run, and of the parts that are done */
    double start, last;     /* seconds */
    double share;           /* that was told last, of a computation of unknown length */
    double began, seconds;  /* of a part that ends after a time, not after so many inputs; else 0 */
};

/* `total` inputs to come. Nothing is ever shown when stderr is not a terminal. */
void progress_begin(struct progress *progress, uint64_t total);

/* The part that begins now takes so many seconds, however many inputs that are; 0: as before. */
void progress_expect_seconds(struct progress *progress, double seconds);

/* Takes the bar away, so that a line can be written in its place. */
void progress_hide(const struct progress *progress);

/* A progress_function: `done` inputs of the current part. Draws at most ten times a second. */
void progress_update(void *progress, uint64_t done);

/* A stage_function, for what has no number of inputs. */
void progress_share(void *progress, double share);

/* The current part is over, and had `count` inputs. Clears the line, so that results may follow. */
void progress_part_done(struct progress *progress, uint64_t count);

#endif
