/* What libFuzzer calls, and replay.c. */
#ifndef DETCHECK_TESTS_FUZZ_H
#define DETCHECK_TESTS_FUZZ_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* ftruncate, mkstemp */
#endif
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* A finding. */
#define fuzz_require(condition)                                                                    \
    ((condition) ? (void)0                                                                         \
                 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

/* A refusal says why, in one line. */
static inline bool fuzz_check(bool good, const struct error *error) {
    fuzz_require(good || (error->text[0] && !strchr(error->text, '\n')));
    return good;
}

/* A file that stays for the whole run: `name` has room, and is empty before the first call. It may hold any
 * letter afterwards. */
static inline void fuzz_name_file(char name[64]) {
    if (name[0])
        return;
    strcpy(name, "/tmp/detcheck-fuzz-XXXXXX");
    int made = mkstemp(name);
    fuzz_require(made >= 0);
    close(made);
}

/* A file that stays for the whole run is written anew from its beginning and then cut: to empty it
 * first would have some file systems wait for the disk each time. */
static inline void fuzz_write_file(const char *name, const void *bytes, size_t count) {
    FILE *stream = fopen(name, "r+b");
    fuzz_require(stream && fwrite(bytes, 1, count, stream) == count && fflush(stream) == 0 &&
                 ftruncate(fileno(stream), (off_t)count) == 0);
    fclose(stream);
}

#endif
