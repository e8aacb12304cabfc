/* The exception flags that a call raises, or clears, in sets of format/flags.h.
 *
 * x86-64 keeps flags in two places: MXCSR for SSE and AVX, and the status word of x87. What C calls
 * a flag is set where one of them has it. The functions that are inline look at the first alone,
 * which costs next to nothing; the others at both, which takes as long as many a call. Elsewhere all
 * of them ask <fenv.h>. */
#ifndef DETCHECK_PLATFORM_EXCEPTION_FLAGS_H
#define DETCHECK_PLATFORM_EXCEPTION_FLAGS_H

#include "format/flags.h"

/* Clears, or sets, all flags in both places. No exception may be a signal. */
void exception_flags_set_all(bool set);

/* The flags that one of the two places has; those that one of them lacks. */
uint8_t exception_flags_raised(void);
uint8_t exception_flags_lacking(void);

#if defined(__GNUC__) && defined(__x86_64__)

/* Whether exception_flags_clear can leave some flags set. */
enum { EXCEPTION_FLAGS_ARE_SETTABLE = 1 };

/* All that MXCSR holds besides flags: of what is stored, and now. */
static inline uint32_t exception_flags_control_of(uint32_t bits) {
    return bits & ~UINT32_C(0x3f);
}
static inline uint32_t exception_flags_control(void) {
    uint32_t register_now;
    __asm__ volatile("stmxcsr %0" : "=m"(register_now) : : "memory");
    return exception_flags_control_of(register_now);
}

/* Clears the flags of the first place, where `control` is what else there is in it, and may have
 * exception_flags_bits of those that are to be set. */
static inline void exception_flags_clear(uint32_t control) {
    __asm__ volatile("ldmxcsr %0" : : "m"(control) : "memory");
}

/* The flags of the first place, to be read by exception_flags_of: the processor need not wait for
 * what it has stored. */
static inline void exception_flags_store(uint32_t *bits) {
    __asm__ volatile("stmxcsr %0" : "=m"(*bits) : : "memory");
}
static inline uint8_t exception_flags_of(uint32_t bits) {
    /* The second bit tells of subnormal operands. */
    return (uint8_t)((bits & 1) | (bits >> 1 & 0x1e));
}
static inline uint32_t exception_flags_bits(uint8_t flags) {
    return (flags & 1u) | (flags & 0x1eu) << 1;
}

#else

enum { EXCEPTION_FLAGS_ARE_SETTABLE = 0 };

static inline uint32_t exception_flags_control(void) {
    return 0;
}

static inline void exception_flags_clear(uint32_t control) {
    (void)control;
    exception_flags_set_all(false);
}

static inline void exception_flags_store(uint32_t *bits) {
    *bits = exception_flags_raised();
}
static inline uint8_t exception_flags_of(uint32_t bits) {
    return (uint8_t)bits;
}
static inline uint32_t exception_flags_bits(uint8_t flags) {
    return flags;
}
static inline uint32_t exception_flags_control_of(uint32_t bits) {
    (void)bits;
    return 0;
}

#endif

static inline uint8_t exception_flags_now(void) {
    uint32_t bits;
    exception_flags_store(&bits);
    return exception_flags_of(bits);
}

#endif
