/* What the processor raises: the modes of rounding that C has, and the flags that are set now. */
#ifndef TESTS_FORMAT_PROCESSOR_FLAGS_H
#define TESTS_FORMAT_PROCESSOR_FLAGS_H

#include "format/flags.h"
#include "format/format.h"

#include <fenv.h>

enum { MODES = 4 };

static const struct {
    int hardware;
    enum rounding rounding;
} modes[MODES] = {{FE_TONEAREST, ROUND_NEAREST_EVEN},
                  {FE_TOWARDZERO, ROUND_TOWARD_ZERO},
                  {FE_UPWARD, ROUND_UP},
                  {FE_DOWNWARD, ROUND_DOWN}};

static uint8_t raised_now(void) {
    static const int bits[FLAGS] = {FE_INVALID, FE_DIVBYZERO, FE_OVERFLOW, FE_UNDERFLOW,
                                    FE_INEXACT};
    uint8_t flags = 0;
    for (int i = 0; i < FLAGS; i++)
        if (fetestexcept(bits[i]))
            flags |= flag_bit(i);
    return flags;
}

#endif
