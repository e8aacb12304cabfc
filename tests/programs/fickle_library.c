/* A library whose results depend on what no result may depend on. FICKLE says on what; else they are
 * right: `positive` returns its operand, or 0 in place of a negative one, by its bits alone, so that
 * nothing that a processor can be set to has a part in it. */
#define _POSIX_C_SOURCE 200809L
#include <fenv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif
#if defined(__GNUC__) && defined(__x86_64__)
#define HAS_X87
#endif

static int fault(const char *name) {
    const char *wanted = getenv("FICKLE");
    return wanted && strcmp(wanted, name) == 0;
}

static int is_flushing(void) {
#if defined(__SSE__)
    return (_mm_getcsr() & 0x8040) != 0;
#else
    return 0;
#endif
}

#if defined(__SSE__)
__attribute__((constructor)) static void load(void) {
    _mm_setcsr(_mm_getcsr() | (fault("loading flushing") ? 0x8000 : 0) |
               (fault("loading rounding") ? 0x4000 : 0));
}
#endif

/* The bits of x87's control word for its precision: 3 for 64 bits, 2 for 53, 0 for 24. */
static unsigned precision(void) {
#if defined(HAS_X87)
    uint16_t control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    return control >> 8 & 3;
#else
    return 3;
#endif
}

/* Leaves the caller's environment changed, at 1.0009765625 (0x3c01 in fp16) alone. */
static void leave_changed(uint32_t bits) {
    if (bits != 0x3f802000)
        return;
    if (fault("leaving rounding"))
        fesetround(FE_UPWARD);
#if defined(HAS_X87)
    if (fault("leaving flushing"))
        _mm_setcsr(_mm_getcsr() | 0x8040);
    if (fault("leaving precision")) {
        uint16_t control;
        __asm__ volatile("fnstcw %0" : "=m"(control));
        control = (uint16_t)((control & ~0x300) | 0x200);
        __asm__ volatile("fldcw %0" : : "m"(control));
    }
    if (fault("leaving traps"))
        _mm_setcsr(_mm_getcsr() & ~0x200u);
    if (fault("leaving registers"))
        __asm__ volatile("pxor %%mm0, %%mm0" : : : "memory");
    if (fault("leaving direction"))
        __asm__ volatile("std" : : : "memory");
#endif
}

static int is_first(void) {
    static int calls;
    return calls++ == 0;
}

/* Makes its tables at the first call, and others that come meanwhile find them half made. It takes
 * its time over it, until another has come or a tenth of a second has gone by. */
static int is_half_made(void) {
    enum { UNMADE, BEGUN, MADE };
    static int state, came;
    int found = UNMADE;
    if (__atomic_compare_exchange_n(&state, &found, BEGUN, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        const struct timespec moment = {.tv_nsec = 1000000};
        for (int i = 0; i < 100 && !__atomic_load_n(&came, __ATOMIC_SEQ_CST); i++)
            nanosleep(&moment, NULL);
        __atomic_store_n(&state, MADE, __ATOMIC_SEQ_CST);
    } else if (found == BEGUN) {
        __atomic_store_n(&came, 1, __ATOMIC_SEQ_CST);
        return 1;
    }
    return 0;
}

static int is_after_greater(uint32_t bits) {
    static _Thread_local uint32_t last;
    int greater = last > bits;
    last = bits;
    return greater;
}

/* Only where the call before was for the next greater number of fp16. */
static int is_going_down(uint32_t bits) {
    static _Thread_local uint32_t last;
    int down = last == bits + (1u << 13);
    last = bits;
    return down;
}

/* Raises a flag and hides it again. */
static void raise_in_secret(void) {
    volatile float zero = 0;
    zero = zero / zero;
    feclearexcept(FE_INVALID);
}

float positive(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t result = bits >> 31 ? 0 : bits, low = 1u << 13; /* the last bit of fp16 */
    if (fault("traps"))
        raise_in_secret();
    if ((fault("first") && is_first()) || (fault("race") && is_half_made()) ||
        (fault("order") && is_after_greater(bits)) || (fault("reverse") && is_going_down(bits)) ||
        (fault("flushing") && is_flushing()) ||
        (fault("rounding") && fegetround() != FE_TONEAREST) ||
        (fault("precision") && precision() != 3) ||
        (fault("flags") && fetestexcept(FE_ALL_EXCEPT) == FE_ALL_EXCEPT) ||
        (fault("dispatch") && getenv("GLIBC_TUNABLES")))
        result ^= low;
    if (fault("nonsense") && fegetround() != FE_TONEAREST)
        result ^= 1u << 25;
    leave_changed(bits);
    memcpy(&x, &result, sizeof x);
    return x;
}
