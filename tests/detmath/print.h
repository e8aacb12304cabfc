/* What the programs that print hashes of results share: FNV-1a, of 64 bits, over the bytes of each
 * number, the lowest first. C11 and C++17. */
#ifndef DETCHECK_TESTS_DETMATH_PRINT_H
#define DETCHECK_TESTS_DETMATH_PRINT_H

#include <stdio.h>

static unsigned long long hash;

static void add_bits(unsigned long long bits, int bytes) {
    for (; bytes; bytes--, bits >>= 8)
        hash = (hash ^ (bits & 0xffu)) * 0x100000001b3ull;
}

/* A line with the hash of what CALLS add. */
#define PRINT(GROUP, NAME, CALLS)                                                                  \
    {                                                                                              \
        hash = 0xcbf29ce484222325ull;                                                              \
        CALLS;                                                                                     \
        printf("%s%-*s %016llx\n", GROUP, *(GROUP) ? 10 : 12, NAME, hash);                         \
    }

#endif
