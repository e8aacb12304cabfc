/* Control registers, by instructions of their own. */
#include "platform/control_state.h"

#if defined(__GNUC__) && defined(__x86_64__)
#include <x86intrin.h>

enum {
    X87_PRECISION = 0x300,
    X87_MASKS = 0x3f,
    X87_ALL_EMPTY = 0xffff,
    SSE_MASKS = 0x1f80,
    DIRECTION = 0x400
};

/* As fnstenv stores it. */
struct x87 {
    uint16_t control, unused_1, status, unused_2, tags, unused_3, rest[8];
};

/* To store it masks all exceptions, so it is loaded again. */
static struct x87 read_x87(void) {
    struct x87 x87;
    __asm__ volatile("fnstenv %0\n\tfldenv %0" : "+m"(x87));
    return x87;
}

struct control_state control_state_now(void) {
    bool downward = __readeflags() & DIRECTION;
    if (downward)
        __asm__ volatile("cld" : : : "cc", "memory");
    struct x87 x87 = read_x87();
    return (struct control_state){.precision = x87.control & X87_PRECISION,
                                  .traps = (x87.control & X87_MASKS) | (_mm_getcsr() & SSE_MASKS)
                                                                           << 8,
                                  .in_use = x87.tags != X87_ALL_EMPTY,
                                  .downward = downward};
}

void control_state_restore(const struct control_state *state) {
    struct x87 x87 = read_x87();
    uint32_t changed = X87_PRECISION | X87_MASKS;
    uint16_t control =
        (uint16_t)((x87.control & ~changed) | state->precision | (state->traps & X87_MASKS));
    __asm__ volatile("fninit\n\tfldcw %0" : : "m"(control));
    _mm_setcsr((_mm_getcsr() & ~(uint32_t)SSE_MASKS) | (state->traps >> 8 & SSE_MASKS));
}

#elif defined(__GNUC__) && defined(__aarch64__)

enum { TRAPS = 0x9f00 };

static uint64_t read_fpcr(void) {
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr;
}

struct control_state control_state_now(void) {
    return (struct control_state){.traps = (uint32_t)(read_fpcr() & TRAPS)};
}

void control_state_restore(const struct control_state *state) {
    uint64_t fpcr = (read_fpcr() & ~(uint64_t)TRAPS) | state->traps;
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
}

#else

struct control_state control_state_now(void) {
    return (struct control_state){0};
}

void control_state_restore(const struct control_state *state) {
    (void)state;
}

#endif
