/* The fault that the environment chooses. */
#include "base/fault.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *chosen;

static void read_environment(void) {
    chosen = getenv("DETCHECK_FAULT");
}

bool fault_is_chosen(const char *name) {
    pthread_once(&once, read_environment);
    return chosen && strcmp(chosen, name) == 0;
}
