/* Threads that wait for each other, and do nothing else. */
#include "platform/threads.h"

#include <pthread.h>
#include <string.h>

enum { MOST_THREADS = 256 };

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

/* The gate is closed until all have been started. */
static void *wait_at_gate(void *unused) {
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return unused;
}

bool threads_can_start(int count, struct error *error) {
    static int known = 1; /* OpenMP keeps those that it has started */
    pthread_t threads[MOST_THREADS];
    int started = 0, failure = 0;
    if (count <= known)
        return true;
    pthread_mutex_lock(&gate);
    while (started < count - 1 && started < MOST_THREADS && !failure) {
        failure = pthread_create(&threads[started], NULL, wait_at_gate, NULL);
        started += !failure;
    }
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    if (failure)
        return error_set(error, "cannot start %d threads: %s; --threads asks for fewer", count,
                         strerror(failure));
    known = count;
    return true;
}
