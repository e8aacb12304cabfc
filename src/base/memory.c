/* Allocators for libraries that do not survive a failed allocation. */
#if defined(__linux__)
#define _GNU_SOURCE /* fopencookie */
#endif
#include "base/memory.h"

#include <cjson/cJSON.h>
#include <flint/flint.h>
#include <gmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void memory_exhausted(void) {
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    static const char line[] = "detcheck: out of memory\n";
    /* Another thread that gets here waits for the end that the first one makes. */
    while (atomic_flag_test_and_set(&reported))
        pause();
    if (write(STDERR_FILENO, line, sizeof line - 1) < 0)
        _exit(2); /* a stderr that takes nothing changes nothing */
    _exit(2);
}

static void *sure_malloc(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory)
        memory_exhausted();
    return memory;
}

static void *sure_calloc(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        memory_exhausted();
    return memory;
}

static void *sure_realloc(void *old, size_t size) {
    void *memory = realloc(old, size ? size : 1);
    if (!memory)
        memory_exhausted();
    return memory;
}

/* GMP tells the old sizes, which malloc does not need. */
static void *gmp_reallocate(void *old, size_t old_size, size_t size) {
    (void)old_size;
    return sure_realloc(old, size);
}

static void gmp_release(void *memory, size_t size) {
    (void)size;
    free(memory);
}

void memory_guard_libraries(void) {
    mp_set_memory_functions(sure_malloc, gmp_reallocate, gmp_release); /* MPFR's too */
    __flint_set_memory_functions(sure_malloc, sure_calloc, sure_realloc, free);
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = sure_malloc, .free_fn = free});
}

#if defined(__linux__)
struct growing {
    char **text;
    size_t *size;
    size_t room;
};

static ssize_t grow(void *cookie, const char *bytes, size_t count) {
    struct growing *growing = cookie;
    if (*growing->size + count + 1 > growing->room) {
        growing->room = 2 * growing->room + count + 1;
        *growing->text = sure_realloc(*growing->text, growing->room);
    }
    memcpy(*growing->text + *growing->size, bytes, count);
    *growing->size += count;
    (*growing->text)[*growing->size] = '\0';
    return (ssize_t)count;
}

static int end_growing(void *cookie) {
    free(cookie);
    return 0;
}

FILE *memory_stream(char **text, size_t *size) {
    struct growing *growing = malloc(sizeof *growing);
    *size = 0;
    *text = calloc(1, 1);
    FILE *stream = growing && *text
                       ? fopencookie(growing, "w",
                                     (cookie_io_functions_t){.write = grow, .close = end_growing})
                       : NULL;
    if (stream) {
        *growing = (struct growing){text, size, 1};
        return stream;
    }
    free(growing);
    free(*text);
    *text = NULL;
    return NULL;
}
#else
FILE *memory_stream(char **text, size_t *size) {
    return open_memstream(text, size);
}
#endif
