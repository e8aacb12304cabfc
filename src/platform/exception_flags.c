/* Both places of the flags, or <fenv.h>. */
#include "platform/exception_flags.h"

#if defined(__GNUC__) && defined(__x86_64__)

/* The five flags as both registers have them; the bit between tells of subnormal operands. */
enum { FLAG_BITS = 0x3d };

/* As fnstenv stores it. */
struct x87 {
    uint16_t control, unused_1, status, unused_2, tags, unused_3, rest[8];
};

void exception_flags_set_all(bool set) {
    exception_flags_clear(exception_flags_control() | (set ? FLAG_BITS : 0));
    if (!set) {
        __asm__ volatile("fnclex" : : : "memory");
        return;
    }
    struct x87 x87;
    __asm__ volatile("fnstenv %0" : "=m"(x87));
    x87.status |= FLAG_BITS;
    __asm__ volatile("fldenv %0" : : "m"(x87));
}

static uint32_t x87_bits(void) {
    uint16_t status;
    __asm__ volatile("fnstsw %0" : "=m"(status) : : "memory");
    return status;
}

uint8_t exception_flags_raised(void) {
    return exception_flags_now() | exception_flags_of(x87_bits());
}

uint8_t exception_flags_lacking(void) {
    return ALL_FLAGS & (uint8_t) ~(exception_flags_now() & exception_flags_of(x87_bits()));
}

#else

#include <fenv.h>

static const struct {
    int mask, flag; /* FLAG_... of format/flags.h */
} rows[] = {
#if defined(FE_INVALID)
    {FE_INVALID, FLAG_INVALID},
#endif
#if defined(FE_DIVBYZERO)
    {FE_DIVBYZERO, FLAG_DIVIDE_BY_ZERO},
#endif
#if defined(FE_OVERFLOW)
    {FE_OVERFLOW, FLAG_OVERFLOW},
#endif
#if defined(FE_UNDERFLOW)
    {FE_UNDERFLOW, FLAG_UNDERFLOW},
#endif
#if defined(FE_INEXACT)
    {FE_INEXACT, FLAG_INEXACT},
#endif
};

void exception_flags_set_all(bool set) {
    if (set)
        feraiseexcept(FE_ALL_EXCEPT);
    else
        feclearexcept(FE_ALL_EXCEPT);
}

uint8_t exception_flags_raised(void) {
    int found = fetestexcept(FE_ALL_EXCEPT);
    uint8_t flags = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        flags |= found & rows[i].mask ? flag_bit(rows[i].flag) : 0;
    return flags;
}

uint8_t exception_flags_lacking(void) {
    uint8_t known = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        known |= flag_bit(rows[i].flag);
    return known & (uint8_t)~exception_flags_raised();
}

#endif
