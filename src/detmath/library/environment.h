/* Rounding to nearest-even without flushing, while the library computes: array forms give their bits
 * whatever their caller has set. To look costs an array a few cycles, and to set is rare.
 *
 * What stands between the two calls has to be a function of another file, or a compiler might move
 * arithmetic past them. Exception flags are left as the functions leave them. Elsewhere than on these
 * processors the caller's settings stay, and have to be right. */
#ifndef DETMATH_LIBRARY_ENVIRONMENT_H
#define DETMATH_LIBRARY_ENVIRONMENT_H

#include <stdint.h>

#if defined(__GNUC__) && defined(__x86_64__)
/* MXCSR: rounding, FTZ, DAZ. */
#define DETMATH_ENVIRONMENT_BITS UINT64_C(0xe040)
static inline uint64_t detmath_environment_read(void) {
    uint32_t control;
    __asm__ volatile("stmxcsr %0" : "=m"(control) : : "memory");
    return control;
}
static inline void detmath_environment_write(uint64_t value) {
    const uint32_t control = (uint32_t)value;
    __asm__ volatile("ldmxcsr %0" : : "m"(control) : "memory");
}
#elif defined(__GNUC__) && defined(__aarch64__)
/* FPCR: FZ, rounding, FZ16, and FIZ, AH and NEP of FEAT_AFP. */
#define DETMATH_ENVIRONMENT_BITS UINT64_C(0x1c80007)
static inline uint64_t detmath_environment_read(void) {
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control) : : "memory");
    return control;
}
static inline void detmath_environment_write(uint64_t value) {
    __asm__ volatile("msr fpcr, %0" : : "r"(value) : "memory");
}
#elif defined(__GNUC__) && defined(__riscv) && defined(__riscv_flen)
/* frm: rounding. */
#define DETMATH_ENVIRONMENT_BITS UINT64_C(7)
static inline uint64_t detmath_environment_read(void) {
    unsigned long control;
    __asm__ volatile("frrm %0" : "=r"(control) : : "memory");
    return control;
}
static inline void detmath_environment_write(uint64_t value) {
    __asm__ volatile("fsrm %0" : : "r"((unsigned long)value) : "memory");
}
#else
#define DETMATH_ENVIRONMENT_BITS UINT64_C(0)
static inline uint64_t detmath_environment_read(void) {
    return 0;
}
static inline void detmath_environment_write(uint64_t value) {
    (void)value;
}
#endif

/* Returns what the caller has set, for detmath_environment_leave. */
static inline uint64_t detmath_environment_enter(void) {
    uint64_t now = detmath_environment_read(), set = now & DETMATH_ENVIRONMENT_BITS;
    if (set)
        detmath_environment_write(now & ~DETMATH_ENVIRONMENT_BITS);
    return set;
}
static inline void detmath_environment_leave(uint64_t set) {
    if (set)
        detmath_environment_write(detmath_environment_read() | set);
}

#endif
