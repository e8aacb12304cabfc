/* What libFuzzer calls, and replay.c. */
#ifndef DETCHECK_TESTS_FUZZ_H
#define DETCHECK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* A finding. */
#define fuzz_require(condition)                                                                    \
    ((condition) ? (void)0                                                                         \
                 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

#endif
