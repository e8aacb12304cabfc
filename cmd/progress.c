/* Drawing the bar, and printing the lines. */
#include "progress.h"

#include "base/clock.h"
#include "report/text.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LABEL = 12, BAR_MOST = 512, MOST_APART = 1000000 };

static double seconds_apart = 60;

bool progress_settings_take(struct error *error) {
    const char *text = getenv("DETCHECK_PROGRESS");
    char *end = NULL;
    const double seconds = text ? strtod(text, &end) : seconds_apart;
    if (text && (end == text || *end || !(seconds >= 0 && seconds <= MOST_APART)))
        return error_set(error,
                         "DETCHECK_PROGRESS is '%.80s'; it should be the number of seconds between "
                         "two lines of progress, at most %d, or 0 for none",
                         text, MOST_APART);
    seconds_apart = seconds;
    return true;
}

void progress_begin(struct progress *progress, uint64_t total, bool quiet) {
    *progress = (struct progress){.total = total, .label = "", .start = clock_seconds()};
    progress->shown = terminal_obeys(STDERR_FILENO);
    progress->every = progress->shown || quiet ? 0 : seconds_apart;
}

/* Whether something is to be told now, and takes note of that. */
static bool is_due(struct progress *progress, double time) {
    const double since = time - (progress->last > 0 ? progress->last : progress->start);
    const bool due = progress->shown ? time - progress->last >= 0.1 && time - progress->start >= 0.5
                                     : progress->every > 0 && since >= progress->every;
    if (due)
        progress->last = time;
    return due;
}

void progress_expect_seconds(struct progress *progress, double seconds) {
    progress->began = clock_seconds();
    progress->seconds = seconds;
}

/* A line that the terminal has room for: the bar takes what label and text leave, and where that is
 * nothing, they are cut. The last column stays free, since some terminals wrap there. */
static void draw(const struct progress *progress, double share, const char *rest) {
    const int length = (int)strlen(rest);
    if (!progress->shown) {
        fprintf(stderr, "detcheck: %s:%s%s\n", progress->label, *rest == ' ' ? "" : " ", rest);
        return;
    }
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
    fprintf(stderr, "\r\033[K%-*.*s [%.*s] %s", LABEL, LABEL, progress->label, room, bar, rest);
}

void progress_update(void *context, uint64_t done) {
    struct progress *progress = context;
    double time = clock_seconds(), elapsed = time - progress->start;
    if (!is_due(progress, time))
        return;
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
    snprintf(rest, sizeof rest, "%5.1f %%  %s/s  %s left", 100 * share, text_rate(rate, rate_text),
             text_duration(left, left_text));
    draw(progress, share, rest);
    fflush(stderr);
}

void progress_share(void *context, const char *doing, double share) {
    struct progress *progress = context;
    const double time = clock_seconds();
    char rest[96], left[32];
    if (share < progress->share || progress->began <= 0)
        progress->began = time;
    progress->share = share;
    if (!(share > 0 && share < 1) ||
        !is_due(progress, time)) /* at the end nobody knows what comes */
        return;
    const double taken = time - progress->began;
    snprintf(rest, sizeof rest, "%s%s%5.1f %%  %s left", doing ? doing : "", doing ? " " : "",
             100 * share, text_duration(taken * (1 - share) / share, left));
    draw(progress, share, rest);
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
