/* Drawing the progress bar. */
#include "progress.h"

#include "base/clock.h"
#include "report/text.h"
#include "terminal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LABEL = 12, BAR_MOST = 512 };

void progress_begin(struct progress *progress, uint64_t total) {
    *progress = (struct progress){.total = total, .label = "", .start = clock_seconds()};
    progress->shown = terminal_obeys(STDERR_FILENO);
}

void progress_expect_seconds(struct progress *progress, double seconds) {
    progress->began = clock_seconds();
    progress->seconds = seconds;
}

/* A line that the terminal has room for: the bar takes what label and text leave, and where that is
 * nothing, they are cut. The last column stays free, since some terminals wrap there. */
static void draw(const char *label, double share, const char *rest, int length) {
    int columns = terminal_columns(STDERR_FILENO) - 1;
    int room = columns - (LABEL + (int)strlen(" [] ") + length);
    if (room < 1) {
        fprintf(stderr, "\r\033[K%.*s", columns, rest);
        return;
    }
    char bar[BAR_MOST + 1];
    room = room < BAR_MOST ? room : BAR_MOST;
    memset(bar, '.', (size_t)room);
    memset(bar, '#', (size_t)(share * room));
    fprintf(stderr, "\r\033[K%-*.*s [%.*s] %s", LABEL, LABEL, label, room, bar, rest);
}

void progress_update(void *context, uint64_t done) {
    struct progress *progress = context;
    double time = clock_seconds(), elapsed = time - progress->start;
    if (!progress->shown || time - progress->last < 0.1 || elapsed < 0.5)
        return;
    progress->last = time;
    done += progress->before;
    const double rate = (double)done / elapsed, so_far = time - progress->began;
    const bool by_time = progress->seconds > 0;
    double share = by_time           ? so_far / progress->seconds
                   : progress->total ? (double)done / (double)progress->total
                                     : 0;
    if (share > 1)
        share = 1;
    double left = by_time    ? progress->seconds - so_far
                  : rate > 0 ? (double)(progress->total - done) / rate
                             : 0;
    if (left < 0)
        left = 0;
    char rest[96], rate_text[32], left_text[32];
    int length = snprintf(rest, sizeof rest, "%5.1f %%  %s/s  %s left", 100 * share,
                          text_rate(rate, rate_text), text_duration(left, left_text));
    draw(progress->label, share, rest, length);
    fflush(stderr);
}

void progress_share(void *context, double share) {
    struct progress *progress = context;
    const double time = clock_seconds();
    const bool waits = time - progress->last < 0.1 || time - progress->start < 0.5;
    char rest[64], left[32];
    if (share < progress->share || !progress->began)
        progress->began = time;
    progress->share = share;
    if (!progress->shown || waits || !(share > 0))
        return;
    progress->last = time;
    const double taken = time - progress->began;
    const int length = snprintf(rest, sizeof rest, "%5.1f %%  %s left", 100 * share,
                                text_duration(taken * (1 - share) / share, left));
    draw(progress->label, share, rest, length);
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
