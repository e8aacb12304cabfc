/* Counts, and a locale for all threads. */
#include "impl/others.h"

#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>

static _Thread_local volatile sig_atomic_t running;
static atomic_int running_anywhere;

static locale_t plain;

static void make_plain(void) {
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static bool runs_here(const struct implementation *implementation) {
    enum others others = implementation->kind->others;
    return others == OTHERS_HERE ||
           (others == OTHERS_IF_IN_PROCESS && implementation->foreign->in_process);
}

void others_begin(const struct implementation *implementation) {
    if (runs_here(implementation)) {
        running = running + 1;
        atomic_fetch_add(&running_anywhere, 1);
    }
}

/* A thread that has a locale of its own does not see what others make of the process's: numbers in
 * documents have points, whatever a library has set. */
void others_end(const struct implementation *implementation) {
    static pthread_once_t made = PTHREAD_ONCE_INIT;
    if (!runs_here(implementation))
        return;
    running = running - 1;
    atomic_fetch_sub(&running_anywhere, 1);
    pthread_once(&made, make_plain);
    if (!running && plain)
        uselocale(plain);
}

bool others_are_running(void) {
    return running;
}

bool others_are_running_anywhere(void) {
    return atomic_load(&running_anywhere);
}
