/* Memory that runs out: malloc, calloc and realloc, loaded by LD_PRELOAD in front of the C library's.
 *
 * FAIL_AT says which call fails, from 1; 0 or nothing: none. With FAIL_LASTS all fail from that one
 * on. FAIL_COUNT names a file into which the process that was started writes how many calls there
 * were. Calls before main count too; those of child processes count from where the fork was. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static unsigned long fail_at;
static bool lasts;
static pid_t first_process;
static atomic_ulong calls;

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("FAIL_AT");
    fail_at = at ? strtoul(at, NULL, 10) : 0;
    lasts = getenv("FAIL_LASTS") != NULL;
    first_process = getpid();
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAIL_COUNT");
    if (!path || getpid() != first_process)
        return;
    char text[32];
    int length = snprintf(text, sizeof text, "%lu\n", atomic_load(&calls));
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0) {
        ssize_t written = write(file, text, (size_t)length);
        (void)written;
        close(file);
    }
}

static bool fails(void) {
    unsigned long number = atomic_fetch_add(&calls, 1) + 1;
    if (!fail_at || (number != fail_at && !(lasts && number > fail_at)))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return fails() ? NULL : __libc_realloc(old, size);
}
