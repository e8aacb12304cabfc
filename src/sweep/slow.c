/* Watching. */
#include "sweep/slow.h"

#include "base/clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

struct place {
    uint64_t first;
    double since; /* 0: in no slice */
};

struct slow_watch {
    const struct sweep_request *request;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool ends;
    int count;
    struct place places[];
};

/* The slice that has taken longest so far. */
static const struct place *longest(const struct slow_watch *watch) {
    const struct place *found = NULL;
    for (int i = 0; i < watch->count; i++)
        if (watch->places[i].since > 0 && (!found || watch->places[i].since < found->since))
            found = &watch->places[i];
    return found;
}

/* Told once a minute has gone by, then after two, four and so on, so that a sweep of nothing but slow
 * slices is no page of notes. */
static void *watch_places(void *context) {
    struct slow_watch *watch = context;
    double patience = watch->request->patience;
    pthread_mutex_lock(&watch->mutex);
    while (!watch->ends) {
        double step = watch->request->patience / 8;
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        long long wait = (long long)(step * 1e9) + until.tv_nsec;
        until.tv_sec += (time_t)(wait / 1000000000);
        until.tv_nsec = (long)(wait % 1000000000);
        pthread_cond_timedwait(&watch->ended, &watch->mutex, &until);
        const struct place *place = longest(watch);
        if (watch->ends || !place || clock_seconds() - place->since < patience)
            continue;
        watch->request->slow(watch->request->slow_context, place->first,
                             clock_seconds() - place->since);
        patience *= 2;
    }
    pthread_mutex_unlock(&watch->mutex);
    return NULL;
}

/* Signals are for the threads of the sweep. */
static bool start(struct slow_watch *watch) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&watch->thread, NULL, watch_places, watch) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

struct slow_watch *slow_watch_begin(const struct sweep_request *request, int threads) {
    if (!request->slow)
        return NULL;
    struct slow_watch *watch = calloc(1, sizeof *watch + (size_t)threads * sizeof(struct place));
    if (!watch)
        return NULL;
    watch->request = request;
    watch->count = threads;
    pthread_mutex_init(&watch->mutex, NULL);
    pthread_cond_init(&watch->ended, NULL);
    if (start(watch))
        return watch;
    free(watch);
    return NULL;
}

void slow_watch_enter(struct slow_watch *watch, int thread, uint64_t first) {
    if (!watch)
        return;
    pthread_mutex_lock(&watch->mutex);
    watch->places[thread] = (struct place){first, clock_seconds()};
    pthread_mutex_unlock(&watch->mutex);
}

void slow_watch_leave(struct slow_watch *watch, int thread) {
    if (!watch)
        return;
    pthread_mutex_lock(&watch->mutex);
    watch->places[thread].since = 0;
    pthread_mutex_unlock(&watch->mutex);
}

void slow_watch_end(struct slow_watch *watch) {
    if (!watch)
        return;
    pthread_mutex_lock(&watch->mutex);
    watch->ends = true;
    pthread_cond_signal(&watch->ended);
    pthread_mutex_unlock(&watch->mutex);
    pthread_join(watch->thread, NULL);
    free(watch);
}
