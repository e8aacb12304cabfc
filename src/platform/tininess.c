/* One product is tried. */
#include "platform/tininess.h"

#include <fenv.h>

bool tininess_is_after_rounding(void) {
#ifdef FE_UNDERFLOW
    /* The exact product is 2^-126 (1 - 2^-26): below the smallest normal number, and 2^-126 with
     * the 24 bits of a normal one. The operands are kept from the compiler. */
    static const volatile float a = 0x1.fffp-64f, b = 0x1.0008p-63f;
    fenv_t before;
    if (feholdexcept(&before) != 0)
        return false;
    fesetround(FE_TONEAREST);
    volatile float product = a * b;
    bool normal = product >= 0x1p-126f, signalled = fetestexcept(FE_UNDERFLOW) != 0;
    bool inexact = fetestexcept(FE_INEXACT) != 0;
    fesetenv(&before);
    return normal && inexact && !signalled;
#else
    return false;
#endif
}
