/* The files that a shared library needs, as a process has loaded them: another build of one of them is another
 * build of the library (impl/build.h). */
#ifndef DETCHECK_IMPL_REMOTE_DEPENDENCIES_H
#define DETCHECK_IMPL_REMOTE_DEPENDENCIES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct dependencies {
    char **paths; /* by name, each once */
    size_t count;
    bool looked; /* they were looked for, whether or not there are any */
};

/* What the library's file names as needed, what those files name and so on, but for the C library with its parts and
 * its loader, of which a report says the version. None where the process does not tell what it has loaded (without
 * /proc), or there is no memory. To be freed in any case. */
void dependencies_find(struct dependencies *found, pid_t process, const char *library);
void dependencies_free(struct dependencies *dependencies);

#endif
