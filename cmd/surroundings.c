/* Descriptors, and the stack. */
#include "surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A closed descriptor would be handed to the next file opened; /dev/null holds its place. */
static bool keep_descriptors(struct error *error) {
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF)
            continue;
        if (open("/dev/null", descriptor ? O_WRONLY : O_RDONLY) < 0)
            return error_set(error, "cannot open /dev/null: %s", strerror(errno));
        if (descriptor == 1)
            return error_set(error, "stdout is closed; there is no place for results");
    }
    return true;
}

/* Without this check the program would end by a signal, anywhere. Threads get as much as the limit says. */
static bool check_stack(struct error *error) {
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           limit.rlim_cur >> 10 >= LEAST_STACK_KIB ||
           error_set(
               error,
               "the stack is limited to %lu KiB; detcheck needs %d or more ('ulimit -s 8192')",
               (unsigned long)(limit.rlim_cur >> 10), LEAST_STACK_KIB);
}

bool surroundings_check(struct error *error) {
    return keep_descriptors(error) && check_stack(error);
}
