/* Drawing the progress bar. */
#include "progress.h"

#include "report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 28 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void progress_begin(struct progress *progress, uint64_t total) {
    const char *terminal = getenv("TERM");
    bool dumb = !terminal || strcmp(terminal, "dumb") == 0;
    *progress = (struct progress){.total = total, .label = "", .start = now()};
    progress->shown = isatty(STDERR_FILENO) && !dumb;
}

void progress_update(void *context, uint64_t done) {
    struct progress *progress = context;
    double time = now(), elapsed = time - progress->start;
    if (!progress->shown || time - progress->last < 0.1 || elapsed < 0.5)
        return;
    progress->last = time;
    done += progress->before;
    double share = progress->total ? (double)done / (double)progress->total : 0;
    if (share > 1)
        share = 1;
    double rate = (double)done / elapsed;
    double left = rate > 0 ? (double)(progress->total - done) / rate : 0;
    char bar[BAR + 1], rate_text[32], left_text[32];
    for (int i = 0; i < BAR; i++)
        bar[i] = i < (int)(share * BAR) ? '#' : '.';
    bar[BAR] = '\0';
    fprintf(stderr, "\r\033[K%-12.12s [%s] %5.1f %%  %s/s  %s left", progress->label, bar,
            100 * share, text_rate(rate, rate_text), text_duration(left, left_text));
    fflush(stderr);
}

void progress_hide(const struct progress *progress) {
    if (progress->shown && progress->last > 0)
        fprintf(stderr, "\r\033[K");
}

void progress_part_done(struct progress *progress, uint64_t count) {
    progress->before += count;
    progress_hide(progress);
}
